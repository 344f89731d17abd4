"""Accuracies that models have elsewhere, to hold those on a set against."""
