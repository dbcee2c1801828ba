"""A session in a hand-written state, with what black-box tests of an environment ask of it."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from envfactory.environment import (
    DEFAULT_NOW,
    Environment,
    InProcess,
    Reference,
    Result,
    Session,
    StateDiff,
    build_scenario,
)

Row = dict[str, Any]
Rows = dict[str, Row]


def keyed(*rows: Row) -> Rows:
    """Rows by their id: a table."""
    return {row["id"]: row for row in rows}


class Desk:
    """A session of one environment in `state`; `changes` replace whole fields of it, `rows` single records.

    Tools are named without their environment.
    """

    def __init__(
        self,
        environment: type[Environment],
        state: Mapping[str, Any],
        *,
        rows: Mapping[str, Rows] | None = None,
        now: dt.datetime = DEFAULT_NOW,
        **changes: Any,
    ) -> None:
        self.name = environment.environment_name()
        document: dict[str, Any] = {"now": now.isoformat(), "counters": {}, **state, **changes}
        for table, added in (rows or {}).items():
            document[table] = {**document[table], **added}
        self.session = Session(
            InProcess({self.name: environment}),
            Reference(environments={self.name: ""}, now=now, states={self.name: json.dumps(document)}),
        )

    def __call__(self, tool: str, **arguments: Any) -> Result:
        """Call a tool, whoever it is for."""
        name = f"{self.name}-{tool}"
        return self.session.call(name, arguments, by=self.session.actor(name))

    def gives(self, tool: str, **arguments: Any) -> Any:
        """What a call returns, which must succeed."""
        result = self(tool, **arguments)
        assert result.ok, result.text
        return result.value

    def ids(self, tool: str, **arguments: Any) -> list[str]:
        """Ids of the records that the call lists."""
        value = self.gives(tool, **arguments)
        (rows,) = [rows for rows in value.values() if isinstance(rows, list)]
        return [row["id"] for row in rows]

    def refuses(self, tool: str, code: str, words: str, **arguments: Any) -> None:
        """The call is refused with this code and these words, and nothing changed."""
        before = self.session.digest()
        result = self(tool, **arguments)
        assert (result.ok, result.code) == (False, code), result.text
        assert words in result.value["error"]["message"]
        assert self.session.digest() == before

    def changes(self) -> StateDiff:
        """What changed since the start."""
        return self.session.diff().get(self.name, StateDiff())

    def changed(self) -> dict[str, Any]:
        """What changed since the start, in short: `table.created`, `table.changed`, `table.deleted` and fields."""
        found = self.changes()
        tables = {name: table.model_dump() for name, table in found.tables.items()}
        parts = {f"{name}.{kind}": rows for name, table in tables.items() for kind, rows in table.items() if rows}
        return {**parts, **{name: value for name, value in found.fields.items() if name != "counters"}}


def scenario_rows(environment: type[Environment], seed: int = 1, size: int = 60) -> dict[str, Any]:
    """The document of a scenario."""
    return json.loads(build_scenario(environment, seed, size, DEFAULT_NOW).model_dump_json())
