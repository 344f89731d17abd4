"""What each operator of a trace had to do: FLOPs and bytes, from the shapes it was called on."""
