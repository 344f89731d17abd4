"""What the HTML page has beyond the numbers: the order of its columns, its sections, its script."""
