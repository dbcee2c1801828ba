"""Makes EnvFactory's config groups visible to everyone who composes with Hydra while the package is installed."""

from __future__ import annotations

from hydra.core.config_search_path import ConfigSearchPath
from hydra.plugins.search_path_plugin import SearchPathPlugin

from envfactory.config.places import conf_dir


class EnvFactorySearchPath(SearchPathPlugin):
    """Appends the folder of config groups, last, so that a project's own files win."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """Append the folder, unless it is the primary one already."""
        folder = conf_dir()
        if all(element.path not in (str(folder), f"file://{folder}") for element in search_path.get_path()):
            search_path.append(provider="envfactory", path=f"file://{folder}")
