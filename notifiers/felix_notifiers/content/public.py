"""A table as everybody sees it, and what else everybody may know of a message about it.

What shows of a message before it is opened is made from this alone: no card of the reader's hand, no card
that lies face down, no mice and nothing that was said in advance can get into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.game.cards import ROUNDS
from felix_async.game.views import View
from felix_async.language.data import table
from felix_async.language.phrases import phrase
from felix_async.language.words import CARD_NAMES, NUMBER_WORDS, WORD_OF
from felix_async.people import FORMER
from felix_async.text import Harmless
from felix_notifiers.content.harmless import NAMELESS, table_name

NAME_LENGTH: Final = 14
"""Letters of a player's name in it."""
TABLE_LENGTH: Final = 25
_PLAIN_NAME: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+){0,5}").fullmatch
_CARD_WORDS: Final = [word for name in CARD_NAMES.values() for word in name.split()]
_SAID_WORDS: Final = [
    *table("glance.toml")["glance"]["spoken"],
    *WORD_OF.values(),
    *NUMBER_WORDS,
    *_CARD_WORDS,
]
_SPOKEN: Final = re.compile(rf"\b(?:{'|'.join(map(re.escape, _SAID_WORDS))})\b", re.IGNORECASE)
"""Words by which a name reads as if it were said."""

Said = Literal[
    "", "done", "shown", "shown_hand", "shown_rules", "shown_help", "shown_history", "shown_games",
    "standing", "planned", "passed", "bid", "placed", "talked", "away_noted", "settings", "taken", "at_once",
    "asked", "denied", "sure", "saying", "refused", "partly", "undone", "unread", "unread_again",
    "card_turned", "behind", "open", "joined", "sent_already", "not_over", "never_began", "game_over",
    "no_use", "dispute", "dispute_off", "stands",
]  # fmt: skip
"""The outcome of a mail that is answered, in a word that tells nothing of it; '' for other mails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicTable:
    """A table as everybody sees it; `discreet` is for a reader who wants no card or bid outside."""

    game_id: str
    table_name: str
    names: Sequence[Harmless]
    view: View
    discreet: bool = False

    def __post_init__(self) -> None:
        if self.view.own or self.view.viewer != "spectator":
            raise ValueError("a glance is made from what everybody sees")

    @property
    def name(self) -> str:
        """The name of the table, short; one without a name is known by its id."""
        return cut(table_name(self.table_name) or f"{NAMELESS} {self.game_id}", TABLE_LENGTH)

    @property
    def place(self) -> tuple[str, str]:
        """The name of the table, if it has one, and the round; '' before the game begins, and after it."""
        view, name = self.view, table_name(self.table_name)
        is_on = view.phase in ("placing", "bidding")
        round_ = phrase("glance.place.round", round=view.round, rounds=ROUNDS) if is_on else ""
        return cut(name, TABLE_LENGTH) if view.round else "", round_


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The rest that everybody at the table may know, and the matter of the mail beside the kinds of notices.

    `said` is how the mail that is answered went, `mice` what the reader took, or bid, by it; `rung` is which
    reminder it is, `talk` who said what, `sold` who bought the last sack (None: nobody) and its price,
    `lapsed` what was done in the reader's place, `is_sequel` that the table is the next game of the same
    players. `away` is the seat that is away, or back, and from when until when, '' if that does not matter.
    `denied` is who denies a move, or whose dispute is over, and which move, '' of a card that lies face down.
    """

    said: Said = ""
    mice: int = 0
    rung: str = ""
    talk: Sequence[tuple[str, str]] = ()
    sold: tuple[int | None, int] | None = None
    away: tuple[int, str, str] | None = None
    lapsed: Literal["", "passed", "placed"] = ""
    denied: tuple[int, str] | None = None
    is_sequel: bool = False


NOTHING: Final = Facts()
"""Nothing to tell but what the table shows."""


# ---- names ------------------------------------------------------------------------------------------


def name_of(public: PublicTable, seat: int) -> str:
    return shown(public.names[seat])


def may_name(public: PublicTable, seats: Iterable[int]) -> bool:
    """Return True if none of these names could be read as more than a name."""
    return all(is_name(public.names[seat]) for seat in seats)


def is_name(name: str) -> bool:
    return name == FORMER or (_PLAIN_NAME(name) is not None and not _SPOKEN.search(name))


def shown(name: str) -> str:
    """A name, short; one that could be read as more than a name is not said."""
    if name == FORMER:
        return name
    return cut(name, NAME_LENGTH) if is_name(name) else phrase("glance.glance.somebody")


def cut(text: str, length: int) -> str:
    """The text, shortened between two words if there are any."""
    if len(text) <= length:
        return text
    words, blank, _ = text[:length].rpartition(" ")
    return f"{(words if blank else text[: length - 1]).rstrip(' ,.-')}…"
