"""How each source's API is called, and what its answers mean."""
