"""The configuration: Hydra groups, a typed schema, and a command line that reports every problem at once."""

from envfactory.config.load import masked_yaml, parse_config
from envfactory.config.places import catalogue_names, conf_dir
from envfactory.config.problems import ConfigError, Problem
from envfactory.config.schema import STAGE_NAMES, Config, StageName

__all__ = [
    "STAGE_NAMES",
    "Config",
    "ConfigError",
    "Problem",
    "StageName",
    "catalogue_names",
    "conf_dir",
    "masked_yaml",
    "parse_config",
]
