"""The report's page: what it says in its tables, and what it does in a real browser."""
