"""What lies on the shelves today: which cases are good, held and available, how much more fits; and how cases move.

Shelves see their lots as they are now, so what was taken or put there counts at once.
"""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from envfactory.catalogue.commerce._warehouse_records import (
    Article,
    ArticleStock,
    Level,
    Movement,
    Reason,
    StockHold,
    StockLot,
    StockReport,
    Warehouse,
    WarehouseRoom,
    WriteOff,
)
from envfactory.catalogue.commerce._warehouse_rules import by_date, is_expired
from envfactory.environment import Table, ToolError


class Shelves(NamedTuple):
    """All articles, lots and holds, on a day."""

    today: dt.date
    articles: Table[Article]
    lots: Table[StockLot]
    holds: Table[StockHold]

    def lots_of(self, article_id: str, warehouse_id: str) -> list[StockLot]:
        """Lots of an article in a warehouse, those that expire first on top."""
        here = [lot for lot in self.lots.values() if (lot.article_id, lot.warehouse_id) == (article_id, warehouse_id)]
        return sorted(here, key=by_date)

    def good(self, article_id: str, warehouse_id: str) -> int:
        """Cases that are not past their date."""
        return sum(lot.quantity for lot in self.lots_of(article_id, warehouse_id) if not is_expired(lot, self.today))

    def expired(self, article_id: str, warehouse_id: str) -> int:
        """Cases that are past their date."""
        return sum(lot.quantity for lot in self.lots_of(article_id, warehouse_id) if is_expired(lot, self.today))

    def held(self, article_id: str, warehouse_id: str) -> int:
        """Cases that open holds keep back."""
        held = (article_id, warehouse_id, "open")
        return sum(h.quantity for h in self.holds.values() if (h.article_id, h.warehouse_id, h.status) == held)

    def available(self, article_id: str, warehouse_id: str) -> int:
        """Cases that are good and not held."""
        return max(0, self.good(article_id, warehouse_id) - self.held(article_id, warehouse_id))

    def room(self, place: Warehouse) -> int:
        """How many more cases fit into a warehouse."""
        return place.capacity - sum(lot.quantity for lot in self.lots.values() if lot.warehouse_id == place.id)

    def picks(self, article_id: str, warehouse_id: str, quantity: int) -> list[tuple[StockLot, int]]:
        """Good lots that cases are taken from, those that expire first, and how many come of each."""
        found: list[tuple[StockLot, int]] = []
        for lot in self.lots_of(article_id, warehouse_id):
            cases = 0 if is_expired(lot, self.today) else min(lot.quantity, quantity)
            if cases:
                found.append((lot, cases))
                quantity -= cases
        return found

    def take(self, lot: StockLot, quantity: int) -> None:
        """Take cases out of a lot; an empty one is gone."""
        if quantity == lot.quantity:
            self.lots.delete(lot.id)
        else:
            self.lots.replace(lot.evolve(quantity=lot.quantity - quantity))

    def withdraw(self, article_id: str, warehouse_id: str, quantity: int) -> list[tuple[StockLot, int]]:
        """Take cases from the good lots that expire first: the lots as they were, and how many came of each."""
        taken = self.picks(article_id, warehouse_id, quantity)
        for lot, cases in taken:
            self.take(lot, cases)
        return taken

    def put(self, lot: StockLot) -> None:
        """Put cases on the shelf as a lot; from now on the warehouse keeps the article."""
        article = self.articles.require(lot.article_id)
        if lot.warehouse_id not in article.stocked_at:
            self.articles.replace(article.evolve(stocked_at=(*article.stocked_at, lot.warehouse_id)))
        self.lots.insert(lot)

    def moved(self, taken: list[tuple[StockLot, int]]) -> Movement:
        """What has become of cases of one article that were taken in one warehouse, and what is left there."""
        of = taken[0][0]
        return Movement(
            article_name=of.article_name, quantity=sum(cases for _, cases in taken),
            lots=tuple(lot.code for lot, _ in taken), left=self.available(of.article_id, of.warehouse_id),
        )  # fmt: skip

    def picked(self, hold: StockHold) -> Movement:
        """Take what is held, and tell what has become of it.

        Raises:
            ToolError: `conflict`, less is still good.
        """
        good = self.good(hold.article_id, hold.warehouse_id)
        if hold.quantity > good:
            raise ToolError("conflict", f"{good} good cases of the {hold.article_name} are left in {hold.city}.")
        return self.moved(self.withdraw(hold.article_id, hold.warehouse_id, hold.quantity))

    def check_available(self, article: Article, place: Warehouse, quantity: int) -> None:
        """Refuse more cases than are available in a warehouse."""
        available = self.available(article.id, place.id)
        if quantity > available:
            raise ToolError("conflict", f"{available} of the {article.name} are available in {place.city}.")

    def check_room(self, place: Warehouse, quantity: int) -> None:
        """Refuse more cases than fit into a warehouse."""
        room = self.room(place)
        if quantity > room:
            raise ToolError("limit_exceeded", f"The {place.city} warehouse has room for {room} more.")

    def check_write_off(self, lot: StockLot, quantity: int, reason: Reason) -> None:
        """Refuse to write off more than there is, what is good as expired, and what is held."""
        if quantity > lot.quantity:
            raise ToolError("limit_exceeded", f"Lot {lot.code} has {lot.quantity} cases, not {quantity}.")
        expired = is_expired(lot, self.today)
        if reason == "expired" and not expired:
            raise ToolError("precondition_failed", f"Lot {lot.code} is not past its date.")
        if not expired and quantity > self.available(lot.article_id, lot.warehouse_id):
            raise ToolError("conflict", f"Cases of the {lot.article_name} are held; release them first.")

    def written_off(self, key: str, lot: StockLot, quantity: int, reason: Reason) -> WriteOff:
        """What is kept of cases that were taken out of a lot for good, with how many can still be sold there."""
        return WriteOff(
            id=key, article_id=lot.article_id, article_name=lot.article_name, lot_code=lot.code, city=lot.city,
            quantity=quantity, reason=reason, written_on=self.today,
            left=self.available(lot.article_id, lot.warehouse_id),
        )  # fmt: skip

    def stock(self, article: Article, places: Iterable[str]) -> ArticleStock:
        """How much of an article there is over these warehouses."""
        available = sum(self.available(article.id, place) for place in places)
        return ArticleStock(
            id=article.id, name=article.name, category=article.category, available=available,
            on_hand=sum(lot.quantity for lot in self.lots.values() if lot.article_id == article.id),
            low=available < article.reorder_point,
        )  # fmt: skip

    def report(self, article: Article, places: Iterable[Warehouse]) -> StockReport:
        """How much of an article each of these warehouses has."""
        levels = tuple(
            Level(
                warehouse_id=place.id, city=place.city, available=self.available(article.id, place.id),
                held=self.held(article.id, place.id), expired=self.expired(article.id, place.id),
            )
            for place in places
        )  # fmt: skip
        return StockReport(
            article_id=article.id, name=article.name, supplier=article.supplier, unit_price=article.unit_price,
            reorder_point=article.reorder_point, shelf_days=article.shelf_days,
            available=sum(level.available for level in levels), levels=levels,
        )  # fmt: skip

    def with_room(self, place: Warehouse) -> WarehouseRoom:
        """A warehouse with how much more fits into it."""
        return WarehouseRoom(
            warehouse_id=place.id, city=place.city, managed=place.managed, capacity=place.capacity,
            room=self.room(place),
        )  # fmt: skip
