"""How Wikimedia Commons speaks."""
