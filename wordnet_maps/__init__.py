"""ImageNet's 1,000 classes and the keywords to search for each, made from WordNet 3.0."""
