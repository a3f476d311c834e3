"""Tell which message a step of a game came of: for `mail inbox show` and `mail explain`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from felix_async.audit.evidence import Flaw
from felix_async.audit.received import stands
from felix_async.language.words import WORD_OF
from felix_async.provenance import Found, Missing, Provenance, began_at, mail_of, provenances, public_part
from felix_async.text import plain
from felix_cli.naming import is_file
from felix_cli.output import EXIT_COULD_NOT_LOOK, Problem, counted
from felix_cli.replay.beside import cause_json
from felix_cli.wiring import followed, look_up, read_database, settings_for
from felix_events.envelope import Channel
from felix_events.store.rows import Mail

_MOST: Final = 300
"""Characters of a line that are shown."""
_WAYS: Final[dict[Channel, str]] = {
    "mail": "by mail",
    "web": "on the page",
    "desk": "at the host's desk",
    "computer": "by the computer",
    "clock": "by the clock",
    "order": "by an order given in advance",
}
GONE: Final[dict[Missing, str]] = {
    "erased": "Its text is gone: it was erased with a player.",
    "pruned": "Its text is gone: it is too old, or cut down to its orders, as it named who was forgotten.",
}


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a step, and the message, as far as it is kept; `move` is what everybody was told.

    `is_whole` is False if the words of a running game are left out: they may name a card that lies face down,
    or tell of more than the move. `stands` says if the line of the record stands in the message, None if
    nobody can tell.
    """

    game_id: str
    version: int
    move: str
    made: Provenance
    found: Found
    mail: Mail
    is_whole: bool
    stands: bool | None

    def sentence(self) -> str:
        """Return the sentence that says what the message became."""
        made, step = self.made, f"Step {self.version}"
        what = self.move or (made.order if self.is_whole else _word_of(made.record.order or "")) or "-"
        name = "the host" if made.actor == "host" else made.name
        by = f" by {name}" if name else ""
        if made.version != self.version:
            step += f" follows by the rules from step {made.version}"
        how = "an order that this message gave in advance" if made.given else "this message"
        if self.found.asked_about is not None:
            how += f", which said YES to message {self.found.asked_about}"
        line, read = plain(made.line or "", _MOST), made.order
        if self.stands is False:
            words = f'the line "{line}"' if self.is_whole else "the line of that record"
            lacks = f"does not stand in it; `felix audit {self.game_id}` says more"
            return f'{step}, "{what}"{by}: its record names this message, but {words} {lacks}.'
        told = "; --body shows its line"
        if made.line is None:
            told = "; the log does not keep its line"
        elif self.is_whole:
            told = f'; its line: "{line}"'
            told += "" if read.casefold() == made.line.casefold() else f", read as {read}"
        return f'{step}, "{what}"{by}: made by {how}{told}.'

    def told(self) -> dict[str, Any]:
        """Return the same for scripts."""
        words = {} if self.is_whole else {"order": None, "line": None}
        return {
            "game_id": self.game_id,
            "version": self.version,
            "began": self.made.version,
            "actor": self.made.actor,
            "seat": self.made.seat,
            "move": self.move,
            "given": self.made.given,
            "asked_about": self.found.asked_about,
            "missing": self.found.missing,
            "stands": self.stands,
            **cause_json(self.made),
            **words,
        }


def cause_at(game: str, version: int, db: Path | None, *, whole: bool) -> Cause:
    """Return the cause of a step of a game in the database, with all words or those of a game that is over.

    Problem if no message that is known made it.
    """
    if is_file(game):
        raise Problem(
            "--version takes a game of the database: a file holds no messages.", EXIT_COULD_NOT_LOOK
        )
    subject, settings = look_up(game, db), settings_for(db)
    envelopes, state = followed(subject, None)
    if version > len(envelopes):
        steps = counted(len(envelopes), "step")
        raise Problem(f"There is no step {version}: the game has {steps}.", EXIT_COULD_NOT_LOOK)
    began = began_at(envelopes, version)
    try:
        made = provenances(subject.evidence, envelopes, subject.names_then).get(began)
    except Flaw:
        made = None
    if made is None:
        raise Problem(f"The record of step {began} is not sound; `felix audit {subject.game_id}` says more.")
    with read_database(db) as reader:
        found = mail_of(reader, made, subject.game_id, settings.mailbox)
    if found.missing == "none":
        by = made.said.channel if made.given else made.channel
        raise Problem(f"No message made step {version}: it was made {_WAYS[by]}.")
    if found.mail is None:
        named = f"; its Message-ID is {plain(made.message_id)}" if made.message_id else ""
        raise Problem(f"The message that made step {version} is not in this inbox{named}.")
    event, is_whole = envelopes[began - 1].data, whole or state.is_over
    move = public_part(event) if is_whole or not event.secret else ""
    there = None if made.line is None else stands(made.line, found.mail)
    return Cause(subject.game_id, version, move, made, found, found.mail, is_whole, there)


def _word_of(order: str) -> str:
    """Return the word of an order, without what follows it."""
    return max((word for word in WORD_OF.values() if order.startswith(word)), key=len, default="")
