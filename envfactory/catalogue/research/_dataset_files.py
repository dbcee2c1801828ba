"""The files of one dataset as they stand: those that are out, and those that come with its next version."""

import datetime as dt
from collections.abc import Iterable

from envfactory.catalogue.research._dataset_records import DataFile, Dataset, Format
from envfactory.environment import ToolError

MOST_FILES = 10
"""How many files a dataset takes."""


class Files:
    """What a dataset consists of; it changes nothing."""

    def __init__(self, dataset: Dataset, files: Iterable[DataFile]) -> None:
        mine = (file for file in files if file.dataset_id == dataset.id)
        self.dataset = dataset
        self.all = sorted(mine, key=lambda file: (file.name, file.id))
        """All of them, by name."""

    @property
    def published(self) -> list[DataFile]:
        """Those that came out with some version."""
        return [file for file in self.all if file.published]

    @property
    def new(self) -> list[DataFile]:
        """Those that come with the next version."""
        return [file for file in self.all if not file.published]

    @property
    def seen(self) -> list[DataFile]:
        """Those that the signed-in person can see."""
        return self.all if self.dataset.mine else self.published

    def can_be_had(self, form: Format | None, today: dt.date) -> list[DataFile]:
        """The published files, in one format if so asked, that the signed-in person can download now.

        Raises:
            ToolError: there are none in the format, or all of them are under embargo.
        """
        found = [file for file in self.published if form in (None, file.file_format)]
        if not found:
            raise ToolError("not_found", f"{self.dataset.name} has no published files in {form}.")
        mine = self.dataset.mine
        out = [file for file in found if mine or file.embargo_until is None or file.embargo_until <= today]
        if not out:
            day = min(file.embargo_until for file in found if file.embargo_until)
            raise ToolError("precondition_failed", f"The files of {self.dataset.name} are under embargo until {day}.")
        return out

    def giving_way(self, name: str) -> DataFile | None:
        """The file that is not yet published and gives way to one of its name that is uploaded, if there is one.

        Raises:
            ToolError: a published file has the name, or the dataset takes no more files.
        """
        title = self.dataset.name
        if any(file.name == name for file in self.published):
            raise ToolError("conflict", f"{title} has a published file called {name}; give it another name.")
        former = next((file for file in self.new if file.name == name), None)
        if former is None and len(self.all) >= MOST_FILES:
            raise ToolError("limit_exceeded", f"{title} has {MOST_FILES} files, which is as many as it takes.")
        return former

    def to_publish(self) -> list[DataFile]:
        """What comes with the next version, refused if that is nothing."""
        if not self.new:
            raise ToolError("precondition_failed", f"{self.dataset.name} has no files that are yet to be published.")
        return self.new
