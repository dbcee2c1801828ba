"""Where things lie: the config groups, and the environments of the catalogue.

Nothing here imports an environment: names come from listing files, so that a configuration can be refused quickly.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import cast

from omegaconf import OmegaConf

import envfactory

__all__ = ["catalogue_names", "conf_dir"]

PACKAGE = Path(envfactory.__file__).resolve().parent


def conf_dir() -> Path:
    """Return the folder of config groups: inside an installed package, beside the package in a checkout.

    Raises:
        FileNotFoundError: neither exists; the installation is broken.
    """
    for folder in (PACKAGE / "conf", PACKAGE.parent / "conf"):
        if (folder / "config.yaml").is_file():
            return folder
    raise FileNotFoundError(
        f"no conf/config.yaml in {PACKAGE} or beside it; "
        "install again: python -m pip install --force-reinstall envfactory"
    )


@cache
def catalogue_names(catalogue: Path | None = None) -> dict[str, tuple[str, ...]]:
    """List the environments of every domain, without importing any; the files are read once.

    Args:
        catalogue: the folder that holds one folder a domain; None means the package's own.

    Returns:
        Domain to the names of its environments, the modules of its folder that do not start with ``_``: both in the
        order of the catalogue's `order.yaml`, then what it does not name, sorted.
    """
    root = PACKAGE / "catalogue" if catalogue is None else catalogue
    if not root.is_dir():
        return {}
    found = {
        folder.name: sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))
        for folder in sorted(root.iterdir())
        if folder.is_dir() and not folder.name.startswith(("_", "."))
    }
    order = _order(root / "order.yaml")
    return {domain: tuple(_ordered(found[domain], order.get(domain, []))) for domain in _ordered(found, order)}


def _order(path: Path) -> dict[str, list[str]]:
    if not path.is_file():
        return {}
    return cast("dict[str, list[str]]", OmegaConf.to_container(OmegaConf.load(path)))


def _ordered(names: Iterable[str], order: Iterable[str]) -> list[str]:
    places = {name: place for place, name in enumerate(order)}
    return sorted(names, key=lambda name: places.get(name, len(places)))
