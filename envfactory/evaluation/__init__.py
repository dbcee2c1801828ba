"""Evaluation: what a model is worth on tasks that it has not been trained on."""
