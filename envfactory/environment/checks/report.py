"""`Report`: what a check found, property by property, in plain sentences."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Outcome(_Plain):
    """How one property fared.

    Attributes:
        name: the property, as given to `check(..., only=[...])`.
        meaning: what it demands, in one line.
        findings: what breaks it, a sentence each that names the tool and the argument; empty if nothing does.
    """

    name: str
    meaning: str
    findings: tuple[str, ...] = ()


class Report(_Plain):
    """What a check of one environment found.

    Attributes:
        environment: its name.
        outcomes: the properties that were checked, in their order.
    """

    environment: str
    outcomes: tuple[Outcome, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.failed

    @property
    def passed(self) -> tuple[str, ...]:
        """Names of the properties that hold."""
        return tuple(outcome.name for outcome in self.outcomes if not outcome.findings)

    @property
    def failed(self) -> tuple[str, ...]:
        """Names of the properties that do not hold."""
        return tuple(outcome.name for outcome in self.outcomes if outcome.findings)

    def findings(self, name: str) -> tuple[str, ...]:
        """What breaks a property.

        Raises:
            KeyError: the property was not checked.
        """
        return {outcome.name: outcome.findings for outcome in self.outcomes}[name]

    def __str__(self) -> str:
        width = max((len(outcome.name) for outcome in self.outcomes), default=0)
        lines = [f"{self.environment}: {len(self.passed)} of {len(self.outcomes)} properties hold"]
        for outcome in self.outcomes:
            mark = "FAILED" if outcome.findings else "ok"
            lines.append(f"  {mark:6}  {outcome.name:{width}}  {outcome.meaning}")
            lines += [f"            - {finding}" for finding in outcome.findings]
        return "\n".join(lines)
