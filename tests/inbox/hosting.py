"""Tables that players open by mail, for tests: who writes, what is open then, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from felix_async.follow_up.answer import Answer
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_events.envelope import check_envelopes
from felix_events.store.rows import SeatRow
from games import NAMES
from inbox.postbag import MAILBOX, Postbag, a_mail, a_table

ANNA: Final = "anna@players.test"
FRIENDS: Final = "Dora <dora@friends.test>\nEmil <emil@friends.test>"
"""Two people of whom felix has never heard, as lines below a NEW."""


def an_open_table(*joined: int) -> Postbag:
    """A table that Anna has opened by mail for Ben, Cara and Dan; she is in, and so are these seats."""
    bag = a_table()
    write_new(bag, "NEW Friday club\nBen\nCara\nDan")
    bag.game_id = opened(bag)[0]
    for seat in joined:
        bag.send(seat, "JOIN")
    return bag


def write_new(
    bag: Postbag,
    text: str,
    *,
    headers: Sequence[str] = (),
    recipient: str | None = None,
    sender: str = ANNA,
    subject: str = "Re: Your turn",
    seat: int = 0,
) -> int:
    """A mail that may open a table comes in and is dealt with; its id."""
    bag.mails += 1
    raw = a_mail(
        text, sender=sender, message_id=f"<new-{bag.mails}@players.test>", subject=subject, headers=headers
    )
    return bag.take(raw, recipient or bag.address(seat), sender)


def without_token(bag: Postbag, text: str, **more: Any) -> int:
    """The same to felix's bare address; its id."""
    return write_new(bag, text, recipient=MAILBOX, **more)


def opened(bag: Postbag) -> list[str]:
    """The tables that were opened by mail, the oldest first."""
    return [game.game_id for game in bag.look(lambda reader: reader.games())][1:]


def seats_at(bag: Postbag, game_id: str) -> list[SeatRow]:
    """Who sits at a table."""
    return bag.look(lambda reader: reader.seats(game_id))


def names_at(bag: Postbag, game_id: str) -> list[str]:
    """What those are called."""
    return [seat.name for seat in seats_at(bag, game_id)]


def game_at(bag: Postbag, game_id: str) -> Game:
    """Its state, from the log alone."""
    with bag.room.store.read() as reader:
        return fold(envelope.data for envelope in check_envelopes(reader.bodies(game_id)))


def answers(bag: Postbag, game_id: str, seat: int = 0) -> list[Answer]:
    """The answers that are owed to a seat."""
    notices = bag.look(lambda reader: reader.notices(game_id))
    return [Answer.model_validate_json(n.payload) for n in notices if (n.kind, n.seat) == ("answer", seat)]


def why_not(bag: Postbag, text: str, **more: Any) -> str:
    """The sentence with which a mail is refused that changes nothing."""
    before = kept(bag)
    mail = write_new(bag, text, **more)
    assert kept(bag) == before, "a refused order leaves no trace but its answer"
    answer = bag.answer_to(mail)
    assert answer is not None, bag.mail(mail).note
    assert answer.lines[0].verdict == "refused"
    return answer.lines[0].why


def kept(bag: Postbag) -> list[Any]:
    """All that a store keeps, but for received mails and what is owed."""
    with bag.room.store.read() as reader:
        games = reader.games()
        rows: list[Any] = [games, reader.addresses(), reader.logs()]
        for game in games:
            rows += [reader.log(game.game_id), reader.seats(game.game_id), reader.due_of(game.game_id)]
            rows += [reader.questions(game.game_id, seat) for seat in range(len(NAMES))]
            rows += [reader.sayings(game.game_id), reader.choices_at(game.game_id)]
        return rows
