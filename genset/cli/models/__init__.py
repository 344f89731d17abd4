"""Commands that score models, fit them to other tasks, and report."""
