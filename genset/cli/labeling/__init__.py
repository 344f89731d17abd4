"""Commands about labels, those who give them, and those who decide about them."""
