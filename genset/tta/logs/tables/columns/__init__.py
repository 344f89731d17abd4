"""Which column of a table holds what: by its name, or by what the user says."""
