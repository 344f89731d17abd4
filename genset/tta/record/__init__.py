"""Entries of one's own: a training command run and recorded, an inference timed."""
