"""How Flickr speaks."""
