"""Serving: environments as other programs reach them."""
