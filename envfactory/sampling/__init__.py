"""Chains: sampled from the tool graph, checked, compared."""

from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.coverage import Coverage
from envfactory.sampling.diversity import diversity, side_by_side
from envfactory.sampling.random_walk import RandomWalk, WalkSettings
from envfactory.sampling.sampler import ChainSettings, NoChainError, Sampler, SampleResult
from envfactory.sampling.topology import Topology, TopologyParameters, TopologySettings
from envfactory.sampling.validity import problems

__all__ = [
    "Chain",
    "ChainSettings",
    "Coverage",
    "Link",
    "NoChainError",
    "RandomWalk",
    "SampleResult",
    "Sampler",
    "Topology",
    "TopologyParameters",
    "TopologySettings",
    "WalkSettings",
    "diversity",
    "problems",
    "side_by_side",
]
