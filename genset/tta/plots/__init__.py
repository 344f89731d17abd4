"""Figures of this room, as PNG or SVG. Only this room imports matplotlib, and when it draws."""
