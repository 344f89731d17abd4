"""What a workspace searches with, and what each query brings."""
