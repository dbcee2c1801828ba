"""Who learns from what: the training and validation sets, which have no kind of task in common.

Two trajectories are of one *group* if their gold uses the same tools equally often, in whatever order (their sorted
multiset). A group is never divided, so nothing that is trained on by example is met again in reinforcement learning, or
held out. Groups are taken in the order of a hash with the seed, and each goes to the first set that has room for all of
it; the small sets come first, since they have the fewest chances. Hence no set is ever larger than asked for, and one
stays smaller only by less than the size of every group that is left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from envfactory.files import digest_json, read_json, write_json_atomic

SetName = Literal["sft", "sft_validation", "rl", "rl_validation", "unused"]
SETS: tuple[SetName, ...] = get_args(SetName)
SPLITS_FORMAT = "envfactory.splits/1"


@dataclass(frozen=True)
class Sizes:
    """How many trajectories each set takes at most."""

    sft: int
    sft_validation: int
    rl: int
    rl_validation: int

    @classmethod
    def of(cls, sft: int, rl: int, validation: float) -> Sizes:
        """Sizes by a share that is held out of each set: at least one of any set that has two or more.

        Args:
            sft: trajectories for supervised fine-tuning, those held out included.
            rl: likewise for reinforcement learning.
            validation: share held out, 0 to 0.5.
        """
        held_sft, held_rl = _held_out(sft, validation), _held_out(rl, validation)
        return cls(sft=sft - held_sft, sft_validation=held_sft, rl=rl - held_rl, rl_validation=held_rl)


class Splits(BaseModel):
    """`splits.json`.

    Attributes:
        seed: what the order of the groups was drawn with.
        counts: trajectories of each set.
        groups: groups of each set.
        sets: trajectory to its set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["envfactory.splits/1"] = SPLITS_FORMAT
    seed: int
    counts: dict[SetName, int]
    groups: dict[SetName, int]
    sets: dict[str, SetName]


def group_of(tools: Iterable[str]) -> str:
    """Digest of the sorted multiset of tools."""
    return digest_json(sorted(tools))


def split(groups: Mapping[str, str], sizes: Sizes, seed: int) -> Splits:
    """Assign every trajectory to a set.

    Args:
        groups: trajectory id to its group (`group_of`); the order does not matter.
        sizes: how many each set takes.
        seed: another seed, another order of the groups.
    """
    members: dict[str, list[str]] = {}
    for identifier, group in groups.items():
        members.setdefault(group, []).append(identifier)
    room: dict[SetName, int] = {
        "sft_validation": sizes.sft_validation,
        "rl_validation": sizes.rl_validation,
        "sft": sizes.sft,
        "rl": sizes.rl,
    }
    counts: dict[SetName, int] = dict.fromkeys(SETS, 0)
    taken: dict[SetName, int] = dict.fromkeys(SETS, 0)
    sets: dict[str, SetName] = {}
    for group in sorted(members, key=lambda group: (digest_json([group, seed]), group)):
        size = len(members[group])
        chosen = _first_with(room, size)
        if chosen in room:
            room[chosen] -= size
        counts[chosen] += size
        taken[chosen] += 1
        sets.update(dict.fromkeys(members[group], chosen))
    return Splits(seed=seed, counts=counts, groups=taken, sets=dict(sorted(sets.items())))


def write_splits(path: Path, splits: Splits) -> None:
    """Write `splits.json`."""
    write_json_atomic(path, splits.model_dump())


def read_splits(path: Path) -> Splits:
    """Read `splits.json`.

    Raises:
        ValueError: it is not such a file (a `pydantic.ValidationError` says where).
    """
    return Splits.model_validate(read_json(path))


def _first_with(room: Mapping[SetName, int], size: int) -> SetName:
    for name, left in room.items():
        if left >= size:
            return name
    return "unused"


def _held_out(size: int, share: float) -> int:
    return max(1, round(size * share)) if share > 0 and size > 1 else 0
