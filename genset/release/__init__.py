"""Frozen test sets: choose, freeze, verify, read."""
