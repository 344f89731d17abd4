"""Traces of profilers, read: what ran on the host and on the device, when, and on what shapes."""
