"""Labels out of the workspace and into it, as tables."""
