"""Gather what a report says, from what is kept of runs: without any model."""
