"""Where photos are searched: `source` says what a source is, and each has a module of its own."""
