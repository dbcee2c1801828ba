"""`Ahead`: numbered parts made in threads, ahead of the one that is taken, and never one more than is wanted.

A part that a language model helps to make costs money, so a further one is begun only if all that are under way could
come to nothing more than what is wanted: what is begun is what one after the other would have begun, too. A part fails
when it is its turn, so those before it are kept; meanwhile no further one is begun.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Generic, Self, TypeVar

__all__ = ["Ahead"]

R = TypeVar("R")


class Ahead(Generic[R]):
    """See the module docstring; use as a context manager."""

    def __init__(
        self,
        make: Callable[[int], R],
        parts: int,
        workers: int,
        *,
        wanted: Callable[[], int],
        gives: Callable[[R], int],
    ) -> None:
        """Make nothing yet.

        Args:
            make: makes a part by its number; called by several threads.
            parts: how many there are at most.
            workers: how many are made at once.
            wanted: how much is still wanted of the part that is taken and those after it.
            gives: how much a part gives; one that is not made yet is thought to give 1.
        """
        self._make, self._parts, self._workers = make, parts, workers
        self._wanted, self._gives = wanted, gives
        self._begun: dict[int, Future[R]] = {}
        self._next = 0
        self._pool = ThreadPoolExecutor(workers, "ahead")

    def take(self, number: int) -> R:
        """Return a part, once it is made; parts are taken in rising order, and some may be left out.

        Raises:
            Exception: what making it raised.
        """
        for left in [part for part in self._begun if part < number]:
            self._begun.pop(left).cancel()
        self._next = max(self._next, number)
        while True:
            self._begin(number)
            if self._begun[number].done():
                return self._begun.pop(number).result()
            # Each part is bounded by the limits of what makes it.
            wait([part for part in self._begun.values() if not part.done()], return_when=FIRST_COMPLETED)

    def close(self) -> None:
        """Begin no more; what is under way ends by itself, once its model is closed."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, number: int) -> None:
        """Begin the part that is taken, and as many after it as may be needed."""
        while self._next < self._parts and (number not in self._begun or self._needed()):
            self._begun[self._next] = self._pool.submit(self._make, self._next)
            self._next += 1

    def _needed(self) -> bool:
        """Whether one more part would be begun."""
        busy = given = 0
        for part in self._begun.values():
            if not part.done():
                busy += 1
            elif part.exception() is not None:
                return False
            else:
                given += self._gives(part.result())
        return busy < self._workers and busy + given < self._wanted()
