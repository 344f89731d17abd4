"""What profilers' traces say, as people read it: tables and sentences."""
