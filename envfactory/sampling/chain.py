"""`Chain`: tools in the order in which they are called, and which output each linked input takes its value from.

A chain is a plan without values: grounding finds the values. Indexes count the chain's tools from 0, since a tool may
occur twice; paths are spec paths (`items[].product_id` takes from `products[].id`).
"""

from __future__ import annotations

from dataclasses import dataclass

from envfactory.environment.spec import SEPARATOR


@dataclass(frozen=True, slots=True)
class Link:
    """The input leaf `input` of `consumer` takes its value from the output leaf `output` of the earlier `producer`."""

    consumer: int
    input: str
    producer: int
    output: str


@dataclass(frozen=True, slots=True)
class Chain:
    """Tools by wire name, and links sorted by consumer and input, at most one for an input.

    Every required internal input has a link; others may have one.
    """

    tools: tuple[str, ...]
    links: tuple[Link, ...] = ()

    @property
    def environments(self) -> tuple[str, ...]:
        """The environments that the chain calls, in order of first use."""
        return tuple(dict.fromkeys(tool.partition(SEPARATOR)[0] for tool in self.tools))

    def links_into(self, consumer: int) -> tuple[Link, ...]:
        """The links of one tool of the chain."""
        return tuple(link for link in self.links if link.consumer == consumer)
