"""Data: from a set of photos to the batches of pixels that networks take."""
