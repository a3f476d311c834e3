"""A simulated year whose people write real messages: what felix owes for them becomes letters."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from felix_async.address import Token, address_of, encode_token
from felix_async.clock import text_of
from felix_async.follow_up.kinds import Answer, load_all
from felix_async.game.commands import Command, Decline, Join
from felix_async.game.moment import NOT_SAID, Row, coming, lateness, row_of
from felix_async.inbox.process import Processor, process_all
from felix_cli.year.answering import Ask, Said
from felix_cli.year.habits import Habits
from felix_cli.year.tally import Seat
from felix_cli.year.world import MAILBOX
from felix_events.store.rows import Letter
from inbox.postbag import a_mail


@dataclass
class ByMail(Habits):
    """People who write what they say when they are invited or asked; the rest is done without a message.

    `answers` counts the letters to each seat that do nothing but answer, `silent` its messages that no letter
    tells of.
    """

    answers: Counter[Seat] = field(default_factory=Counter)
    silent: Counter[Seat] = field(default_factory=Counter)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _is_written: bool = False

    def arrived(self, letter: Letter) -> None:
        told = load_all(self.world.tx.notices_in(letter.letter_id))
        if all(isinstance(notice, Answer) for notice in told):
            self.answers[letter.game_id, letter.seat] += 1
        super().arrived(letter)

    def _take(self, seat: Seat, ask: Ask, mail: str) -> None:
        if lateness(self.world.game(seat[0]), seat[1], ask.turn, ask.row, "ahead"):
            self._write(seat, "PASS", ask.turn, ask.row)
        super()._take(seat, ask, mail)

    def _tell(self, seat: Seat, said: Said, turn: int | None, mail: str) -> bool:
        game = self.world.game(seat[0])
        return self._write(seat, said.order, coming(game, seat[1]), row_of(game))

    def _handle(self, seat: Seat, command: Command, mail: str) -> None:
        if not isinstance(command, Join | Decline):
            super()._handle(seat, command, mail)
            return
        words = f"JOIN {command.contribution}" if isinstance(command, Join) else "DECLINE"
        if self._write(seat, words, 0, NOT_SAID):
            self._obeyed(seat, is_clean=False)

    def _obeyed(self, seat: Seat, *, is_clean: bool) -> None:
        """Let the year count what was written, and nothing else."""
        if self._is_written:
            super()._obeyed(seat, is_clean=is_clean)
        self._is_written = False

    def _write(self, seat: Seat, text: str, turn: int, row: Row) -> bool:
        """Send a message; return True if it changed something."""
        world, (game_id, number) = self.world, seat
        now, sender = text_of(world.machine.clock()), self.sitting[seat].player.address or ""
        token = Token(game_id, number, "move", turn, row)
        to = address_of(MAILBOX, encode_token(token, world.tx.seats(game_id)[number].secret))
        raw = a_mail(text, sender=sender, message_id=f"<{next(self._numbers)}@people.invalid>")
        mail_id = world.tx.keep_mail(now, to, sender, raw)
        process_all(world.do, Processor(world.service, MAILBOX))
        owed = load_all([one for one in world.tx.notices(game_id) if one.seat == number])
        answers = [one.answer for one in owed if isinstance(one, Answer) and one.mail_id == mail_id]
        due = {one.kind for one in world.tx.pending(now) if (one.game_id, one.seat) == seat}
        if all(answer.quiet for answer in answers) and due <= {Answer.kind}:
            self.silent[seat] += 1
        self._is_written = True
        return any(answer.changed for answer in answers)
