"""The base of all notices: the facts that each knows, and the policy that each kind states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Final, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from felix_async.game.state import Game

AGAIN: Final = ("again ", "revoked-", "started-", "erased ")
"""How `about` begins if the notice repeats another one, or its address was erased."""
LAST: Final = 90
"""Percent of the move time from which on a reminder is the last but those of the reserve."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """How notices of a kind are dealt with.

    `in_digest`: they wait for the one letter a day of players who want that. `told_again`: they are sent once
    more if the address that they went to turns out to be dead. `said_back`: they follow from a message of the
    reader, and go out even if that one wants no more mail. `asks`: they ask for YES or NO, in a letter of
    their own, until that is answered. `alert`: they are worth a short notice by another way.
    """

    in_digest: bool
    told_again: bool
    said_back: bool
    asks: bool
    alert: bool


class Notice(BaseModel):
    """The facts that all notices know.

    `version` is the step that gave rise to it, `turn` the decision that was before the seat then, `again` why
    it is told once more ('' the first time). If `is_erased`, what else it knew was erased with the facts of a
    person.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")
    kind: ClassVar[str]
    policy: ClassVar[Policy]
    key: ClassVar[str] = ""
    """The field that is kept as `about`."""

    game_id: str
    version: int
    seat: int
    due_at: str
    turn: int = 0
    again: str = ""
    notice_id: int = 0
    is_erased: bool = False

    @property
    def about(self) -> str:
        """The word that tells this notice from others of its kind, seat and step."""
        return self.again or self.key_text

    @classmethod
    def read_about(cls, about: str) -> dict[str, Any]:
        """Return the fields that `about` holds."""
        return {"again": about} if about.startswith(AGAIN) else cls.read_key(about)

    @property
    def key_text(self) -> str:
        """The field that is the key, as it is written."""
        return str(getattr(self, self.key)) if self.key else ""

    @classmethod
    def read_key(cls, text: str) -> dict[str, Any]:
        """Return the fields that the key holds."""
        return {cls.key: text} if cls.key and text else {}

    def payload(self) -> str:
        """Return the facts that `about` does not hold, as JSON; `{}` only if there are none."""
        if not (self.again or self.has_payload()):
            return "{}"
        elsewhere = set(Notice.model_fields) | (set() if self.again else {self.key})
        facts = self.model_dump_json(exclude=elsewhere, exclude_defaults=True)
        # An empty payload of a kind that has one is what is left of it once it was erased.
        is_bare = facts == "{}" and self.has_payload()
        return self.model_dump_json(exclude=elsewhere) if is_bare else facts

    @classmethod
    def read_payload(cls, facts: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that a payload holds."""
        return facts

    @property
    def decision(self) -> tuple[str, int, int]:
        """The decision that this is about."""
        return self.game_id, self.seat, self.turn

    @property
    def waits_for_day(self) -> bool:
        """True if this waits for the end of quiet hours: nobody waits for its reader, or they were told."""
        return False

    @classmethod
    @cache
    def has_payload(cls) -> bool:
        """Return True if notices of this kind know more than all do, and than `about` holds."""
        return bool(cls.model_fields.keys() - Notice.model_fields.keys() - {cls.key})

    @classmethod
    def is_alone(cls) -> bool:
        """Return True if a notice of this kind has a letter of its own."""
        return cls.policy.asks or issubclass(cls, Addressed)

    @classmethod
    def tells_game(cls) -> bool:
        """Return True if letters of this kind tell what happened since the letter before."""
        return not (cls.policy.said_back or cls.is_alone())

    @classmethod
    def goes_stale(cls) -> bool:
        """Return True if notices of this kind may be needless by the time at which they are sent."""
        return cls.policy.asks or cls.is_stale is not Notice.is_stale

    @property
    def question_number(self) -> int:
        """The question that a YES or NO to this answers, 0 if it asks nothing."""
        return 0

    def is_stale(self, game: Game) -> bool:
        """Return True if the seat has done what this is about, or no longer can."""
        return False

    def repeated(self, why: str, due_at: str = "") -> Self:
        """The same notice, to be sent once more."""
        return self.model_copy(update={"again": why, "due_at": due_at or self.due_at, "notice_id": 0})


class Addressed(Notice):
    """Goes to an address of its own, whatever the address of the seat is by now."""

    to: str = Field("", validation_alias=AliasChoices("to", "address"))


class Numbered(Notice):
    """Is about a question, which counts the seat's questions."""

    key = "number"
    number: int = 0

    @property
    def question_number(self) -> int:
        return self.number if self.policy.asks else 0


def share_of(rung: str) -> int | None:
    """Return after how many percent of the move time this reminder is due; None if it is due otherwise.

    >>> share_of("80%"), share_of("late")
    (80, None)
    """
    return int(rung[:-1]) if re.fullmatch("[0-9]{1,3}%", rung) else None
