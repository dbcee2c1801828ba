"""EnvFactory: executable tool environments, grounded trajectories and reinforcement learning from one config.

Reference: arXiv 2605.18703. Start with ``python -m envfactory --help``.
"""

__version__ = "0.1.0"
