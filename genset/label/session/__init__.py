"""What one labeler does: screens out, verdicts in."""
