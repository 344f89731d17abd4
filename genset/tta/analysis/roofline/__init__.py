"""Achieved FLOP/s and bytes/s beside what the device could do at most."""
