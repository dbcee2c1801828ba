"""Environments of the domain office."""
