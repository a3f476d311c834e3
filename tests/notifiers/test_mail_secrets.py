"""Non-interference: whatever a seat must not know is changed, and its mail stays the same to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from felix_async.answer import Answer
from felix_async.game.cards import PET_CARDS
from felix_async.game.fold import fold
from felix_async.game.view import may_know, view
from felix_events.envelope import Envelope
from felix_events.model import CardPlaced, DummyDealt, Event, HandDealt
from felix_notifiers.content.ending import ending_of
from felix_notifiers.content.history import since_last_move
from felix_notifiers.pages.compose import Composed, Sheet, compose
from felix_notifiers.writing.preview import preview
from games import TABLE_NAME, Played, a_game_played
from notifiers.sheets import MAILBOX, REPLY_ADDRESS, an_answer
from table import for_every_table

ALL = an_answer(("HAND", "done", "."), ("STATUS", "done", "."), show=["hand", "status", "help"])


def changed(event: Event, random: Random) -> Event:
    """The same secret event, with other cards."""
    cards = list(PET_CARDS)
    random.shuffle(cards)
    match event:
        case HandDealt():
            return event.model_copy(update={"cards": cards[:9], "boxed": cards[9]})
        case DummyDealt():
            return event.model_copy(update={"pile": cards[:9], "boxed": cards[9]})
        case CardPlaced():
            return event.model_copy(update={"card": next(card for card in cards if card != event.card)})
    raise TypeError(f"{event.type} is no secret")


def with_other_secrets(envelopes: Sequence[Envelope], seat: int, random: Random) -> list[Envelope]:
    """The log, everything changed that the seat may not know."""
    return [
        envelope
        if may_know(envelope.data, seat)
        else envelope.model_copy(update={"data": changed(envelope.data, random), "salt": "0" * 32})
        for envelope in envelopes
    ]


def answered(envelopes: Sequence[Envelope], played: Played, seat: int, answer: Answer) -> Composed:
    """The answer to a mail that asks for everything, and every notice at once."""
    return compose(
        Sheet(
            game_id=played.game_id,
            table_name=TABLE_NAME,
            names=played.names,
            table=view(fold(envelope.data for envelope in envelopes), seat),
            occasions={"answer", "turn", "reminder"},
            answer=answer,
            history=since_last_move(envelopes, played.names, seat),
            reply_address=REPLY_ADDRESS,
        )
    )


@for_every_table
@pytest.mark.parametrize("seed", ["one", "two"])
def test_a_mail_does_not_depend_on_what_its_reader_may_not_know(seats: int, seed: str) -> None:
    played = a_game_played(seats, seed=seed)
    random = Random(f"{seats}{seed}")
    differed = 0
    for version in random.sample(range(1, played.size - 1), 25):
        envelopes = played.envelopes[:version]
        for seat in range(seats):
            other = with_other_secrets(envelopes, seat, random)
            differed += other != envelopes
            ours = preview(envelopes, played.names, TABLE_NAME, seat, MAILBOX)
            assert ours == preview(other, played.names, TABLE_NAME, seat, MAILBOX)
            assert answered(envelopes, played, seat, ALL) == answered(other, played, seat, ALL)
    assert differed > 20 * seats, "hardly anything was changed"


@for_every_table
def test_nothing_is_laid_open_before_the_end(seats: int) -> None:
    played = a_game_played(seats)
    for version in range(1, played.size - 1, 7):
        with pytest.raises(ValueError, match="a running game has hidden cards"):
            ending_of(played.envelopes[:version])


@for_every_table
def test_the_mice_of_others_are_in_no_mail_of_a_running_game(seats: int) -> None:
    played = a_game_played(seats)
    version = next(v for v in played.step_ends() if played.game(v).round == 4)
    game = played.game(version)
    rich = [game.copy() for _ in range(2)]
    for seat in range(1, seats):
        rich[1].seats[seat].mice += 100
        rich[1].seats[seat].won.append(15)
    mails = [
        compose(
            Sheet(
                "k7m2p", "T", played.names, view(table, 0), {"answer", "turn"}, ALL, (), "felix+x@play.test"
            )
        )
        for table in rich
    ]
    assert mails[0] == mails[1]
