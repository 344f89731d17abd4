"""What looks random and is the same on every machine: a hash."""

from hashlib import sha256


def number(text: str) -> int:
    """A large number that is always the same for the same text."""
    return int.from_bytes(sha256(text.encode()).digest()[:8])
