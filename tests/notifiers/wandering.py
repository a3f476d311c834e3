"""Lives of tables in which people write anything at any time: wrong orders, slips, words, answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Final

from felix_async.draw import Stream
from felix_async.game.state import Game
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import WAIT
from felix_async.people import name_of
from felix_async.schedule.tick import tick
from felix_async.service import Origin
from felix_events.model import Terms
from games import NAMES, TABLE_NAME, a_room, joining, players
from inbox.postbag import MAILBOX, Postbag
from notifiers.correspondence import Correspondence, Reply, corresponding
from notifiers.nasty import NASTY
from notifiers.sheets import Link

LINES: Final = (
    # Moves and answers, in turn or out of it.
    "PLAY 8", "PLAY LARGE DOG", "PLAY -5", "I'll play the 15, thanks!", "BID 1", "BID 5",
    "bid 2 please", "BID 40", "PASS", "JOIN", "DECLINE", "YES", "NO",
    # What hosts may do, and players and time.
    "START", "CANCEL", "HOST {ben}", "HOST {anna}", "HOST Zoe", "UNINVITE {cara}", "UNINVITE {ben}",
    "REMATCH", "REPLAY", "RESIGN", "STOP", "AWAY", "AWAY 3 days", "AWAY UNTIL 3/4", "AWAY 200 days",
    "AWAY 2 days COMPUTER", "BACK", "AWAY OFF", "PAUSE", "RESUME", "ABANDON", "NOTIFY DAILY",
    "NOTIFY", "SAY pass", "SAY hi", "SAY <b>hi</b>", "SAY OFF", "QUIET 8", "QUIET",
    "TIMEZONE Berln", "TIMEZONE CET", "TIMEZONE", "ADDRESS foo", "ADDRESS x@y.test",
    "SUBSTITUTE {ben}: Dora d@x.test", "SUBSTITUTE {cara} Dora", "SUBSTITUTE {ben}: {anna}",
    "SUBSTITUTE", "SUBSTITUTE {ben}: dora@x.test\nSTATUS", "HOST", "UNINVITE",
    # Tables.
    "NEW", "NEW\nx@y.test\nz@y.test", "NEW\n{ben}\n{cara}", "NEW\n{ben}\nZoe",
    "NEW\nx@y.test, x@y.test", "NEW\nrules 1999\nx@y.test\nz@y.test",
    "NEW\n3 moves a day\nx@y.test\nz@y.test",
    # Slips, and lines that are not clear.
    "psas", "paly 5", "bit 5", "bid", "bid five or six", "play dog", "dog", "play", "play the cat",
    "5", "8", "15 mice", "stopp", "stop please", "strat", "cancel the game", "stauts", "send again",
    "abandom", "unpause", "play 8?", "bid 5?", "resing", "declne", "I'm in!", "play again",
    "delete me", "time zone", "away until Monday, I think", "I pass this time",
    "psas\nI bid 4 this time", "Hello felix,\nhow are you", "",
    "What a row.\n\nPerhaps I should say: PASS", "Ben of the club\nI pass", "RESIGN\nYES",
    "FORGET ME\nYES", "On Tue felix wrote:\n> BID 1\n\nPASS\n> x",
)  # fmt: skip
"""What people write. The names in braces are those of players at the table."""


@dataclass(frozen=True)
class Written:
    """A mail, the answer to it, and how each link of that answer goes: its words, the verdict, and why."""

    line: str
    seat: int
    phase: str
    reply: Reply
    taps: tuple[tuple[str, str, str], ...]

    @property
    def codes(self) -> list[str]:
        """The codes of what was refused."""
        return [line.code for line in self.reply.answer.lines if line.verdict == "refused"]

    @property
    def came_to_nothing(self) -> bool:
        """Return True if a line of it was refused, or not understood."""
        unhelped = ("refused", "not understood", "ambiguous")
        return any(line.verdict in unhelped for line in self.reply.answer.lines)


def a_life(seed: str, steps: int) -> Iterator[Written]:
    """The mails of so many steps at a table; in the others it plays on, or time goes by."""
    numbers = Stream(sha256(seed.encode()).digest(), "wandering")
    letters = a_table(seed, numbers)
    bag, room = letters.bag, letters.bag.room
    for step in range(steps):
        room.clock.now += timedelta(minutes=20 + numbers.below(280))
        what = numbers.below(10)
        game = bag.game
        if what < 7:
            yield from _one(letters, numbers)
        elif what == 7:
            room.clock.now += timedelta(hours=(20, 60, 200)[numbers.below(3)])
            tick(bag.do, room.service)
        elif game.phase == "inviting":
            for seat in game.asked[:2]:
                room.do(bag.game_id, joining(seat))
        elif not game.is_over and game.humans:
            version = bag.size + 1 + numbers.below(24)
            room.play(bag.game_id, seed=f"{seed}/{step}", until=partial(_is_there, version=version))


def _is_there(game: Game, version: int) -> bool:
    return game.is_over or game.version >= version


def a_table(seed: str, numbers: Stream) -> Correspondence:
    """Three to five players, some with names that are not easy; with a host or without, by a clock or not."""
    room = a_room(f"wandering {seed}")
    seated = players(3 + numbers.below(3))
    for seat in range(1, len(seated)):
        if numbers.below(2):
            name = name_of(NASTY[numbers.below(len(NASTY))])
            seated[seat] = replace(seated[seat], name=name)
    with room.store.write() as tx:
        game_id, outcome = room.service.open_table(
            tx,
            seated,
            origin=Origin("create", "host", "desk"),
            table_name=TABLE_NAME,
            ruleset="felicity-2017",
            host=(0, 0, None)[numbers.below(3)],
            clock=(None, Terms(move=2 * 86_400, away=21 * 86_400))[numbers.below(2)],
        )
    assert outcome.refusal is None
    return corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))


def _one(letters: Correspondence, numbers: Stream) -> Iterator[Written]:
    """Somebody writes something, now and then in answer to an old mail, or to the newest question."""
    bag = letters.bag
    seat = numbers.below(len(bag.game.seats))
    line = LINES[numbers.below(len(LINES))]
    if not bag.seat(seat).secret:
        return
    with bag.room.store.read() as reader:
        rows = reader.seats(bag.game_id)
        asked = [one for one in reader.questions(bag.game_id, seat) if one.kind == "order"]
    named = {called.lower(): row.name for called, row in zip(NAMES, rows, strict=False)}
    turn = bag.game.seats[seat].turn
    is_old = numbers.below(8) == 0 and turn > 0
    to = bag.question_address(seat, asked[-1].number) if asked and numbers.below(3) == 0 else ""
    phase = bag.game.phase
    text = line.format(**named)
    reply = letters.try_to_write(seat, text, turn=turn - 1 if is_old else turn, to=to)
    if reply is not None:
        yield Written(text, seat, phase, reply, tuple(_tapped(letters, seat, link) for link in reply.links))


def _tapped(letters: Correspondence, seat: int, link: Link) -> tuple[str, str, str]:
    is_wait = link.body == WAIT
    if not is_wait and not isinstance(read_line(link.body.splitlines()[0]), Order):
        return link.body, "no order", ""
    lines = [line for line in letters.tap(seat, link).lines if line.text]
    return link.body, lines[0].verdict if lines else "done", lines[0].why if lines else ""
