"""What a report says: each form of it is made from this and nothing else."""
