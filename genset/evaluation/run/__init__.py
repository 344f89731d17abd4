"""Runs: the loop that scores models on a set, and what shares it out."""
