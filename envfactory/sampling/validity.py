"""An independent check of chains: it knows the graph and what a chain promises, and nothing of any sampler."""

from __future__ import annotations

from envfactory.sampling.chain import Chain
from envfactory.sampling.sampler import ChainSettings
from envfactory.toolgraph import ToolGraph


def problems(chain: Chain, graph: ToolGraph, settings: ChainSettings | None = None) -> list[str]:
    """Say all that is wrong with a chain; nothing means that it is valid.

    Valid: every tool is in the graph, every link is one of its edges and leads forward, and every input is optional,
    external, or linked to an output of an earlier call (arXiv 2605.18703, section 3.2).

    Args:
        chain: to be checked.
        graph: that it was drawn from.
        settings: bounds on tools and environments, if they are to be checked as well.
    """
    found = [
        f"tool {at}: {tool} is not in the graph" for at, tool in enumerate(chain.tools) if tool not in graph.by_tool
    ]
    if found:
        return found
    fed: set[tuple[int, str]] = set()
    for link in chain.links:
        if not 0 <= link.producer < link.consumer < len(chain.tools):
            found.append(f"{link}: the producer must stand before the consumer, both in the chain")
            continue
        source, sink = chain.tools[link.producer], chain.tools[link.consumer]
        if (source, link.output) not in graph.producers(sink, link.input):
            found.append(f"{link}: {source} {link.output} does not feed {sink} {link.input}")
            continue
        if (link.consumer, link.input) in fed:
            found.append(f"{link}: the input has a link already")
        fed.add((link.consumer, link.input))
    if list(chain.links) != sorted(chain.links, key=lambda link: (link.consumer, link.input)):
        found.append("the links are not sorted by consumer and input")
    for position, tool in enumerate(chain.tools):
        found += [
            f"tool {position}: {tool} needs {leaf.path}, which no earlier tool produces"
            for leaf in graph.by_tool[tool].inputs
            if leaf.required and leaf.kind == "internal" and (position, leaf.path) not in fed
        ]
    return found + (_out_of_bounds(chain, settings) if settings else [])


def _out_of_bounds(chain: Chain, settings: ChainSettings) -> list[str]:
    found: list[str] = []
    if not settings.min_tools <= len(chain.tools) <= settings.max_tools:
        found.append(f"{len(chain.tools)} tools are not between {settings.min_tools} and {settings.max_tools}")
    if len(chain.environments) > settings.max_environments:
        found.append(f"{len(chain.environments)} environments are more than {settings.max_environments}")
    return found
