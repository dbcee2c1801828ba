"""Reports: what a run made, what it cost and what it looks like, on one page."""

from envfactory.reporting.inputs import ReportInputs
from envfactory.reporting.page import build_report

__all__ = ["ReportInputs", "build_report"]
