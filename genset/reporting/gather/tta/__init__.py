"""Training logs beside the models that they gave."""
