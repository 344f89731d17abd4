"""What the hardware did: traces of profilers, read; shares of time, matrix units, rooflines."""
