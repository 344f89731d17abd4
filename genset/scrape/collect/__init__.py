"""Which photos a class gets, and the scraper that gets them."""
