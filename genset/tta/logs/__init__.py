"""Logs of training runs, in their formats, read as `genset.tta.runs.Training`."""
