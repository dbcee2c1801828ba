"""Environments of the domain travel."""
