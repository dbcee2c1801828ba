"""Mutants of a module's functions: one small change each, compiled, to be put in the place of the function's code.

What is changed: comparisons, arithmetic, `and` and `or`, signs, numbers, flags, refusal codes, conditions (always,
never), calls made for their effect, arguments by name, members of literal tuples, min/max, any/all. Texts are not.
A mutant's name says where and what, and stays the same while other code changes.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from envfactory.environment import CODES

OPERATORS = 1
"""Version of what is changed; raise it with every change to this file that makes other mutants."""

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
_PAIRS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_EFFECTS = {"evolve"}
_CODES = sorted(CODES)
Path = tuple[tuple[str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function's code with one change.

    Attributes:
        name: `Class.function: before -> after`, with a number where the same change occurs again.
        function: qualified name of the function in its module.
        code: its changed code.
    """

    name: str
    function: str
    code: CodeType


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, tuple[str, ...]]]:
    """Functions and methods of a module: qualified name, definition, names of the classes around it."""

    def inside(body: list[ast.stmt], classes: tuple[str, ...]) -> Iterator[Any]:
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name != "scenario":
                yield ".".join((*classes, node.name)), node, classes
            elif isinstance(node, ast.ClassDef):
                yield from inside(node.body, (*classes, node.name))

    yield from inside(tree.body, ())


def bare(function: ast.FunctionDef) -> ast.FunctionDef:
    """A copy without decorators, annotations and docstring: what it does, not what it says."""
    found = copy.deepcopy(function)
    found.decorator_list, found.returns = [], None
    for argument in (*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs):
        argument.annotation = None
    first = found.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(found.body) > 1:
        found.body = found.body[1:]
    return found


def mutants(source: str, filename: str) -> Iterator[Mutant]:
    """Every mutant of every function in a source, in its order."""
    for name, function, classes in functions(ast.parse(source)):
        plain = bare(function)
        seen: Counter[str] = Counter()
        for path, after in _changes(plain):
            changed = copy.deepcopy(plain)
            before = _put(changed, path, after)
            what = f"{name}: {_short(before)} -> {_short(after)}"
            seen[what] += 1
            label = what if seen[what] == 1 else f"{what} (#{seen[what]})"
            yield Mutant(label, name, _compiled(changed, classes, filename))


def _compiled(function: ast.FunctionDef, classes: tuple[str, ...], filename: str) -> CodeType:
    body: list[ast.stmt] = [function]
    for name in reversed(classes):
        body = [ast.ClassDef(name=name, bases=[], keywords=[], body=body, decorator_list=[])]
    module = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
    code = compile(module, filename, "exec", dont_inherit=True)
    for name in (*classes, function.name):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    return code


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 90 else f"{text[:60]}...{text[-27:]}"


def _put(root: ast.AST, path: Path, after: ast.AST) -> ast.AST:
    """Replace the node at a path, and return what stood there."""
    *way, (field, index) = path
    node: Any = root
    for name, position in way:
        node = getattr(node, name) if position is None else getattr(node, name)[position]
    if index is None:
        before = getattr(node, field)
        setattr(node, field, copy.deepcopy(after))
    else:
        before = getattr(node, field)[index]
        getattr(node, field)[index] = copy.deepcopy(after)
    return before


def _changes(node: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.AST]]:
    """Paths into a function and what to put there."""
    for name, value in ast.iter_fields(node):
        children = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if not isinstance(child, ast.AST) or _is_text(node, name, index):
                continue
            here = (*path, (name, index))
            yield from ((here, after) for after in _instead(child))
            if name in ("test", "ifs"):
                always = (False,) if isinstance(node, ast.While) else (True, False)
                yield from ((here, ast.Constant(value)) for value in always)
            yield from _changes(child, here)


def _is_text(parent: ast.AST, field: str, index: int | None) -> bool:
    """Whether a child is only said or written for readers: messages, formatted texts, annotations."""
    if isinstance(parent, ast.JoinedStr) or (field in ("annotation", "args") and isinstance(parent, ast.FunctionDef)):
        return True
    named = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
    return named == "ToolError" and field == "args" and index == 1


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    match node:
        case ast.Compare():
            for position, operator in enumerate(node.ops):
                changed = copy.deepcopy(node)
                other: Any = _SWAPPED[type(operator)]
                changed.ops[position] = other()
                yield changed
        case ast.BinOp() | ast.BoolOp() | ast.AugAssign() if type(node.op) in _SWAPPED:
            changed = copy.deepcopy(node)
            changed.op = _SWAPPED[type(node.op)]()  # pyright: ignore[reportAttributeAccessIssue]
            yield changed
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
        case ast.Constant(value=str()) if node.value in CODES:
            yield ast.Constant(_CODES[(_CODES.index(node.value) + 1) % len(_CODES)])
        case ast.Tuple() if len(node.elts) > 1 and all(isinstance(e, ast.Constant) for e in node.elts):
            for position in range(len(node.elts)):
                yield ast.Tuple([e for n, e in enumerate(node.elts) if n != position], ast.Load())
        case ast.Name(id=name) if name in _PAIRS:
            yield ast.Name(_PAIRS[name], ast.Load())
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in _EFFECTS or (
            isinstance(owner, ast.Name) and owner.id == "self"
        ):
            for position in range(len(node.keywords)):
                changed = copy.deepcopy(node)
                del changed.keywords[position]
                yield changed
        case _:
            pass
