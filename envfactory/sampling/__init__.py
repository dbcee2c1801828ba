"""Chains: sampled from the tool graph, checked, compared."""

from envfactory.sampling.chain import Chain, Link
from envfactory.sampling.sampler import ChainSettings, NoChainError, Sampler, SampleResult

__all__ = ["Chain", "ChainSettings", "Link", "NoChainError", "SampleResult", "Sampler"]
