"""Whose votes count: what managers decide, and who labels without looking."""
