"""`Host`: what a worker process holds, and what it does with a request.

It runs everything in process, by `InProcess`. A request says what in its header (`verb`, the number of what is held,
and what the verb needs). An answer says there how it went: `failure` with a kind of `EnvironmentFailure`, `raised` with
the name of an exception that the parent raises in turn, or what the verb gives.
"""

from __future__ import annotations

import datetime as dt
import importlib
from typing import Any, cast

import orjson

from envfactory.environment.backend import InProcess, LocalInstance, Start
from envfactory.environment.environment import Environment
from envfactory.environment.errors import EnvironmentFailure

RAISED: dict[str, type[Exception]] = {"TypeError": TypeError, "ValueError": ValueError}
"""Exceptions by which a backend refuses what its user asks, and which so cross the socket as themselves."""


class Host:
    """The child's side: what it holds, and what it does with a request."""

    def __init__(self) -> None:
        self._backend = InProcess({})
        self._held: dict[int, LocalInstance | Environment] = {}

    def answer(self, request: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
        """Return the header and bytes of the answer; what an environment raises is an answer, too."""
        for number in request["dropped"]:
            self._held.pop(number, None)
        try:
            return self._do(request, payload)
        except EnvironmentFailure as error:
            return {"failure": error.kind}, str(error).encode("utf-8", "replace")
        except Exception as error:  # noqa: BLE001 (anything can come out of an environment's code)
            return self._told(request["verb"], error)

    def _told(self, verb: str, error: Exception) -> tuple[dict[str, Any], bytes]:
        for name, kind in RAISED.items():
            if isinstance(error, kind) and verb in ("open", "restore", "advance"):
                return {"raised": name}, str(error).encode("utf-8", "replace")
        return {"failure": "bug"}, f"'{verb}': {type(error).__name__}: {error}".encode("utf-8", "replace")

    def _do(self, request: dict[str, Any], payload: bytes) -> tuple[dict[str, Any], bytes]:
        match request["verb"]:
            case "start":
                # The parent keeps the time, so nothing in here counts as an overrun.
                found = {name: _located(place) for name, place in request["environments"].items()}
                self._backend = InProcess(found, float("inf"))
                return {}, orjson.dumps({name: spec.model_dump_json() for name, spec in self._backend.specs.items()})
            case "open":
                start = Start.model_validate_json(payload)
                self._held[request["held"]] = self._backend.open(request["environment"], start)
                return {}, b""
            case verb:
                return self._use(verb, cast("LocalInstance", self._held[request["held"]]), request, payload)

    def _use(
        self, verb: str, instance: LocalInstance, request: dict[str, Any], payload: bytes
    ) -> tuple[dict[str, Any], bytes]:
        match verb:
            case "call":
                result = instance.call(request["tool"], payload)
                return {"ok": result.ok}, result.text.encode()
            case "snapshot":
                self._held[request["mark"]] = instance.snapshot()
            case "restore":
                instance.restore(self._held[request["mark"]])
            case "dump":
                return {}, instance.dump()
            case "diff":
                return {}, instance.diff().model_dump_json().encode()
            case _:
                instance.advance(dt.datetime.fromisoformat(payload.decode()))
        return {}, b""


def _located(place: str) -> type[Environment]:
    module, _, name = place.partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Environment)):
        raise TypeError(f"{place} is not an Environment")
    return found
