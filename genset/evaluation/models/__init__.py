"""Models: from the spec that names one to the network, its weights and its preprocessing."""
