"""Hosts: how they are called, how fast, how long, how often again; a photo's original, checked."""
