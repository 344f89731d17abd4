"""Answers of this room as people read them: tables and sentences."""
