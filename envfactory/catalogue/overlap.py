"""Which tools are nearly the same tool: between environments, where that adds little, and within one.

Two tools are compared by text and by behaviour, each from 0 to 1; their *likeness* is the geometric mean, so that both
must be alike. *Text* is the cosine of their descriptions and inputs. *Behaviour* asks what their code does once all
names and texts are taken out of it: the share of runs of syntax that both have, and the share of inputs and outputs of
the same form; it is 0 if they do not change tables in the same way. A look-up by id that is one call of a shared helper
has no behaviour of its own (`TRIVIAL`) and is not compared.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from envfactory.embedding import Embedder
from envfactory.environment import Environment, ToolSpec
from envfactory.environment.describe import describe
from envfactory.environment.spec import SEPARATOR

SAME = 0.6
"""Likeness at which a tool counts as another one's copy.

A copy under other nouns has the behaviour of the original and 0.4 or more of its text, so a likeness over 0.6;
different tools of two environments stay below it, at 0.59 at most. Tests show both."""

NEAR = 0.5
"""Likeness from which a pair is told."""

RUN = 8
"""Pieces of syntax in a row that are compared: a comparison or a call with its arguments."""

TRIVIAL = 20
"""Pieces of syntax; shorter tools do nothing but call what environments share."""

CHANGES = frozenset({"insert", "replace", "delete"})
"""How tables are changed."""

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tools, by wire name, and how alike they are.

    Attributes:
        text: cosine of what they say of themselves and of what they are told.
        code: share of the runs of syntax that both have.
        form: share of the inputs and outputs whose type, format and place both have.
    """

    first: str
    second: str
    text: float
    code: float
    form: float

    @property
    def behaviour(self) -> float:
        """Likeness of code and of inputs and outputs."""
        return math.sqrt(self.code * self.form)

    @property
    def likeness(self) -> float:
        """Likeness of text and behaviour."""
        return math.sqrt(self.text * self.behaviour)

    @property
    def across(self) -> bool:
        """Whether the tools are of two environments."""
        return self.first.partition(SEPARATOR)[0] != self.second.partition(SEPARATOR)[0]


@dataclass(frozen=True, slots=True)
class _Body:
    """What a tool does: runs of syntax, how it changes tables, the forms of its inputs and outputs."""

    runs: Counter[Tokens]
    changes: frozenset[str]
    forms: Counter[Tokens]
    trivial: bool


def pairs(environments: Mapping[str, type[Environment]], embedder: Embedder, least: float = NEAR) -> list[Pair]:
    """The pairs of tools whose likeness is `least` or more, the likest first.

    Args:
        environments: by name, as `catalogue.load` gives them.
        embedder: of the texts; its cosines decide what `least` means.
        least: likeness from which a pair is given.
    """
    tools = [
        (tool, body(environment, tool))
        for environment in environments.values()
        for tool in describe(environment).agent_tools
    ]
    told = [(tool, found) for tool, found in tools if not found.trivial]
    rows = embedder.embed([text(tool) for tool, _ in told])
    cosines = rows @ rows.T
    found: list[Pair] = []
    for (one, (tool, mine)), (two, (other, theirs)) in itertools.combinations(enumerate(told), 2):
        cosine = round(float(cosines[one, two]), 4)
        # What likeness there can be at most: most pairs need no comparison.
        if mine.changes != theirs.changes or cosine < least**2:
            continue
        form = _share(mine.forms, theirs.forms)
        if cosine**2 * form < least**4:
            continue
        names = sorted((tool.wire_name, other.wire_name))
        pair = Pair(names[0], names[1], cosine, _share(mine.runs, theirs.runs), form)
        if pair.likeness >= least:
            found.append(pair)
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))


def text(tool: ToolSpec) -> str:
    """What a tool says of itself and of what it is told.

    What it gives back is left out: tools that return one record would all be alike.
    """
    inputs = (f"{leaf.path} ({leaf.type}): {leaf.description}" for leaf in tool.inputs if leaf.name != "page")
    return "\n".join((f"{tool.name.replace('_', ' ')}: {tool.description}", *inputs))


def body(environment: type[Environment], tool: ToolSpec) -> _Body:
    """Take a tool apart."""
    function = _parsed(environment, tool.name)
    tokens = tuple(itertools.chain.from_iterable(map(_tokens, _statements(function))))
    runs: Counter[Tokens] = Counter(tokens[at : at + RUN] for at in range(max(1, len(tokens) - RUN + 1)))
    forms: Counter[Tokens] = Counter(
        (side, leaf.type, leaf.format, "id" if leaf.ref else "", "[]" if "[]" in leaf.path else "")
        for side, leaves in (("in", tool.inputs), ("out", tool.outputs))
        for leaf in leaves
    )
    return _Body(runs, frozenset(_changes(environment, tool.name, set())), forms, len(tokens) < TRIVIAL)


def _parsed(environment: type[Environment], name: str) -> ast.FunctionDef:
    source = textwrap.dedent(inspect.getsource(inspect.getattr_static(environment, name)))
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef), f"{name} of {environment.__name__} is a plain method"
    return function


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function, without its docstring."""
    first = function.body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if told else function.body


def _tokens(node: ast.AST) -> Iterator[str]:
    """The kinds of syntax in a statement, in order; names and texts leave no trace."""
    if isinstance(node, ast.expr_context):
        return
    if isinstance(node, ast.Constant | ast.JoinedStr):
        yield "text" if isinstance(node, ast.JoinedStr) else type(node.value).__name__
        return
    yield type(node).__name__
    for child in ast.iter_child_nodes(node):
        yield from _tokens(child)
    yield "."


def _changes(environment: type[Environment], name: str, seen: set[str]) -> Iterator[str]:
    """How a method, and the methods of its environment that it calls, change tables."""
    seen.add(name)
    for node in ast.walk(_parsed(environment, name)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        called, owner = node.func.attr, node.func.value
        if called in CHANGES and isinstance(owner, ast.Attribute) and owner.attr in environment.tables:
            yield called
        elif isinstance(owner, ast.Name) and owner.id == "self" and called not in seen and _own(environment, called):
            yield from _changes(environment, called, seen)


def _own(environment: type[Environment], name: str) -> bool:
    """Whether a method is the environment's or a service's below it, not of the base of all."""
    return inspect.isfunction(getattr(environment, name, None)) and not hasattr(Environment, name)


def _share(mine: Counter[Any], theirs: Counter[Any]) -> float:
    """What both have, of all that they have."""
    both = sum(min(count, theirs[key]) for key, count in mine.items() if key in theirs)
    either = mine.total() + theirs.total() - both
    return round(both / either, 4) if either else 1.0
