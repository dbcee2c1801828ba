"""From plain data to a validated `Config`, and from a `Config` to a file that people may read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, cast

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import InterpolationResolutionError
from pydantic import ValidationError

from envfactory.config.describe import INT64, expected, field_at, keys_of, kinds_of, leaves, model_at, siblings
from envfactory.config.group import RULE, Group
from envfactory.config.places import conf_dir
from envfactory.config.problems import ConfigError, Problem, nearest, shown
from envfactory.config.schema import Config
from envfactory.config.training import POSITIONS
from envfactory.llm.prices import row_for

__all__ = ["masked_yaml", "parse_config"]

MISSING = "???"
SECRET_ENDINGS = ("key", "token", "secret", "password")
MASK = "********"


def parse_config(composed: DictConfig) -> Config:
    """Validate a composed configuration.

    Args:
        composed: what Hydra composed, with or without the ``hydra`` node.

    Returns:
        The typed configuration.

    Raises:
        ConfigError: with every problem.
    """
    problems, config = _validate(composed)
    if config is None:
        raise ConfigError(problems)
    return config


def masked_yaml(config: Config) -> str:
    """Return the configuration as YAML; what stands under a key ending in key, token, secret or password is masked."""
    return OmegaConf.to_yaml(OmegaConf.create(_masked(config.model_dump(mode="json"))))


def _masked(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _masked(inner, key) for key, inner in keys_of(value).items()}
    if value is not None and name.lower().endswith(SECRET_ENDINGS):
        return MASK
    return value


def _validate(composed: DictConfig) -> tuple[list[Problem], Config | None]:
    raw, problems = _plain(composed)
    known = {problem.key for problem in problems}
    try:
        config = Config.model_validate(_tuples(raw))
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            if detail["type"] == RULE:
                continue
            problem = _translate(detail, raw)
            if problem.key not in known:
                known.add(problem.key)
                problems.append(problem)
        config = None
    for found in (_rules(raw), _across_groups(raw)):
        problems += [problem for problem in found if problem.key not in known]
    return problems, (None if problems else config)


def _rules(raw: dict[str, Any]) -> Iterator[Problem]:
    """Find what breaks a rule of its group, also where Pydantic stopped at a value that is wrong by itself."""
    for name in ("", *raw):
        model = model_at(Config, (name,), raw) if name else Config
        if model is None or not issubclass(model, Group):
            continue
        group = keys_of(_tuples(raw[name] if name else raw))
        try:
            for problem in model.model_construct(**group).rules():
                yield dataclasses.replace(problem, key=f"{name}.{problem.key}" if name else problem.key)
        except (AttributeError, TypeError, IndexError):
            # A value that a rule needs is missing or of another type, which is a problem by itself.
            continue


def _across_groups(raw: dict[str, Any]) -> Iterator[Problem]:
    """Find what no group can see for itself; looked for even where a group is wrong, so that all comes at once."""
    check = raw.get("check")
    if "check" in (raw.get("stages") or ()) and isinstance(check, dict) and keys_of(check).get("path") is None:
        yield Problem("check.path", "null", "expected the path of a file, since stage check runs")
    backbone, vllm = raw.get("backbone"), raw.get("vllm")
    if isinstance(backbone, dict) and isinstance(vllm, dict):
        template, context = keys_of(backbone).get("template"), keys_of(vllm).get("context")
        most = POSITIONS.get(template) if isinstance(template, str) else None
        if most is not None and isinstance(context, int) and context > most:
            yield Problem("vllm.context", shown(context), f"expected at most {most}, what {template} can read, or null")
    generator = keys_of(raw.get("generator"))
    endpoint, money = keys_of(generator.get("endpoint")), keys_of(generator.get("budget")).get("money")
    model, prices = endpoint.get("model"), keys_of(endpoint.get("prices"))
    if money is not None and isinstance(model, str) and model != MISSING and row_for(model, prices) is None:
        wanted = f"nothing is known of what {model} costs; add a row to generator.endpoint.prices, or set null"
        yield Problem("generator.budget.money", shown(money), wanted)


def _plain(composed: DictConfig) -> tuple[dict[str, Any], list[Problem]]:
    """Resolve interpolations and find values still missing; what does not resolve is reported once and left missing."""
    node = OmegaConf.masked_copy(composed, [str(key) for key in composed if key != "hydra"])
    OmegaConf.set_struct(node, False)
    problems: list[Problem] = []
    while True:
        try:
            raw: Any = OmegaConf.to_container(node, resolve=True)
            break
        except InterpolationResolutionError as error:
            key = str(error.full_key)
            if any(problem.key == key for problem in problems):
                raise
            given: Any = OmegaConf.to_container(node, resolve=False)
            for part in key.split("."):
                given = keys_of(given).get(part)
            problems.append(Problem(key, shown(given), "does not resolve: " + str(error).splitlines()[0]))
            if given is None:  # a name with a dot in it, such as a model's: the key cannot be followed
                return _named(OmegaConf.to_container(node, resolve=False), "", problems), problems
            OmegaConf.update(node, key, MISSING)
    raw = _named(raw, "", problems)
    broken = {problem.key for problem in problems}
    for key in sorted(OmegaConf.missing_keys(node) - broken):
        field = field_at(Config, tuple(key.split(".")), raw)
        wanted = expected(field) if field is not None else "a value"
        problems.append(Problem(key, MISSING, f"a value is missing; expected {wanted}"))
    return raw, problems


def _named(value: Any, path: str, problems: list[Problem]) -> Any:
    """The same with text for every name; a number or a flag as a name is a problem."""
    if isinstance(value, list):
        return [_named(inner, path, problems) for inner in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for name, inner in cast("dict[Any, Any]", value).items():
        if not isinstance(name, str):
            problems.append(Problem(path, shown(name), f"expected text for a name; quote it: '{name}'"))
        found[str(name)] = _named(inner, f"{path}.{name}" if path else str(name), problems)
    return found


def _tuples(value: Any) -> Any:
    # The models are strict and immutable: lists become tuples before they are validated.
    if isinstance(value, dict):
        return {key: _tuples(inner) for key, inner in keys_of(value).items()}
    if isinstance(value, list):
        return tuple(map(_tuples, cast("list[Any]", value)))
    return value


def _translate(detail: Any, raw: dict[str, Any]) -> Problem:
    """Turn one of Pydantic's errors into a problem that names the key as a person wrote it."""
    kind: str = detail["type"]
    context: dict[str, Any] = detail.get("ctx") or {}
    path, value = _locate(detail["loc"], raw, missing=kind == "missing")
    key = ".".join(path)
    if kind == "extra_forbidden":
        valid = list(siblings(Config, path, raw))
        prefix = ".".join(path[:-1])
        elsewhere = [name for name, _, _ in leaves(Config) if name.rpartition(".")[2] == path[-1]]
        if key in elsewhere:
            hint = ": ".join(filter(None, (f"it belongs to another choice of {prefix}", ", ".join(_choices_with(key)))))
        else:
            # Experiments are chosen at the root although the root has no such key.
            known = valid if prefix else [*valid, "+experiment"]
            hint = f"did you mean {elsewhere[0]}?" if elsewhere else nearest(path[-1], known)
        return Problem(key, shown(value), f"unknown key; {prefix or 'the root'} has {', '.join(valid)}", hint)
    if kind.startswith("union_tag"):
        tags = context.get("expected_tags", "").replace("'", "")
        return Problem(f"{key}.kind", shown(context.get("tag", "")), f"expected one of {tags}")
    field = field_at(Config, path, raw)
    if kind == "value_error":
        # What a model finds wrong with its members together; it says itself what may be repeated.
        return Problem(key, None, detail["msg"].removeprefix("Value error, "))
    wanted = f"expected {expected(field)}" if field is not None else detail["msg"]
    if field is None and kind == "model_type":
        wanted = "expected a group of keys"
    if kind == "less_than" and detail["ctx"]["lt"] == INT64:
        wanted += ", below 2**63"
    if kind == "missing" and not isinstance(value, tuple | list):
        return Problem(key, None, f"a value is missing; {wanted}")
    wrong = detail["input"]
    choices = context.get("expected", "").replace("'", "").replace(" or ", ", ").split(", ")
    hint = nearest(wrong, choices) if kind == "literal_error" and isinstance(wrong, str) else ""
    # Of a list, the item that is wrong; of anything else, what stands at the key.
    return Problem(key, shown(value if isinstance(wrong, tuple) else wrong), wanted, hint)


def _choices_with(key: str) -> Iterator[str]:
    """The choices of a group that have a key which others lack, as one writes them: ``backbone=qwen3_4b``."""
    group = key.partition(".")[0]
    kinds = {kind for name, _, model in leaves(Config) if name == key for kind in kinds_of(model)}
    for path in sorted((conf_dir() / group).glob("*.yaml")):
        if keys_of(OmegaConf.to_container(OmegaConf.load(path))).get("kind") in kinds:
            yield f"{group}={path.stem}"


def _locate(location: tuple[str | int, ...], raw: Any, *, missing: bool) -> tuple[tuple[str, ...], Any]:
    """Keep of Pydantic's location what are keys: it also names members of unions and indices."""
    path: list[str] = []
    here = raw
    for step, part in enumerate(location):
        if part in (keys := keys_of(here)):
            here = keys[str(part)]
            path.append(str(part))
        elif missing and step == len(location) - 1 and isinstance(part, str):
            path.append(str(part))
            here = None
    return tuple(path), here
