"""Environments: executable, stateful, session-isolated worlds with tools.

What an environment's author needs, and what everything above works with. See `docs/environments.md`.
"""

from envfactory.environment.backend import Backend, InProcess, Instance, Start, build_scenario
from envfactory.environment.declare import Actor, FreeText, Ranked, Ref, Secret, Unit, Value, Volatile, tool
from envfactory.environment.describe import describe
from envfactory.environment.environment import Environment
from envfactory.environment.errors import CODES, DeclarationError, EnvironmentFailure, ReadOnlyError, ToolError
from envfactory.environment.paging import PAGE_SIZE, Balance, Money, Page, PageNumber, cents
from envfactory.environment.records import Argument, Output, Record, Table, by_id
from envfactory.environment.relations import (
    After,
    AtMost,
    Differing,
    Differs,
    Ends,
    FieldOf,
    FromNow,
    Graded,
    Having,
    NamedIn,
    New,
    Owned,
    Relation,
    Sharing,
    Some,
    Together,
    Within,
)
from envfactory.environment.results import Result
from envfactory.environment.rules import check_span, owned, standing
from envfactory.environment.session import DEFAULT_NOW, Reference, Session, Snapshot
from envfactory.environment.spec import RUNTIME_VERSION, SEPARATOR, Parameter, Shape, Spec, TableSpec, ToolSpec, tool_of
from envfactory.environment.states import (
    StateDiff,
    TableDiff,
    apply_diff,
    diff_documents,
    diff_states,
    digest,
    dump_state,
    load_state,
)
from envfactory.environment.world import Person, World

__all__ = [
    "CODES",
    "DEFAULT_NOW",
    "PAGE_SIZE",
    "RUNTIME_VERSION",
    "SEPARATOR",
    "Actor",
    "After",
    "Argument",
    "AtMost",
    "Backend",
    "Balance",
    "DeclarationError",
    "Differing",
    "Differs",
    "Ends",
    "Environment",
    "EnvironmentFailure",
    "FieldOf",
    "FreeText",
    "FromNow",
    "Graded",
    "Having",
    "InProcess",
    "Instance",
    "Money",
    "NamedIn",
    "New",
    "Output",
    "Owned",
    "Page",
    "PageNumber",
    "Parameter",
    "Person",
    "Ranked",
    "ReadOnlyError",
    "Record",
    "Ref",
    "Reference",
    "Relation",
    "Result",
    "Secret",
    "Session",
    "Shape",
    "Sharing",
    "Snapshot",
    "Some",
    "Spec",
    "Start",
    "StateDiff",
    "Table",
    "TableDiff",
    "TableSpec",
    "Together",
    "ToolError",
    "ToolSpec",
    "Unit",
    "Value",
    "Volatile",
    "Within",
    "World",
    "apply_diff",
    "build_scenario",
    "by_id",
    "cents",
    "check_span",
    "describe",
    "diff_documents",
    "diff_states",
    "digest",
    "dump_state",
    "load_state",
    "owned",
    "standing",
    "tool",
    "tool_of",
]
