"""Data: embedded counts of real data sets, and counts of a user's own column."""
