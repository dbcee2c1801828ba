"""The desk of one engineer at a moment: what their team looks after, who is on call, and what they may touch."""

import datetime as dt
from collections.abc import Iterable
from typing import TypeVar

from envfactory.catalogue.utilities import _incident_records as rec
from envfactory.catalogue.utilities import _incident_rota as rota
from envfactory.catalogue.utilities import _incident_rules as rules
from envfactory.environment import Table, fits, owned

R = TypeVar("R", rec.MonitoredService, rec.ServiceAlert, rec.ServiceIncident, rec.OnCallShift)


class Desk:
    """What an engineer sees of the tables; alerts are as they stand by now."""

    def __init__(
        self,
        me: rec.OnCallEngineer,
        now: dt.datetime,
        alerts: Table[rec.ServiceAlert],
        shifts: Table[rec.OnCallShift],
    ) -> None:
        self.me, self.now = me, now
        self._alerts, self._shifts = alerts, shifts

    def ours(self, table: Table[R], **wanted: object) -> list[R]:
        """What the team has in a table, with what is wanted."""
        return [row for row in table.values() if fits(row, team_id=self.me.team_id, **wanted)]

    def own(self, table: Table[R], key: str) -> R:
        """A record of the team's."""
        return owned(table.require(key), "team_id", self.me.team_id)

    def alerts(self, **wanted: object) -> list[rec.ServiceAlert]:
        """The team's alerts, with what is wanted."""
        return rules.present(self.ours(self._alerts), self.now, **wanted)

    def alert(self, key: str) -> rec.ServiceAlert:
        """An alert of the team's."""
        return rules.as_of(self.own(self._alerts, key), self.now)

    def turns(self) -> dict[rec.Level, rec.OnCallShift]:
        """The team's shifts that run now, by level."""
        return rota.on_call(self._shifts.values(), self.me.team_id, self.now)

    def level(self, done: str) -> rec.Level:
        """The level at which the engineer is on call, as they must be for what is done."""
        return rota.level_of(self.me.id, self.turns(), done)

    def touched(self, key: str, done: str) -> rec.ServiceAlert:
        """An alert of the team's that something is done with by who is on call."""
        alert = self.alert(key)
        self.level(done)
        return alert

    def keep(self, alerts: Iterable[rec.ServiceAlert]) -> None:
        """Keep alerts as they are now."""
        for each in alerts:
            self._alerts.replace(each)

    def change(self, changed: list[rec.OnCallShift]) -> rec.OnCallShift:
        """Keep shifts with other holders, if these rest enough, and give the first of them."""
        rota.check_rested(changed, self.ours(self._shifts))
        return [self._shifts.replace(each) for each in reversed(changed)][-1]
