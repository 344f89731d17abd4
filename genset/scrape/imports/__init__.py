"""Other ways in: a folder of one's own photos, and ImageNetV2's lists of candidates."""
