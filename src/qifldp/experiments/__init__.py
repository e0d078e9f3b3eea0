"""Simulated attacks, and the paper's figures made again."""
