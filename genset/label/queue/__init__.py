"""What to show next, and whose it is until when."""
