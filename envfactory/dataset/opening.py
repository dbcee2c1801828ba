"""Opening a session for a check: with the catalogue's environments in their present version, or saying why not."""

from __future__ import annotations

from functools import cache, lru_cache

from pydantic import ValidationError

from envfactory.catalogue import backend, digests, environment_names
from envfactory.environment import InProcess, Reference, Session


def open_for_check(reference: Reference) -> Session | tuple[str, str]:
    """Open a session.

    Returns:
        The session; or a field of the reference, and what is wrong there.
    """
    for name, digest in reference.environments.items():
        if name not in environment_names():
            return f"environments.{name}", "expected an environment of the catalogue"
        if _digest(name) != digest:
            return f"environments.{name}", f"made with another version, {digest[:12]}; make the file anew"
    try:
        return Session(engine_of(reference), reference)
    except ValidationError as error:
        return "states", f"expected full state documents: {error.errors()[0]['msg']}"


def engine_of(reference: Reference) -> InProcess:
    """The backend that opens the environments of a reference; one for the whole process."""
    return _backend(tuple(sorted(reference.environments)))


@lru_cache(maxsize=64)
def _backend(names: tuple[str, ...]) -> InProcess:
    return backend(names)


@cache
def _digest(name: str) -> str:
    return digests([name])[name]
