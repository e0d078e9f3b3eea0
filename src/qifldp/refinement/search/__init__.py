"""Searching for witnesses and counterexamples, in floats; nothing found here counts before it is verified."""
