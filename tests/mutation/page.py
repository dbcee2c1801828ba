"""The page of the catalogue, `docs/catalogue.md`: what there is, from the environments' specs and the recorded scores.

python -m tests.mutation.page     write it anew
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson

from envfactory.catalogue import backend, domains, environment_names, load
from envfactory.catalogue.overlap import NEAR, SAME, pairs
from envfactory.embedding import Lexical
from envfactory.environment import DEFAULT_NOW, Spec, Start
from envfactory.files import write_bytes_atomic
from tests.catalogue import overall
from tests.catalogue.overall import Drawn
from tests.mutation.scores import Score, recorded

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"
SIZE = 50
"""Size of the scenario whose records are counted."""

HEAD = """# The catalogue

Written by `make docs` from the environments themselves; a test keeps it true. *Records*: in a scenario of size {size}.
*Mutants noticed*: how many small changes to the code of tools and helpers make some test of the environment fail
(`python -m tests.mutation.runner` finds it, `tests/mutation/scores.json` keeps it with the survivors).

{environments} environments in {domains} domains, {tools} tools, {writing} of them writing ({share:.0%}).

| domain | environment | tools | reading | writing | records | mutants noticed |
|---|---|---|---|---|---|---|
"""


def page() -> str:
    """The whole page, Markdown."""
    environments = backend(environment_names())
    specs, scores = environments.specs, recorded()
    rows: list[str] = []
    for domain in domains():
        for name in environment_names(domain):
            spec, score = specs[name], scores[name]
            instance = environments.open(name, Start(seed=0, size=SIZE, now=DEFAULT_NOW))
            state = orjson.loads(instance.dump())
            instance.close()
            records = sum(len(state[table.name]) for table in spec.tables)
            writing = _writing(spec)
            rows.append(
                f"| {domain} | [{name}](#{name}) | {len(spec.tools)} | {len(spec.tools) - writing} | {writing} "
                f"| {records} | {_share(score)} |\n"
            )
    tools, writing = sum(len(s.tools) for s in specs.values()), sum(map(_writing, specs.values()))
    head = HEAD.format(
        size=SIZE, environments=len(specs), domains=len(domains()), tools=tools, writing=writing, share=writing / tools
    )
    sections = ["\n".join(_section(specs[name])) for domain in domains() for name in environment_names(domain)]
    together = [*_overall(), *_overlap()]
    return "\n".join([head + "".join(rows), *together, *sections]).rstrip() + "\n"


OVERALL = """## All together

Found by `python -m tests.catalogue.overall`; a heavy test finds it again.

- *Graph*: {tools} tools, {edges} edges, {within} within an environment and {across} from one to another; {proved:.1%}
  of them are proved by execution. Tools without an edge: {isolated}.
{samplers}
"""

SAMPLER = """- *Chains by `{name}`*: {valid:,} of {chains:,} pass the independent check; tools in none: {unused}.
  Of {tried} that were tried {grounded:.1%} could be grounded, and {kept:.0%} of all their calls stand in golds;
  tools in no gold: {ungold}."""


def _overall() -> Iterator[str]:
    found = overall.recorded()
    yield OVERALL.format(
        tools=found.tools, edges=found.edges, within=found.edges_within, across=found.edges_across,
        proved=found.proved / found.edges, isolated=_names(found.isolated_tools),
        samplers="\n".join(_sampler(name, drawn) for name, drawn in found.drawn.items()),
    )  # fmt: skip


def _sampler(name: str, drawn: Drawn) -> str:
    return SAMPLER.format(
        name=name, valid=drawn.valid, chains=drawn.chains, unused=_names(drawn.unused), tried=drawn.tried,
        grounded=drawn.grounded / drawn.tried, kept=drawn.kept / drawn.calls, ungold=_names(drawn.ungold),
    )  # fmt: skip


def _names(tools: Iterable[str]) -> str:
    return ", ".join(f"`{tool}`" for tool in tools) or "none"


OVERLAP = """## Tools that are alike

Two tools are compared by text (cosine of their descriptions and inputs) and by behaviour (syntax without names and
texts, form of inputs and outputs, how tables are changed); *likeness* is the geometric mean of the two. From {same} on
a tool would count as a copy of another environment's, as it would be under other nouns; a test allows none. All pairs
from {near} on, look-ups by id aside:

| likeness | tool | tool | text | code | inputs and outputs |
|---|---|---|---|---|---|"""


def _overlap() -> Iterator[str]:
    yield OVERLAP.format(same=SAME, near=NEAR)
    for pair in pairs(load(environment_names()), Lexical()):
        yield (
            f"| {pair.likeness:.2f} | `{pair.first}` | `{pair.second}` | {pair.text:.2f} | {pair.code:.2f} "
            f"| {pair.form:.2f} |"
        )
    yield ""


def _section(spec: Spec) -> Iterator[str]:
    yield f"## {spec.name}\n"
    yield f"{spec.description}\n"
    yield f"*Policy.* {spec.policy}\n"
    yield f"*Modelled on* {'; '.join(spec.sources)}.\n"
    for tool in spec.tools:
        marks = [mark for mark, holds in (("writes", tool.writes), ("by the user", tool.by == "user")) if holds]
        said = f" ({', '.join(marks)})" if marks else ""
        yield f"- `{tool.name}`{said}: {' '.join(tool.description.split())}"
    yield ""


def _writing(spec: Spec) -> int:
    return sum(tool.writes for tool in spec.tools)


def _share(score: Score) -> str:
    return f"{score.killed} of {score.counted} ({score.share:.1%})"


if __name__ == "__main__":
    write_bytes_atomic(PAGE, page().encode())
    print(PAGE)
