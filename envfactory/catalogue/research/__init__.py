"""Environments of the domain research."""
