"""A series as an HTML page, as Markdown and as JSON."""
