"""From the runs on each set to what a series says, without any model."""
