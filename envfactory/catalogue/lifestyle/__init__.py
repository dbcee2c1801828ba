"""Environments of the domain lifestyle."""
