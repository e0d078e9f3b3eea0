"""Channels: explicit matrices, profiles of symmetric ones, and the hypers that both give."""
