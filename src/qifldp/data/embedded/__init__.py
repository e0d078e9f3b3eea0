"""Counts of public data sets, as files: adult.json and kosarak.csv."""
