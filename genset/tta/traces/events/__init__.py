"""Events of a trace, taken apart: what each says, and what is kept of it."""
