"""The report's figures, one a file, as SVG that stands inside a page."""
