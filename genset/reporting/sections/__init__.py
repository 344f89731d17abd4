"""The report's sections, one a module: what it needs, its numbers, its table, its sentences."""
