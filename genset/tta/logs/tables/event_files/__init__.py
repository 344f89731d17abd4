"""Reads TensorBoard's event files as a table: a row for each event with a score."""
