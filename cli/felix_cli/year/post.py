"""The post of a simulated year: felix's own, but for the words in the letters and the other side.

What is claimed, folded, held back, dropped, tried again and given up is `felix_notifiers`' business here as
everywhere. Simulated are the pen, which writes a line where a real one composes a message, and the providers.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

from felix_async.follow_up.notice import Notice
from felix_async.game.story import Story
from felix_async.service import Service
from felix_cli.year.machine import Machine
from felix_events.envelope import canonical
from felix_events.store.base import Reader
from felix_events.store.rows import Letter, lane_of
from felix_notifiers.mails.case import Case
from felix_notifiers.mails.letters import Part, Written
from felix_notifiers.outbox.channel import Result, Sent, TryAgain


@dataclass(frozen=True, slots=True)
class ShortHand:
    """Writes letters of one line: whom they are to, and for which notices."""

    service: Service
    secret: bytes = field(repr=False)

    @property
    def zone(self) -> str:
        """The server's time zone."""
        return self.service.hours.zone

    def case(self, reader: Reader, game_id: str) -> Case:
        """Return a game as letters without a history need it: the state from memory, and no events."""
        row = reader.game(game_id)
        if row is None:
            raise LookupError(f"there is no game {game_id}")
        expires = {due.seat: due.due_at for due in reader.due_of(game_id) if due.kind == "expiry"}
        story = Story(game=self.service.load(reader, game_id))
        return Case(row, reader.seats(game_id), story, (), expires)

    def digest(self, *what: object) -> bytes:
        """Bytes that follow from the secret and from what they are for."""
        return hmac.digest(self.secret, canonical(what), "sha256")

    def to_player(self, _reader: Reader, part: Part, now: str) -> Written | None:
        """A letter about one game."""
        return Written(self._letter(part, part.notices, now))

    def to_player_of_many(
        self, _reader: Reader, parts: Sequence[Part], now: str, _number: int = 1, _count: int = 1
    ) -> Written | None:
        """One letter about several games."""
        return Written(self._letter(parts[0], [notice for part in parts for notice in part.notices], now))

    def to_host(self, part: Part, now: str) -> Letter:
        """To the operator."""
        return self._letter(part, part.notices, now)

    def _letter(self, part: Part, notices: Sequence[Notice], now: str) -> Letter:
        to = part.to
        assert to.address is not None, "a seat without an address gets no letter"
        name = self.digest("letter", [notice.notice_id for notice in notices]).hex()[:32]
        kinds = ", ".join(sorted({notice.kind for notice in notices}))
        raw = f"To: {to.address}\r\n\r\nSimulated: {kinds}.\r\n".encode()
        message_id = f"<{name}@felix.invalid>"
        return Letter(to.game_id, to.seat, to.address, message_id, raw, created_at=now, next_at=now)


@dataclass(slots=True)
class Providers:
    """The other side: takes every letter at once, but for the days on which a provider takes none."""

    machine: Machine
    taken: list[Letter] = field(default_factory=list)
    """What was taken and has not been looked at yet."""

    def send(self, letter: Letter) -> Result:
        """Try to send a letter."""
        if self.machine.is_troubled(lane_of(letter.recipient), self.machine.now):
            return TryAgain("451 come back later", "provider")
        self.taken.append(letter)
        return Sent()

    def close(self) -> None:
        """Nothing to let go of."""
