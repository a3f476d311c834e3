"""The mail programs by name, and people who answer with them what they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from felix_notifiers.content.offers import decisions_in
from real.daemons import until
from real.dovecot import Inbox, Received
from real.terminal_clients import a_neomutt, an_s_nail
from real.town import Town
from real.window_clients import HtmlOnly, OutlookLike


class Program(Protocol):
    """A mail program of one player."""

    def answer(self, mail: Received, order: str) -> None:
        """Reply to this mail with this order."""
        ...


PROGRAMS: Final = ("neomutt", "s-nail", "html", "outlook")


@contextmanager
def a_program(kind: str, town: Town, name: str) -> Iterator[Program]:
    """One of PROGRAMS, set up for a player; s-nail also as `s-nail, tabs`."""
    with ExitStack() as stack:
        match kind:
            case "neomutt":
                yield stack.enter_context(a_neomutt(town, name))
            case "s-nail":
                yield stack.enter_context(an_s_nail(town, name))
            case "s-nail, tabs":
                yield stack.enter_context(an_s_nail(town, name, "\\t"))
            case "html":
                yield HtmlOnly(town, name)
            case _:
                yield OutlookLike(town, name)


@dataclass(slots=True)
class Player:
    """Somebody who answers each decision once, with something that the mail offers."""

    name: str
    inbox: Inbox
    program: Program
    read: list[Received] = field(default_factory=list)
    orders: dict[str, str] = field(default_factory=dict)
    """Address that an answer went to -> what was answered."""

    def look(self, choose: Callable[[list[str]], str]) -> None:
        """Read what is new, and answer it where something is asked."""
        for mail in self.inbox.new():
            self.read.append(mail)
            offers = decisions_in(mail.message)
            if offers and mail.reply_to not in self.orders:
                self.orders[mail.reply_to] = choose(offers)
                self.program.answer(mail, self.orders[mail.reply_to])

    def was_told(self, words: str) -> bool:
        """Return True if these words stood in a subject."""
        return any(words in mail.subject for mail in self.read)


@contextmanager
def players(town: Town, who: dict[str, str]) -> Iterator[Sequence[Player]]:
    """People by name, each with a mail program, and an inbox that is still empty."""
    with ExitStack() as stack:
        yield [
            Player(
                name,
                stack.enter_context(town.inbox(name)),
                stack.enter_context(a_program(kind, town, name)),
            )
            for name, kind in who.items()
        ]


def play(
    people: Sequence[Player],
    choose: Callable[[list[str]], str],
    done: Callable[[], bool],
    patience: float,
) -> None:
    """Let them read and answer until it is done."""

    def a_look() -> bool:
        for player in people:
            player.look(choose)
        return done()

    until(a_look, "the players to be done", patience)


def a_quick_choice(offers: list[str]) -> str:
    """JOIN, then the first card, and the lowest bid as long as it is below four; then PASS."""
    low_bids = [offer for offer in offers if offer in ("BID 1", "BID 2", "BID 3")]
    return next((offer for offer in (*low_bids, *offers) if offer in low_bids or "BID" not in offer), "PASS")
