"""What logs say: time and cost to accuracy, how stable, how it scales."""
