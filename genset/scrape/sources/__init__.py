"""Where photos are searched: one module a source, and what each must offer."""
