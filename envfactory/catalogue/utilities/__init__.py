"""Environments of the domain utilities."""
