"""Scripts of the training interpreter: run by path, imported by nothing of this package."""
