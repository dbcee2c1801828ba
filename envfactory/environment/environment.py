"""`Environment`: one class is one environment (arXiv 2605.18703, section 3.1: e = (m, D, pi, V)).

Its fields are the database D, its `@tool` methods the implementations pi, its docstring and class variables the
metadata m; the interface V is generated (`describe`). State lives in frozen records, so a session is a pointer to a
shared base: a writing tool runs on a fork of the tables and commits by replacing that pointer, or leaves everything as
it was.

Everything is deterministic: the clock `now` moves only between user turns, ids come from `counters`, and nothing reads
wall time, process-wide state, or unseeded randomness.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, ClassVar, Self, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field

from envfactory.environment.errors import DeclarationError, ReadOnlyError
from envfactory.environment.records import Record, Table, check_fields
from envfactory.environment.tools import Tool, tools_of
from envfactory.environment.world import World

_set = object.__setattr__


class Environment(BaseModel):
    """Base class of every environment; see the module docstring and `docs/environments.md`.

    Class variables:
        domain: one of the catalogue's domains.
        policy: the rules an agent must respect, a few sentences in its system prompt.
        sources: the public API documents that the environment is modelled on.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    domain: ClassVar[str]
    policy: ClassVar[str]
    sources: ClassVar[tuple[str, ...]]

    tables: ClassVar[dict[str, type[Record]]] = {}
    tools: ClassVar[dict[str, Tool]] = {}

    now: dt.datetime
    counters: dict[str, int] = Field(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        missing = [name for name in ("domain", "policy", "sources") if not getattr(cls, name, None)]
        if missing or not cls.__doc__:
            raise DeclarationError(f"{cls.__name__} must state {', '.join(missing) or 'a docstring'}")
        check_fields(cls, {name: field for name, field in cls.model_fields.items() if name != "counters"})
        cls.tables = {
            name: get_args(field.annotation)[0]
            for name, field in cls.model_fields.items()
            if get_origin(field.annotation) is Table
        }
        cls.tools = tools_of(cls)

    @classmethod
    def environment_name(cls) -> str:
        """Snake case of the class name, the first half of wire names."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def scenario(cls, world: World, size: int) -> Self:
        """Build a realistic, consistent world.

        Args:
            world: seeded source of people, places, dates and prices; the only randomness there is.
            size: roughly how many records; the same seed and size give the same bytes.
        """
        raise TypeError(f"{cls.__name__} must define scenario(cls, world, size)")

    def new_id(self, prefix: str) -> str:
        """Return the next id of this kind, `prefix-1001` and on; ids are never used twice."""
        self._check_open()
        number = self.counters.get(prefix, 1000) + 1
        vars(self)["counters"] = {**self.counters, prefix: number}  # needs no validation
        return f"{prefix}-{number}"

    def fork(self) -> Self:
        """Return an open copy that shares every record."""
        copy = object.__new__(type(self))
        values = dict(self.__dict__)
        for name in type(self).tables:
            values[name] = values[name].fork()
        _set(copy, "__dict__", values)
        _set(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        _set(copy, "__pydantic_extra__", None)
        _set(copy, "__pydantic_private__", {})  # {} marks an open state, None a sealed one
        return copy

    def seal(self) -> Self:
        """Close the state for writing, and return it."""
        values: dict[str, Any] = vars(self)
        for name in type(self).tables:
            values[name] = values[name].seal()
        _set(self, "__pydantic_private__", None)
        return self

    def at(self, now: dt.datetime) -> Self:
        """Return a sealed copy with another clock."""
        copy = self.fork()
        copy.now = now
        return copy.seal()

    def _check_open(self) -> None:
        if self.__pydantic_private__ is None:
            raise ReadOnlyError("this tool is not marked writes=True, so it may not change the state")

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_open()
        if name in type(self).tables:
            raise TypeError(f"{name} is a table: change its records, not the table")
        type(self).__pydantic_validator__.validate_assignment(self, name, value)
