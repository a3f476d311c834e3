"""Evenings at which each letter is written twice: as it is, and as if others held other cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.utils import parseaddr
from hashlib import sha256
from random import Random
from typing import Any, Final

import pytest

from felix_async.draw import Stream
from felix_async.follow_up.notice import Addressed
from felix_async.game.commands import order_text
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import Viewer, view
from felix_async.inbox.process import Processor
from felix_async.schedule.tick import tick
from felix_events.model import Terms
from felix_events.store.base import Reader
from felix_events.store.rows import Letter
from felix_notifiers.mails import letters as pen
from felix_notifiers.mails.case import Case, case_of
from felix_notifiers.mails.letters import Letters, Part, Written
from felix_notifiers.outbox.channel import Refused, Result, Sent
from felix_notifiers.outbox.claim import LetterWriter
from felix_notifiers.outbox.deliver import send_due
from felix_notifiers.outbox.marks import Outbox
from games import BOTH_KINDS, NAMES, a_room
from inbox.postbag import MAILBOX, Postbag, a_mail
from notifiers.office import Post, Tray
from secrets_changed import other_secrets
from table import ANNA, BEN, CARA

SECRET: Final = bytes(range(32))
TERMS: Final = Terms(move=2 * 86400, away=21 * 86400)
ASKS: Final = "HAND\nSTATUS\nHISTORY\nRULES\nGAMES\nHELP\nRESEND"


def altered(case: Case, viewer: Viewer, numbers: Random) -> Case:
    """The same game with another seed and, until it is laid open, other cards where the viewer sees none."""
    other = replace(case, row=replace(case.row, seed=numbers.randbytes(32)))
    if case.game.phase == "ended":
        return other
    log = [step.envelope for step in case.story.steps]
    return replace(other, story=Story.of(other_secrets(log, viewer, numbers)))


@contextmanager
def reading(change: Callable[[Case], Case]) -> Iterator[None]:
    """What the pen reads itself, to answer GAMES, is changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pen, "case_of", lambda reader, game_id: change(case_of(reader, game_id)))
        yield


@dataclass
class Twice:
    """Writes each letter as a `Letters` does, and once more about games with other secrets."""

    numbers: Random
    pen: Letters = field(default_factory=lambda: Letters(MAILBOX, SECRET, "operator@felix.test"))
    compared: Counter[str] = field(default_factory=Counter)
    digests: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def zone(self) -> str:
        return self.pen.zone

    def case(self, reader: Reader, game_id: str) -> Case:
        return self.pen.case(reader, game_id)

    def digest(self, *what: object) -> bytes:
        return self.pen.digest(*what)

    def to_host(self, part: Part, now: str) -> Letter | None:
        letter = self.pen.to_host(part, now)
        self._compare([part], letter, self.pen.to_host(self._other(part, "spectator"), now))
        return letter

    def to_player(self, reader: Reader, part: Part, now: str) -> Written | None:
        letter = self.pen.to_player(reader, part, now)
        # Who reads at an address that is named in the notice may be nobody at the table.
        viewer: Viewer = "spectator" if isinstance(part.notices[0], Addressed) else part.to.seat
        seats = {row.game_id: row.seat for row in reader.seats_of(part.to.player_id)}
        with reading(lambda case: altered(case, seats[case.row.game_id], self.numbers)):
            other = self.pen.to_player(reader, self._other(part, viewer), now)
        self._compare([part], letter, other)
        return letter

    def to_player_of_many(
        self, reader: Reader, parts: Sequence[Part], now: str, number: int = 1, count: int = 1
    ) -> Written | None:
        letter = self.pen.to_player_of_many(reader, parts, now, number, count)
        others = [self._other(part, part.to.seat) for part in parts]
        seats = {row.game_id: row.seat for row in reader.seats_of(parts[0].to.player_id)}
        with reading(lambda case: altered(case, seats[case.row.game_id], self.numbers)):
            other = self.pen.to_player_of_many(reader, others, now, number, count)
        self._compare(parts, letter, other)
        self.digests += 1
        return letter

    def _other(self, part: Part, viewer: Viewer) -> Part:
        return replace(part, case=altered(part.case, viewer, self.numbers))

    def _compare(
        self, parts: Sequence[Part], letter: Written | Letter | None, other: Written | Letter | None
    ) -> None:
        kinds = {notice.kind for part in parts for notice in part.notices}
        self.compared.update(kinds)
        if letter != other:
            game = parts[0].case.game
            self.differing.append(f"{sorted(kinds)} to seat {parts[0].to.seat} in version {game.version}")


@dataclass
class Doors(Tray):
    """A channel that refuses letters to some people for good."""

    shut: set[str] = field(default_factory=set)

    def send(self, letter: Letter) -> Result:
        self.taken.append(letter)
        return Refused("550 5.1.1 no such user", "lasting") if letter.recipient in self.shut else Sent()


class Evening:
    """Friends at two tables who do by mail whatever there is to do, and the letters that they get for it."""

    def __init__(self, seats: int, seed: str, hand: LetterWriter, **options: Any) -> None:
        self.seats = seats
        self.numbers = Random(f"{seats}/{seed}")
        room = a_room(f"evening/{seats}/{seed}")
        room.clock.step = timedelta(0)
        sender = Outbox(room.clock, hand)
        self.doors = Doors()
        self.post = Post(room, sender, self.doors)
        processor = Processor(room.service, MAILBOX)
        agreed: dict[str, Any] = {"host": ANNA, "clock": TERMS, **options}
        self.tables = [
            Postbag(room, room.open(seats, command_id=f"table-{number}", **agreed), processor)
            for number in range(2)
        ]
        self.answered = 0

    # ---- what goes on at a table ----------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The first table now."""
        return self.tables[0].game

    def write(self, seat: int, text: str, table: int = 0, sender: str = "") -> None:
        """This seat writes, and whatever follows goes out."""
        bag = self.tables[table]
        bag.mails += 1
        sender = sender or bag.seat(seat).address or bag.seat(seat).addresses[0]
        raw = a_mail(text, sender=sender, message_id=f"<{bag.game_id}-{bag.mails}@players.test>")
        bag.post(raw, bag.address(seat), sender)
        bag.work()
        self.deliver()

    def reply(self, address: str, text: str) -> None:
        """Whoever reads at this address answers the newest letter that came there."""
        letter = next(one for one in reversed(self.doors.taken) if one.recipient == address)
        reply_to = parseaddr(str(message_from_bytes(letter.raw, policy=policy.default)["Reply-To"]))[1]
        self.answered += 1
        raw = a_mail(text, sender=address, message_id=f"<reply-{self.answered}@else.test>")
        self.tables[0].post(raw, reply_to, address)
        self.tables[0].work()
        self.deliver()

    def deliver(self) -> None:
        """Send what is owed."""
        send_due(self.post.do, self.post.outbox, self.doors)

    def wait(self, **time: float) -> None:
        """Time goes by, and what is due is done."""
        self.post.wait(**time)
        tick(self.post.do, self.post.room.service)
        self.deliver()

    def moves(self, count: int, table: int = 0) -> None:
        """So many moves of whoever is asked, each by mail."""
        for _ in range(count):
            self.move_of(self.numbers.choice(self.tables[table].game.asked), table)

    def move_of(self, seat: int, table: int = 0) -> None:
        """A move of this seat, and some time after it."""
        stream = Stream(sha256(self.numbers.randbytes(8)).digest(), "players")
        order = BOTH_KINDS[seat % 2](view(self.tables[table].game, seat), seat, stream).move
        self.write(seat, order_text(order), table)
        self.wait(minutes=self.numbers.randrange(60))

    # ---- what there is to do --------------------------------------------------------------------------

    def gather(self) -> None:
        """Somebody is asked to come and declines, somebody is not asked any more, and all others join."""
        if self.seats > 3:
            self.write(self.seats - 1, "DECLINE", table=1)
        if self.seats > 4:
            self.write(ANNA, f"UNINVITE {NAMES[3]}", table=1)
        for table in (0, 1):
            for seat in self.tables[table].game.asked:
                self.write(seat, "JOIN", table)
        if self.tables[1].game.phase == "inviting":
            self.write(ANNA, "START", table=1)
        self.moves(2, table=1)

    def talk(self) -> None:
        """All who like it hear what is said; everybody asks for everything, and nonsense too."""
        self.write(BEN, "NOTIFY ALL")
        self.write(CARA, "SAY Well, well.")
        self.write(ANNA, "SAY OFF")
        for seat in range(self.seats):
            self.write(seat, f"{ASKS}\nBID 99\nPLAY dog\npsas" if seat % 2 else ASKS)

    def moods(self) -> None:
        """One letter a day, quiet hours, clocks elsewhere; then what was gathered comes."""
        self.write(CARA, "NOTIFY DAILY")
        self.write(BEN, "QUIET 22-8\nTIMEZONE Pacific/Auckland")
        self.moves(2)
        self.write(BEN, "SAY Good morning")
        for _ in range(3):
            self.wait(hours=20)

    def absences(self) -> None:
        """Somebody is away for a while, and the clock waits."""
        self.write(BEN, "AWAY 3 days")
        self.moves(1)
        self.write(BEN, "BACK")

    def pause(self) -> None:
        """The table pauses and goes on."""
        for word in ("PAUSE", "RESUME"):
            for seat in range(self.seats):
                self.write(seat, word)

    def deny(self) -> None:
        """Two deny their last moves; one takes that back, too few vote on the other, and the host decides."""
        for seat in (CARA, BEN):
            self.write(seat, "DISPUTE")
        self.write(BEN, "DISPUTE OFF")
        for seat in range(self.seats - 2):
            self.write(seat, "HAND OVER Cara")
        if self.game.host is not None:
            self.write(self.game.host, "STANDS")

    def move_house(self) -> None:
        """A mail from another address, and letters that are to go there."""
        self.write(BEN, "STATUS", sender="phone@else.test")
        self.reply("ben@players.test", "NO")
        self.write(BEN, "ADDRESS ben@new.test")
        self.reply("ben@new.test", "YES")

    def leave(self) -> None:
        """Ben stops, his seat is offered, turned down, and closed when he is back."""
        self.write(BEN, "STOP")
        self.write(ANNA, "SUBSTITUTE Ben: Dora dora@example.org")
        self.reply("dora@example.org", "DECLINE")
        self.write(ANNA, "SUBSTITUTE Ben: Emil emil@example.org")
        self.moves(2)
        self.write(BEN, "STATUS\nHAND")
        self.reply("emil@example.org", "JOIN")

    def lapse(self) -> None:
        """Cara does not move, until the computer plays for her; then somebody else does."""
        while not self.game.seats[CARA].computer:
            others = [seat for seat in self.game.asked if seat != CARA]
            if others:
                self.move_of(others[0])
            else:
                self.wait(days=1)
        host = self.game.host
        assert host is not None
        self.write(host, "SUBSTITUTE Cara: Fay fay@example.org")
        self.reply("fay@example.org", "JOIN")
        self.write(CARA, ASKS, sender="fay@example.org")

    def lose(self) -> None:
        """Nothing reaches the last one any more."""
        last = self.seats - 1
        self.doors.shut.add(f"{NAMES[last].lower()}@players.test")
        for _ in range(2):
            self.write(ANNA, "SAY Where are you?")
            self.write(last, "NOTIFY ALL\nSTATUS")
            self.wait(days=1)

    def end(self) -> None:
        """Ben resigns, Anna is forgotten, and the other table gives up."""
        for seat in self.tables[1].game.players:
            if not self.tables[1].game.is_over:
                self.write(seat, "ABANDON", table=1)
        self.write(BEN, "RESIGN")
        self.write(BEN, "YES")
        self.write(ANNA, "FORGET ME")
        self.reply("anna@players.test", "YES")

    def whole(self) -> None:
        """All of it, in an order that is drawn."""
        self.gather()
        scenes = [self.talk, self.moods, self.absences, self.pause, self.deny, self.move_house, self.leave]
        self.numbers.shuffle(scenes)
        for scene in (*scenes, self.lapse, self.lose, self.end):
            scene()
            if not self.game.is_over:
                self.moves(min(2, len(self.game.asked)))
