"""No tool is another one under other names, and the measure would notice one that is."""

from __future__ import annotations

import itertools
import re
from typing import Annotated

import pytest

from envfactory.catalogue import environment_names, load
from envfactory.catalogue.overlap import SAME, Pair, body, pairs, text
from envfactory.embedding import Lexical
from envfactory.environment import Environment, Record, Ref, Table, ToolError, tool
from envfactory.environment.describe import describe

ALIKE = {
    ("hr_leave-close_sickness", "hr_leave-file_certificate"): "both settle until when somebody is ill",
    ("hr_leave-list_my_leave", "hr_leave-list_team_leave"): "both list leave by page",
    ("car_rental-change_protection", "car_rental-remove_driver"): "both price a booked rental anew",
    ("insurance_claims-add_document", "insurance_claims-submit_claim"): "both hand the insurer what a claim rests on",
    ("parcel_tracking-change_day", "parcel_tracking-leave_unattended"): "both say how a parcel is to be delivered",
    ("lab_inventory-dispose_container", "lab_inventory-put_away"): "they undo each other",
    ("lab_inventory-check_out", "lab_inventory-put_away"): "they undo each other",
    ("clinical_trials-list_participants", "clinical_trials-list_visits"): "both list by trial and page",
    ("clinical_trials-randomise_participant", "clinical_trials-record_consent"): "both are due to one participant",
    ("cloud_machines-list_machines", "cloud_machines-list_volumes"): "both list by region and page",
    ("calendar_scheduling-answer_invitation", "calendar_scheduling-propose_new_time"): "both answer an invitation",
    ("helpdesk-escalate_ticket", "helpdesk-release_ticket"): "both let go of a ticket that one holds",
    ("loan_servicing-make_extra_payment", "loan_servicing-set_up_autopay"): "both ask for money from an account",
    ("event_tickets-send_ticket", "event_tickets-take_back_ticket"): "they undo each other",
    ("retail_banking-freeze_card", "retail_banking-unfreeze_card"): "they undo each other",
    ("auction_house-unwatch_lot", "auction_house-watch_lot"): "they undo each other",
    ("car_rental-add_extra", "car_rental-remove_extra"): "they undo each other",
    ("insurance_claims-cancel_visit", "insurance_claims-withdraw_claim"): "both let others have the visit of a claim",
    ("lab_inventory-check_out", "lab_inventory-dispose_container"): "both take a container out of its place",
    ("payments_and_invoicing-add_hours", "payments_and_invoicing-remove_service"): "they undo each other",
    ("personal_budgeting-categorise_transaction", "personal_budgeting-uncategorise_transaction"): "they are opposites",
    ("personal_budgeting-close_month", "personal_budgeting-reopen_month"): "they undo each other",
    ("personal_budgeting-cover_overspending", "personal_budgeting-move_money"): "both move money between envelopes",
    ("task_board-list_projects", "task_board-list_sprints"): "both list what tasks are kept in",
    ("visa_and_passport-attach_document", "visa_and_passport-remove_document"): "they undo each other",
}
"""Pairs within an environment that are as alike as copies, and why."""

SHIFT = 0.05
"""How much less alike a pair may become before its reason is no longer needed."""

WORDS = (
    "apple", "bridge", "cargo", "engine", "falcon", "garden", "harbour", "island", "kettle", "lantern", "meadow",
    "anchor", "barrel", "candle", "dragon", "eagle", "fountain", "glacier", "hammer", "ivory",
)  # fmt: skip

BoatId = Annotated[str, Ref("Boat")]
VanId = Annotated[str, Ref("Van")]


class Boat(Record, noun="boat", label="{name}"):
    id: BoatId
    """Identifier of the boat."""
    name: str
    """What it is called."""
    status: str
    """Whether it is free or rented."""
    days: int = 0
    """For how many days."""


class Van(Record, noun="van", label="{title}"):
    id: VanId
    """Identifier of the van."""
    title: str
    """What it is called."""
    state: str
    """Whether it is free or hired."""
    nights: int = 0
    """For how many nights."""


class BoatHarbour(Environment):
    """Rent boats."""

    domain = "travel"
    policy = "Boats are rented for a week at most."
    sources = ("A harbour",)
    boats: Table[Boat]

    @tool(writes=True, ask=("rent {boat_id} for {days} days",) * 4, reply=("{name} is yours.",))
    def rent_boat(self, boat_id: BoatId, days: int) -> Boat:
        """Rent a free boat for some days.

        Args:
            boat_id: Boat to rent.
            days: For how many days.
        """
        boat = self.boats.require(boat_id)
        if boat.status != "free":
            raise ToolError("conflict", f"{boat.name} is rented already.")
        if days > 7:
            raise ToolError("limit_exceeded", "A week at most.")
        return self.boats.replace(boat.evolve(status="rented", days=days))

    @tool(writes=True, ask=("sell {boat_id} after {days} days",) * 4, reply=("{name} is sold.",))
    def sell_boat(self, boat_id: BoatId, days: int) -> Boat:
        """Sell a free boat after some days.

        Args:
            boat_id: Boat to sell.
            days: After how many days.
        """
        boat = self.boats.require(boat_id)
        if boat.status != "free":
            raise ToolError("conflict", f"{boat.name} is rented already.")
        if days > 7:
            raise ToolError("limit_exceeded", "A week at most.")
        return self.gone(boat)

    @tool(ask=("show {boat_id}",) * 4, reply=("{name} is {status}.",))
    def get_boat(self, boat_id: BoatId) -> Boat:
        """Get a boat.

        Args:
            boat_id: Boat to get.
        """
        return self.boats.require(boat_id)

    def gone(self, boat: Boat) -> Boat:
        return self.boats.delete(boat.id)


class Marina(BoatHarbour):
    """Rent boats, by the tools of a harbour."""


class VanYard(Environment):
    """Hire vans."""

    domain = "travel"
    policy = "Vans are hired for three nights at most."
    sources = ("A yard",)
    vans: Table[Van]

    @tool(writes=True, ask=("hire {van_id} for {nights} nights",) * 4, reply=("{title} is yours.",))
    def hire_van(self, van_id: VanId, nights: int) -> Van:
        """Hire a free van for some nights.

        Args:
            van_id: Van to hire.
            nights: For how many nights.
        """
        wanted = self.vans.require(van_id)
        if wanted.state != "free":
            raise ToolError("conflict", f"The van {wanted.title} is out.")
        if nights > 3:
            raise ToolError("limit_exceeded", "Three nights at most.")
        return self.vans.replace(wanted.evolve(state="hired", nights=nights))

    @tool(ask=("show {van_id}",) * 4, reply=("{title} is {state}.",))
    def get_van(self, van_id: VanId) -> Van:
        """Get a van.

        Args:
            van_id: Van to get.
        """
        return self.vans.require(van_id)


STAMPED: dict[str, type[Environment]] = {"boat_harbour": BoatHarbour, "van_yard": VanYard}


@pytest.fixture(scope="module")
def catalogue() -> list[Pair]:
    return pairs(load(environment_names()), Lexical())


def test_a_tool_that_was_stamped_out_again_has_the_same_behaviour():
    found = {(pair.first, pair.second): pair for pair in pairs(STAMPED, Lexical(), 0.0)}
    copy = found["boat_harbour-rent_boat", "van_yard-hire_van"]
    assert (copy.code, copy.form, copy.across) == (1.0, 1.0, True)
    assert copy.likeness == pytest.approx(copy.text**0.5)


def test_what_changes_tables_otherwise_is_another_tool_and_helpers_are_looked_into():
    found = {(pair.first, pair.second) for pair in pairs(STAMPED, Lexical(), 0.0)}
    sold = describe(BoatHarbour).tools[[tool.name for tool in describe(BoatHarbour).tools].index("sell_boat")]
    assert body(BoatHarbour, sold).changes == {"delete"}
    assert ("boat_harbour-rent_boat", "boat_harbour-sell_boat") not in found


def test_helpers_that_an_environment_inherits_are_looked_into():
    sold = next(tool for tool in describe(Marina).tools if tool.name == "sell_boat")
    assert body(Marina, sold).changes == {"delete"}


def test_a_look_up_by_id_has_no_behaviour_of_its_own():
    assert not any("get_" in name for pair in pairs(STAMPED, Lexical(), 0.0) for name in (pair.first, pair.second))


def test_no_tool_of_the_catalogue_is_a_copy_of_another_environments(catalogue: list[Pair]):
    assert [pair for pair in catalogue if pair.across and pair.likeness >= SAME] == []


def test_within_an_environment_what_is_as_alike_has_its_reason(catalogue: list[Pair]):
    """A reason may stay while a pair is nearly as alike: what a word weighs shifts with every other environment."""
    within = {(pair.first, pair.second): pair.likeness for pair in catalogue if not pair.across}
    assert {pair: likeness for pair, likeness in within.items() if likeness >= SAME and pair not in ALIKE} == {}
    assert [pair for pair in ALIKE if within.get(pair, 0.0) < SAME - SHIFT] == []


def test_the_copy_of_a_tool_under_other_nouns_would_be_noticed():
    originals: list[str] = []
    copies: list[str] = []
    for environment in load(environment_names()).values():
        spec = describe(environment)
        nouns = sorted({word for table in spec.tables for word in re.findall("[a-z]+", table.noun.lower())})
        others = dict(zip(nouns, itertools.cycle(WORDS), strict=False))
        pattern = re.compile(rf"(?<![a-z])({'|'.join(nouns)})(?=s?(?![a-z]))")
        for described in spec.agent_tools:
            if not body(environment, described).trivial:
                originals.append(text(described))
                copies.append(pattern.sub(lambda match, others=others: others[match.group()], originals[-1]))
    rows = Lexical().embed([*originals, *copies])
    count = len(originals)
    likeness = [float(rows[at] @ rows[count + at]) ** 0.5 for at in range(count)]
    assert sum(value >= SAME for value in likeness) / count > 0.95
