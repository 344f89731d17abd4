"""Score models on a set of photos, and say how sure the answer is."""
