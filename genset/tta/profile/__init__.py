"""What the hardware did, from traces: shares of time, matrix units, communication, rooflines."""
