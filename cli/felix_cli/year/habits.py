"""The habits of a simulated year's players: how they answer letters, and what they do unasked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Final

from felix_async.clock import text_of
from felix_async.draw import contribution
from felix_async.follow_up.kinds import Answer
from felix_async.game.ahead import NOTHING
from felix_async.game.commands import (
    Absent,
    Cancel,
    Command,
    Decline,
    HostCommand,
    Join,
    Leave,
    Recall,
    Resume,
    Return,
    Start,
    Vote,
)
from felix_async.game.lobby import FEWEST
from felix_async.game.moment import lateness, row_of
from felix_async.inbox.receipts import FIRST_MOVES
from felix_async.service import Origin, Outcome
from felix_cli.year.answering import DEFAULT, Ask, Said, Ways, buys, open_ask, what_to_say
from felix_cli.year.luck import Luck
from felix_cli.year.people import Holiday, Person
from felix_cli.year.tables import Plan
from felix_cli.year.tally import Seat
from felix_cli.year.world import World
from felix_events.envelope import Actor
from felix_events.model import Ballot, Options
from felix_events.store.rows import Letter, NoticeRow

BUSY: Final = 0.04
"""The share of messages that lie in the inbox for a while before felix reads them."""
_READ_AFTER: Final = timedelta(seconds=90)
_JOINS, _DECLINES = 0.94, 0.97
"""Of all invitations these shares are accepted, and accepted or declined; the others hear nothing."""
_HURRIES: Final = 0.5
"""How likely a reminder makes somebody answer within hours."""
_TAKES_BACK: Final = 0.75
"""How likely somebody returns to whose seat the computer plays."""
_AGREES: Final = 0.6
_PATIENCE: Final = timedelta(days=25)
"""After so long without an event, those at a table without a clock vote to end it."""
_DAY: Final = timedelta(days=1)


@dataclass
class Habits:
    """The people, their seats, and what goes to and fro between them and the server."""

    world: World
    seed: str
    people: list[Person]
    ways: Ways = DEFAULT
    sitting: dict[Seat, Person] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)
    early: int = 0
    """Answers that came before it was the seat's turn."""
    late: int = 0
    """Answers to another card than the one of now, or to a decision that was made meanwhile."""
    luck: Luck = field(init=False)
    _mails: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        self.luck = Luck(self.seed, "habits")

    def begin(self, plans: list[Plan]) -> None:
        """Let tables be opened, holidays be announced, and those who vanished come back."""
        self.world.arrived = self.arrived
        for plan in plans:
            self.world.at(plan.at, self.world.when_up(partial(self._open, plan)))
        for person in self.people:
            for holiday in person.holidays:
                self._later(person, holiday.start - 2 * _DAY, partial(self._say_goodbye, person, holiday))
            if person.again is not None:
                self._later(person, person.again, partial(self._catch_up, person))

    def arrived(self, letter: Letter) -> None:
        """Somebody has a letter: what they do about it."""
        for notice in self.world.tx.notices_in(letter.letter_id):
            person = self.sitting[notice.game_id, notice.seat]
            react = self._reactions().get(notice.kind)
            if react is not None:
                react(person, notice)

    def _reactions(self) -> dict[str, Callable[[Person, NoticeRow], None]]:
        return {
            "invitation": self._invited,
            "turn": self._asked,
            "early": self._asked_early,
            "reminder": self._reminded,
            "lobby": self._hosts,
            "timed_out": self._timed_out,
            "vote": self._votes,
            "paused": self._goes_on,
        }

    # ---- tables

    def _open(self, plan: Plan) -> None:
        world, number = self.world, plan.number
        players = [person.player for person in plan.people]
        game_id, outcome = world.service.open_table(
            world.tx,
            players,
            origin=Origin(f"year/{number}", "host", "desk"),
            table_name=f"Year, table {number + 1}",
            ruleset=plan.ruleset,
            kind="simulated",
            options=Options(seeded=True, pace=self.ways.pace),
            host=0,
            clock=plan.clock,
        )
        assert outcome.refusal is None, "people are different, and there are enough of them"
        for seat, person in enumerate(plan.people):
            self.sitting[game_id, seat] = person
            world.tally.seat_taken((game_id, seat), person.choice)
        world.acted([game_id])
        if plan.clock is None:
            world.at(world.machine.now + _PATIENCE, partial(self._lose_patience, game_id, 0))
        else:
            self._have_whims(game_id, len(players))

    def _have_whims(self, game_id: str, seats: int) -> None:
        """Now and then somebody wants a pause, or an end, or leaves for some days, or for good."""
        seat = self.luck.below(seats)
        at = self.world.machine.now + self.luck.between(4 * _DAY, 40 * _DAY)
        number = self.luck.below(100)
        if number < 5:
            self._asks_unasked(game_id, seat, at, Vote(seat=seat, on="pause"))
        elif number < 8:
            self._asks_unasked(game_id, seat, at, Vote(seat=seat, on="abandon"))
            self._asks_unasked(game_id, seat, at + 20 * _DAY, Resume(seat=seat))
        elif number < 12:
            self._asks_unasked(game_id, seat, at, Leave(seat=seat, for_good=False))
            self._asks_unasked(game_id, seat, at + 6 * _DAY, Return(seat=seat))
        elif number < 14:
            self._asks_unasked(game_id, seat, at, Leave(seat=seat, for_good=True))

    def _asks_unasked(self, game_id: str, seat: int, at: datetime, command: Command) -> None:
        person = self.sitting[game_id, seat]
        self._later(person, at, partial(self._send, (game_id, seat), command))

    def _lose_patience(self, game_id: str, version: int) -> None:
        game = self.world.game(game_id)
        if game.is_over:
            return
        if game.version == version and game.standing == "running":
            for seat in game.humans:
                if seat not in game.awaited:
                    self._asks_unasked(game_id, seat, self.world.machine.now, Vote(seat=seat, on="abandon"))
        again = partial(self._lose_patience, game_id, game.version)
        self.world.at(self.world.machine.now + _PATIENCE, again)

    # ---- letters

    def _invited(self, person: Person, notice: NoticeRow) -> None:
        seat, luck = (notice.game_id, notice.seat), person.luck
        answer = luck.share()
        if notice.seat == 0 or answer < _JOINS:
            words = luck.below(1 << 62).to_bytes(32).hex()
            self._answers(person, seat, Join(seat=notice.seat, contribution=words))
        elif answer < _DECLINES:
            self._answers(person, seat, Decline(seat=notice.seat))

    def _asked(self, _person: Person, notice: NoticeRow) -> None:
        self._answers_to((notice.game_id, notice.seat), self._ask_of(notice))

    def _asked_early(self, _person: Person, notice: NoticeRow) -> None:
        self._answers_to((notice.game_id, notice.seat), self._ask_of(notice)._replace(is_early=True))

    def _answers_to(self, seat: Seat, ask: Ask) -> None:
        """Of those who are asked early some answer, and the others once it is their turn."""
        if not ask.is_early or self._drawn(seat, "early", ask) < self.ways.early:
            self._at(self.sitting[seat].answers(self.world.machine.now), partial(self._answer, seat, ask))

    def _ask_of(self, notice: NoticeRow) -> Ask:
        """A letter that asks shows the card of now: with another, what it would say is stale."""
        return Ask(notice.turn, row_of(self.world.game(notice.game_id)))

    def _drawn(self, seat: Seat, *about: object) -> float:
        """A draw of its own for each decision, whatever else was drawn before."""
        return Luck(self.seed, "/".join(map(str, (*seat, *about)))).share()

    def _reminded(self, person: Person, notice: NoticeRow) -> None:
        if notice.turn and person.luck.happens(_HURRIES):
            soon = self.world.machine.now + person.luck.between(timedelta(minutes=5), timedelta(hours=3))
            answer = partial(self._answer, (notice.game_id, notice.seat), self._ask_of(notice))
            self._later(person, soon, answer)

    def _hosts(self, person: Person, notice: NoticeRow) -> None:
        at = person.awake(self.world.machine.now + person.luck.around(timedelta(hours=3), 1.0))
        self._at(at, partial(self._host, (notice.game_id, notice.seat)))

    def _host(self, seat: Seat) -> None:
        game = self.world.game(seat[0])
        if game.phase != "inviting" or game.host != seat[1]:
            return
        if len(game.answered("joined")) >= FEWEST and not game.asked:
            self._send(seat, Start(seat=seat[1]))
        elif len(game.answered("joined", "invited")) < FEWEST:
            self._send(seat, Cancel(seat=seat[1]))

    def _timed_out(self, person: Person, notice: NoticeRow) -> None:
        seat = (notice.game_id, notice.seat)
        if self.world.game(seat[0]).seats[seat[1]].computer and person.luck.happens(_TAKES_BACK):
            self._answers(person, seat, Return(seat=seat[1]))

    def _votes(self, person: Person, notice: NoticeRow) -> None:
        on: list[Ballot] = sorted({what for what, _ in self.world.game(notice.game_id).votes})
        if on and person.luck.happens(_AGREES):
            self._answers(person, (notice.game_id, notice.seat), Vote(seat=notice.seat, on=on[0]))

    def _goes_on(self, person: Person, notice: NoticeRow) -> None:
        if person.luck.happens(0.2):
            at = self.world.machine.now + person.luck.between(3 * _DAY, 20 * _DAY)
            self._later(
                person, at, partial(self._send, (notice.game_id, notice.seat), Resume(seat=notice.seat))
            )

    def _say_goodbye(self, person: Person, holiday: Holiday) -> None:
        """Whoever announces a holiday does so at all their tables; some are back early and say so."""
        if not holiday.announced:
            return
        for seat in self._tables_of(person):
            away = Absent(
                seat=seat[1],
                start=text_of(holiday.start),
                back=text_of(holiday.back),
                computer=holiday.announced == "computer",
            )
            self._send(seat, away)
            if person.luck.happens(0.1):
                self._later(person, holiday.back, partial(self._send, seat, Recall(seat=seat[1])))

    def _catch_up(self, person: Person) -> None:
        """Back after a long silence: the seats are taken back; moves that still wait come by themselves."""
        for seat in self._tables_of(person):
            if self.world.game(seat[0]).seats[seat[1]].computer:
                self._send(seat, Return(seat=seat[1]))

    def _tables_of(self, person: Person) -> list[Seat]:
        """The seats that they have at tables which are not over."""
        tables = self.world.tally.tables
        return [seat for seat in self._seats_of(person) if tables[seat[0]].over is None]

    def _seats_of(self, person: Person) -> list[Seat]:
        return [seat for seat, one in self.sitting.items() if one is person]

    # ---- messages

    def _answers(self, person: Person, seat: Seat, command: Command) -> None:
        self._at(person.answers(self.world.machine.now), partial(self._send, seat, command))

    def _later(self, person: Person, at: datetime, what: Callable[[], None]) -> None:
        self._at(person.awake(at), what)

    def _at(self, at: datetime | None, what: Callable[[], None]) -> None:
        if at is not None:
            self.world.at(at, what)

    def _answer(self, seat: Seat, ask: Ask) -> None:
        """Answer a letter that asked; who has made the decision knows that."""
        game = self.world.game(seat[0])
        state = game.seats[seat[1]]
        made = self.world.tally.tables[seat[0]].made.get(seat[1], -1)
        if game.is_over or state.gone or (made >= ask.turn and not state.computer):
            return
        self._send(seat, ask)

    def _send(self, seat: Seat, said: Command | Ask) -> None:
        """A message to felix: sent now, there when the server is up, and read then, or a little later."""
        self.world.when_up(partial(self._come_in, seat, said, f"year/mail/{next(self._mails)}"))()

    def _come_in(self, seat: Seat, said: Command | Ask, mail: str) -> None:
        world = self.world
        if not self.luck.happens(BUSY):
            self._obey(seat, said, mail)
            return
        person = self.sitting[seat]
        raw = f"From: {person.player.address}\r\n\r\nSimulated.\r\n".encode()
        received = text_of(world.machine.clock())
        mail_id = world.tx.keep_mail(received, "", person.player.address or "", raw)
        if isinstance(said, Join | Decline):
            world.tally.mail_came((*seat, 0))
        elif isinstance(said, Ask) and not said.is_early:
            world.tally.mail_came((*seat, said.turn))

        def read() -> None:
            world.tx.settle_mail(mail_id, "done")
            self._obey(seat, said, mail)

        world.at(world.machine.now + _READ_AFTER, world.when_up(read))

    def _obey(self, seat: Seat, said: Command | Ask, mail: str) -> None:
        """The inbox's part: whoever writes is back at the table, and then it is obeyed."""
        world, (game_id, number) = self.world, seat
        game = world.game(game_id)
        if game.is_over:
            return
        if game.seats[number].computer and not isinstance(said, Leave | Absent | Return):
            self._handle(seat, Return(seat=number), f"{mail}/return")
        if isinstance(said, Ask):
            self._take(seat, said, mail)
        else:
            self._handle(seat, said, mail)
        world.acted([game_id])

    def _take(self, seat: Seat, ask: Ask, mail: str) -> None:
        """An answer belongs to a card: to another than that of now, it is shown what is asked now instead,
        and answers that, as soon as any letter.
        """
        (game_id, number), person = seat, self.sitting[seat]
        game = self.world.game(game_id)
        ahead = self.world.service.ahead(self.world.tx, game_id).get(number, NOTHING)
        if lateness(game, number, ask.turn, ask.row, "ahead"):
            self.late += 1
            self._obeyed(seat, is_clean=False)
            now = open_ask(game, number, ahead)
            if now is not None:
                self._answers_to(seat, now)
            return
        if open_ask(game, number, ahead) is None:
            return
        is_early = number not in game.asked
        said = what_to_say(
            game,
            number,
            person.luck,
            ahead,
            limit=ask.is_early or self._drawn(seat, "up to", ask) < self.ways.early,
            card=self._drawn(seat, "next", game.round) < self.ways.ahead,
        )
        self.early += is_early
        is_more = bool(said.gives) or self._is_new(person)
        has_bought = buys(game, number, said)
        if self._tell(seat, said, None if is_early else ask.turn, mail):
            after = self.world.game(game_id)
            # Whoever is asked for the next card reads there that the sack is theirs.
            is_told = has_bought and not (number in after.asked or after.is_over)
            self._obeyed(seat, is_clean=not (is_more or is_told))

    def _tell(self, seat: Seat, said: Said, turn: int | None, mail: str) -> bool:
        """Let the service do what was said; return False if it was refused."""
        origin = Origin(mail, "seat", "mail", _hash_of(mail), said.order, turn)
        service, tx = self.world.service, self.world.tx
        if said.gives:
            outcome = service.instruct(tx, seat[0], said.gives, origin, said.move)
        else:
            assert said.move is not None, "somebody says something"
            outcome = service.handle(tx, seat[0], said.move, origin)
        self._note(outcome)
        return outcome.refusal is None

    def _is_new(self, person: Person) -> bool:
        """Return True if somebody has hardly made a move yet: their first ones are answered."""
        return sum(map(self.world.tally.moved, self._seats_of(person))) < FIRST_MOVES

    def _obeyed(self, seat: Seat, *, is_clean: bool) -> None:
        """Count the answer to an order that was dealt with; one that another letter tells along is none."""
        now = text_of(self.world.machine.clock())
        due = [one for one in self.world.tx.pending(now) if one.kind != Answer.kind]
        if not any((one.game_id, one.seat) == seat for one in due):
            self.world.tally.obeyed(seat, is_clean=is_clean)

    def _handle(self, seat: Seat, command: Command, mail: str) -> None:
        actor: Actor = "host" if isinstance(command, HostCommand) else "seat"
        order, message_id = type(command).__name__.upper(), None
        if isinstance(command, Vote):
            order = command.on.upper()
        elif isinstance(command, Leave):
            order = "RESIGN" if command.for_good else "STOP"
        elif isinstance(command, Join):
            # So far its contribution is what the player writes behind the word.
            order, message_id = f"{order} {command.contribution}", mail
            command = Join(seat=command.seat, contribution=contribution(mail, command.contribution))
        origin = Origin(mail, actor, "mail", _hash_of(mail), order, message_id=message_id)
        outcome = self.world.service.handle(self.world.tx, seat[0], command, origin)
        self._note(outcome)
        if outcome.refusal is None and not isinstance(command, Return):
            self._obeyed(seat, is_clean=False)

    def _note(self, outcome: Outcome) -> None:
        if outcome.refusal is not None:
            code = outcome.refusal.code
            self.refusals[code] = self.refusals.get(code, 0) + 1


def _hash_of(mail: str) -> str:
    """The hash of a message that nobody has written: of its name."""
    return sha256(mail.encode()).hexdigest()
