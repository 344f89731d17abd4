"""A report as HTML, Markdown and JSON."""
