"""`SimulatedUser`: the person of a turn in a rollout, who answers what the assistant asks; by rules, no model.

They know what such a person would know (`envfactory.querygen.knowledge`), and say it only when they are asked. What
they hold back in an ambiguous request they say first, in the words of the conversation that the row was made of. What
only they can do they do when they are told to, and say so. They never say whether what was done is right: that is the
reward's business, and told here it could be gamed.
"""

from __future__ import annotations

from envfactory.dataset import RLRow

__all__ = ["SimulatedUser"]


class SimulatedUser:
    """One person in one rollout; see the module docstring.

    Attributes:
        replies: how often they have answered.
    """

    def __init__(self, row: RLRow, most: int) -> None:
        """Have said what the rollout begins with.

        Args:
            row: the turn.
            most: answers, after which they give up.

        Raises:
            ValueError: the row has no user.
        """
        if row.user is None:
            raise ValueError(f"row {row.id} has no user; make the file anew by stage export")
        self._knows = row.user.knows
        self._most = most
        # A secret is known, not held back: it is told to whoever asks for it, not to the first who asks anything.
        secrets = [fact.secret for fact in row.user.knows.facts if fact.secret]
        later = [message.content for message in row.prompt[row.user.begins :] if message.role == "user"]
        self._done = later.pop() if row.user.acts and later else ""  # said once it is
        self._held_back = [text for text in later if not any(secret in text for secret in secrets)]
        self.replies = 0

    def done(self, refusal: str) -> str:
        """Say that what they were told to do is done, or what came of it instead.

        Args:
            refusal: what came of it; empty if it is done.
        """
        self.replies += 1
        return f"That did not work: {refusal}" if refusal else self._done

    def objects(self, against: str) -> str:
        """Say what they have against what they were told to do; nothing if they give up."""
        if self.replies == self._most:
            return ""
        self.replies += 1
        return against

    def reply(self, heard: str) -> str:
        """Answer a message that asks for something; nothing if they give up.

        Args:
            heard: what the assistant says to the person, thoughts left out.
        """
        if self.replies == self._most:
            return ""
        self.replies += 1
        return self._held_back.pop(0) if self._held_back else self._knows.answer(heard)
