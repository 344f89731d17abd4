"""Opens a table, whatever its file is like: its names, then row by row, in bounded memory."""
