"""How a host is called, and how a photo's original is fetched and checked."""
