"""Records, outputs and tables: the database of an environment.

A record is a frozen, strictly validated Pydantic model, so a write replaces a record instead of changing it. A table is
a dict from id to record that opens for writing only inside a tool marked `writes=True`. Because records never change, a
snapshot is a pointer, rollback is doing nothing, and a diff compares records by identity.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, NoReturn, Self, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.fields import FieldInfo
from pydantic_core import core_schema

from envfactory.environment.errors import DeclarationError, ReadOnlyError, ToolError
from envfactory.environment.moments import text_only

_MUTABLE = (list, dict, set, bytearray)


def check_fields(owner: type, fields: Mapping[str, FieldInfo]) -> None:
    """Refuse fields that could change in place, and those whose None would be lost on the way through JSON.

    Raises:
        DeclarationError: names the class and the field.
    """
    for name, field in fields.items():
        where = f"{owner.__name__}.{name}"
        refuse_mutable(field.annotation, where)
        if allows_none(field.annotation) and field.default is not None:
            raise DeclarationError(f"{where} may be None, so its default must be None: absent and null are one thing")


def allows_none(annotation: Any) -> bool:
    """Whether a type annotation admits None."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return allows_none(get_args(annotation)[0])
    return annotation is type(None) or (origin in (Union, types.UnionType) and type(None) in get_args(annotation))


def refuse_mutable(annotation: Any, where: str) -> None:
    """Refuse `list`, `dict` and `set` anywhere in a field's type: frozen is shallow, so they could change in place."""
    if (get_origin(annotation) or annotation) in _MUTABLE:
        raise DeclarationError(f"{where} is a {annotation}: records hold immutable values, use tuple[...] or a record")
    for argument in get_args(annotation):
        refuse_mutable(argument, where)


class Frozen(BaseModel):
    """Base of everything that holds data: frozen, strict, nothing unknown; field docstrings are descriptions."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        json_schema_serialization_defaults_required=True,  # what a tool gives has its defaults filled in
    )

    noun: ClassVar[str] = ""
    label: ClassVar[str] = ""
    listing: ClassVar[str] = ""

    def __init_subclass__(cls, *, noun: str = "", label: str = "", listing: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.noun = noun or cls.noun
        cls.label = label or cls.label
        cls.listing = listing or label or cls.listing

    @classmethod
    def __pydantic_init_subclass__(cls, **_options: Any) -> None:
        check_fields(cls, cls.model_fields)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return text_only(handler(source))

    def evolve(self, **changes: Any) -> Self:
        """Return a copy with `changes`, validated (unlike `model_copy(update=...)`)."""
        return type(self)(**{**self.__dict__, **changes})


class Record(Frozen):
    """A row of a `Table`; its key is its field `id`.

    Class keywords say how people speak of it: `noun` ("hotel"), `label` ("{name}[ in {city}]", how one is named; the
    part in brackets is said only where the rest does not tell it apart from its namesakes), `listing` ("{name} ({price}
    a night)", how one is shown in a list; the label if not given).
    """


class Output(Frozen):
    """What a tool returns when that is not simply a record."""


class Argument(Frozen):
    """A nested argument of a tool, an inline object.

    `label` says how a person would put it ("{quantity} of {product_id}").
    """


R = TypeVar("R", bound=Record)


class Table(dict[str, R]):
    """Records by id. Reads are a dict's; writes are `insert`, `replace`, `delete`, and only while open."""

    __slots__ = ("opened", "origin", "record_type")
    record_type: type[R]
    opened: bool
    origin: Table[R] | None
    """What this is still an exact copy of."""

    def require(self, key: str) -> R:
        """Return the record with this id.

        Raises:
            ToolError: `not_found`, in the words of the domain.
        """
        record = self.get(key)
        if record is None:
            raise ToolError("not_found", f"There is no {self.record_type.noun} with the id {key!r}.")
        return record

    def insert(self, record: R) -> R:
        """Add a record whose id is not yet taken, and return it."""
        key = self._check(record)
        if key in self:
            raise ValueError(f"{self.record_type.__name__} {key!r} exists already; use replace")
        super().__setitem__(key, record)
        return record

    def replace(self, record: R) -> R:
        """Put a record in the place of the one with the same id, and return it."""
        key = self._check(record)
        if key not in self:
            raise ValueError(f"{self.record_type.__name__} {key!r} does not exist; use insert")
        super().__setitem__(key, record)
        return record

    def delete(self, key: str) -> R:
        """Remove the record with this id, and return it."""
        self._check_open()
        record = self.require(key)
        super().__delitem__(key)
        return record

    def fork(self) -> Table[R]:
        """Return an open copy; records are shared."""
        copy: Table[R] = Table(self)
        copy.record_type = self.record_type
        copy.opened = True
        copy.origin = self
        return copy

    def seal(self) -> Table[R]:
        """Close for writing, and return the table to keep: what was never written gives way to what it is a copy of."""
        self.opened = False
        return self if self.origin is None else self.origin

    def _check_open(self) -> None:
        if not self.opened:
            raise ReadOnlyError("this tool is not marked writes=True, so it may not change a table")
        self.origin = None

    def _check(self, record: R) -> str:
        self._check_open()
        if type(record) is not self.record_type:
            raise TypeError(f"this table holds {self.record_type.__name__}, not {type(record).__name__}")
        return _key(record)

    def _refuse(self, *_args: Any, **_options: Any) -> NoReturn:
        raise TypeError("tables change by insert, replace and delete only")

    __setitem__ = __delitem__ = __ior__ = _refuse  # pyright: ignore[reportAssignmentType]
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        (record_type,) = get_args(source)
        build = _builder(record_type)
        return core_schema.no_info_after_validator_function(build, handler.generate_schema(dict[str, record_type]))


def by_id(records: Iterable[R]) -> dict[str, R]:
    """Return records by their id: the rows of a table."""
    return {_key(record): record for record in records}


def _key(record: Record) -> str:
    return vars(record)["id"]  # a class without one cannot be kept in a table


def _builder(record_type: type[R]) -> Callable[[dict[str, R]], Table[R]]:
    if "id" not in record_type.model_fields or not record_type.noun:
        raise DeclarationError(f"{record_type.__name__} is kept in a table, so it needs a field `id: str` and a noun=")

    def build(rows: dict[str, R]) -> Table[R]:
        for key, record in rows.items():
            if _key(record) != key:
                raise ValueError(f"{record_type.__name__} is stored under {key!r} but has the id {_key(record)!r}")
        table: Table[R] = Table(rows)
        table.record_type = record_type
        table.opened = False
        table.origin = None
        return table

    return build
