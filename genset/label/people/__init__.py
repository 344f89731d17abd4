"""Labelers and managers: how they sign in, and the secret that their links are signed with."""
