"""Figures of what profilers' traces say."""
