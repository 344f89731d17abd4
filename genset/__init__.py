"""Build an unseen, licensed, human-verified test set and say which classifier generalizes."""

__version__ = "0.1.0"
