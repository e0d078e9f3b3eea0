"""Refinement (the Blackwell order): is one channel safer than another against every adversary? With proofs."""
