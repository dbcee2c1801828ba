"""The pipeline: stages with content-addressed artifacts, run folders of cells, sweeps.

Importing it imports no stage: these are loaded by name when they are needed.
"""

from envfactory.pipeline.ledger import Ledger
from envfactory.pipeline.runner import Outcome, Runner
from envfactory.pipeline.shards import join, make_shards
from envfactory.pipeline.stage import ON_DEMAND, Progress, Stage, StageContext, StageError, load_stage, stage_key
from envfactory.pipeline.store import Artifact, Manifest, Store

__all__ = [
    "ON_DEMAND",
    "Artifact",
    "Ledger",
    "Manifest",
    "Outcome",
    "Progress",
    "Runner",
    "Stage",
    "StageContext",
    "StageError",
    "Store",
    "join",
    "load_stage",
    "make_shards",
    "stage_key",
]
