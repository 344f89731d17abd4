"""Training logs read into one form, whatever wrote them: `Training`, a run with its epochs."""
