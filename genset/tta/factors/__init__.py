"""Which optimization mattered: runs with and without each, compared."""
