"""Engines: what runs a network. Pixels in, logits out."""
