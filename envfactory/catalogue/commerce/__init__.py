"""Environments of buying and selling."""
