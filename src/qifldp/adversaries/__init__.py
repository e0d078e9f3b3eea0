"""Adversaries: what they know (priors) and what they want (gain functions)."""
