"""The views of the manager's page: numbers, photos, people, and what waits for a decision."""
