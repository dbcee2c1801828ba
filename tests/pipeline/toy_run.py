"""One cell of toy stages without Hydra, quick to start: `python toy_run.py config.json`."""

import sys
from pathlib import Path

import toys

from envfactory.config import Config
from envfactory.pipeline import Runner
from envfactory.pipeline.display import Display

config = Config.model_validate_json(Path(sys.argv[1]).read_bytes())
outcome = Runner(
    config, "toy", environments=toys.digests, display=Display("plain"), stages=toys.STAGES.__getitem__
).run()
sys.exit(outcome.exit_code)
