"""Checks: every property of an environment that needs no model to judge it.

    report = check(HotelReservations)
    print(report)

Each property is judged by running the environment with drawn arguments, so that a finding is something that happened.
"""

from envfactory.environment.checks.report import Outcome, Report
from envfactory.environment.checks.running import PROPERTIES, check

__all__ = ["PROPERTIES", "Outcome", "Report", "check"]
