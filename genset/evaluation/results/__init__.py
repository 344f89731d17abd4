"""Results: what is kept of runs, read and compared without any model."""
