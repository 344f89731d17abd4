"""What the hardware did, from profilers' traces: shares of time, matrix units, communication."""
