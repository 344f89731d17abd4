"""Trust: whether a release is the one that was meant, in files of its own, and signed by whom."""
