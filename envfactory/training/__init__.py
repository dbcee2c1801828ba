"""Training: what plays a model's words in environments, and what trainers need to be told.

Nothing here imports a training program or torch at the top; trainers run in an interpreter of their own.
"""
