"""What labels are worth: votes in force, gold questions, agreement, review."""
