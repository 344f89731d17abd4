"""Logs of MLPerf Training: its lines, its benchmarks, and runs made of both."""
