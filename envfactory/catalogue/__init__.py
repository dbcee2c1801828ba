"""The catalogue of environments: one module an environment, in a folder a domain.

Names come from listing files; a module is imported when its environment is asked for, and a digest needs no import.
"""

from envfactory.catalogue.digest import digests
from envfactory.catalogue.registry import backend, domains, environment_names, load

__all__ = ["backend", "digests", "domains", "environment_names", "load"]
