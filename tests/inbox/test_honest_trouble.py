"""Honest trouble is no crime: an audit has no findings after it, nor at the end of the game."""

from __future__ import annotations

from collections.abc import Callable

from each import each
from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_in
from felix_async.game.cards import card_word
from felix_async.game.commands import Restore
from felix_async.orders.rekeying import rekey
from felix_events.export import read_export
from games import Played
from inbox.postbag import a_mail
from inbox.substituting import BEN, CARA, DAN, DORA, Succession, a_succession


def placing(succession: Succession, seat: int) -> str:
    """The order that places a card of the seat's hand."""
    return f"PLAY {card_word(succession.bag.game.seats[seat].hand[0]).upper()}"


def a_mail_that_comes_twice(succession: Succession) -> None:
    bag = succession.bag
    address, sender = bag.address(CARA), bag.seat(CARA).address or ""
    raw = a_mail(placing(succession, CARA), sender=sender, message_id="<twice@players.test>")
    first, again = (bag.take(raw, address, sender) for _ in range(2))
    assert (bag.mail(first).state, bag.mail(again).state) == ("done", "duplicate")


def a_letter_that_is_written_anew(succession: Succession) -> None:
    bag, address = succession.bag, succession.bag.seat(CARA).address or ""
    bag.send(CARA, "NEXT 3\nSTATUS")
    bag.do(lambda tx: rekey(tx, bag.room.service, bag.seat(CARA), "Your addresses are new."))
    *_, letter = succession.letters_to(address)
    succession.reply(letter, placing(succession, CARA), address)
    assert bag.game.seats[CARA].has_placed


def a_substitute(succession: Succession) -> None:
    letter = succession.taken()
    succession.reply(letter, placing(succession, BEN), DORA)
    assert succession.bag.game.seats[BEN].has_placed


def a_player_who_is_forgotten(succession: Succession) -> None:
    bag = succession.bag
    bag.send(DAN, f"SAY I like parsnips\n{placing(succession, DAN)}")
    bag.send(DAN, "FORGET ME")
    bag.reply(DAN)
    succession.deliver()
    assert bag.seat(DAN).name == ""


def a_restored_backup(succession: Succession) -> None:
    assert succession.bag.room.do(succession.bag.game_id, Restore()).events == 1


Trouble = Callable[[Succession], None]
TROUBLES: list[Trouble] = [
    a_mail_that_comes_twice,
    a_letter_that_is_written_anew,
    a_substitute,
    a_player_who_is_forgotten,
    a_restored_backup,
]


@each("troubles", [*([one] for one in TROUBLES), TROUBLES[1:], [TROUBLES[0], *TROUBLES[2:]]])
def test_an_audit_finds_nothing(troubles: list[Trouble]) -> None:
    succession = a_succession()
    room, game_id = succession.bag.room, succession.bag.game_id
    for trouble in troubles:
        trouble(succession)
        assert audit(room.evidence(game_id)).findings == []
    room.play(game_id)
    played = Played(game_id, room.evidence(game_id), ("Anna", "Ben", "Cara", "Dan"))
    assert played.game().phase == "ended"
    for evidence in (played.evidence, evidence_in(read_export(played.export()))):
        assert audit(evidence).findings == []
