"""An environment that reads the wall clock, in a module of its own, since it is the module that is read."""

from __future__ import annotations

import datetime as dt

from envfactory.environment import tool
from tests.environment.checks.broken import Shop, Told


class Clocked(Shop):
    """A tool that looks at the calendar on the wall."""

    @tool(ask=("sum up",), reply=("{text}",))
    def sum_up(self) -> Told:
        """Count the orders that are due."""
        late = dt.date.today()  # noqa: DTZ011 (what is to be found)
        return Told(text=f"{sum(order.day <= late for order in self.orders.values())} orders")
