"""What felix says and reads in the language of the environment, as JSON: for tests of another language."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from felix_async.game.beats import beats
from felix_async.game.commands import Pass
from felix_async.game.folding import fold
from felix_async.game.names import Names
from felix_async.game.narrate import describe, retell
from felix_async.game.rules import Refusal
from felix_async.game.views import Viewer, redact
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import (
    AWAY_WORDS,
    CARD_NAMES,
    DONE,
    HELP,
    MARKER,
    MISUNDERSTOOD,
    MONTHS,
    NOTIFY_WORDS,
    QUIET_WORDS,
    RECEIPTS_WORDS,
    WEEKDAYS,
    WORD_OF,
    WORDY,
)
from felix_async.reading.reader import read_text
from felix_async.reading.understand import understand
from felix_async.text import plain
from felix_events.model import (
    Event,
    GameAbandoned,
    HostNamed,
    InvitationExpired,
    PlayerDeclined,
    PlayerSaid,
    PlayerUninvited,
    SeatHandedOver,
    SeatTaken,
)
from felix_notifiers.content.mail import Composed
from felix_notifiers.mails import operator
from felix_notifiers.mails.preview import preview
from felix_notifiers.mails.render import rendered
from felix_notifiers.outbox.alerts import alert_text
from games import NAMES, TABLE_NAME, a_declined_game, a_game_played
from notifiers.sheets import MAILBOX, an_answer, mail, the_question
from table import ANNA, BEN, CARA, GAME_ID, Table, a_game, an_invitation

WITH_MORE: Final = (
    "PLAY",
    "BID",
    "UPTO",
    "NEXT",
    "HOST",
    "UNINVITE",
    "SUBSTITUTE",
    "SAY",
    "NOTIFY",
    "RECEIPTS",
    "ADDRESS",
)
"""Orders that do not stand alone."""

PEOPLE: Final = (
    HostNamed(seat=BEN),
    PlayerUninvited(seat=BEN),
    InvitationExpired(seat=CARA),
    SeatHandedOver(seat=BEN, to="computer", for_good=False),
    SeatHandedOver(seat=BEN, to="computer", for_good=True),
    SeatHandedOver(seat=BEN, to="player", for_good=False),
    SeatTaken(seat=BEN, player_id="dora"),
    PlayerSaid(seat=BEN, text_hash="0" * 64),
)


def mails(few: int) -> Iterator[Composed]:
    """Mails of all occasions, in all phases, one in so many of whole games among them."""
    for seats in (3, 5):
        played = a_game_played(seats)
        for version in range(played.size, seats, -few):
            yield preview(played.envelopes[:version], NAMES[:seats], TABLE_NAME, version % seats, MAILBOX)
    yield preview(a_declined_game().envelopes, NAMES[:4], "", ANNA, MAILBOX)
    table = a_game()
    answered = an_answer(
        (f"{WORD_OF['PLAY']} 3", "done", DONE["PLAY"]),
        (WORD_OF["BID"], "not understood", MISUNDERSTOOD["order/no_amount"]),
        (WORD_OF["PASS"], "refused", str(Refusal("bid/above_mice", {"mice": 3, "amount": 5}))),
        ("...", "ambiguous", MISUNDERSTOOD["order/which_one"]),
        ("...", "ignored", ""),
        show=["help", "status", "hand"],
    )
    asked = an_answer(("...", "asked", "")).model_copy(
        update={"asks": 1, "asks_text": MISUNDERSTOOD["order/did_you_mean"].format(order=WORD_OF["PASS"])}
    )
    phases: tuple[tuple[list[Event], str], ...] = (
        (an_invitation(4, [ANNA]), "invitation"),
        (table.events, "turn"),
        (table.in_auction(3, BEN).events, "turn"),
    )
    for events, asked_by in phases:
        kinds: tuple[set[str], ...] = ({asked_by}, {"reminder"}, set())
        for occasions in kinds:
            yield mail(fold(events), CARA, occasions)
        yield mail(fold(events), CARA, {"answer"}, answer=answered)
        yield mail(fold(events), CARA, {"answer"}, answer=asked)
    yield rendered(the_question("eve@example.org"))
    gone = fold([*an_invitation(5, [ANNA]), PlayerUninvited(seat=BEN), InvitationExpired(seat=CARA)])
    yield from (mail(gone, seat, {"answer"}, answer=answered) for seat in (ANNA, BEN, CARA))
    yield from (mail(one, ANNA) for one in auctions(table))
    declined = [*an_invitation(4), PlayerDeclined(seat=BEN), GameAbandoned(reason="declined")]
    yield mail(fold(declined), ANNA, {"cancelled"})


def letters_to_the_host() -> Iterator[Composed]:
    """Mails about a player who no longer gets any."""
    for phase in ("inviting", "placing", "bidding", "ended"):
        for other in (None, "ben@example.org"):
            unreachable = operator.unreachable(
                game_id=GAME_ID,
                label=plain(f"{TABLE_NAME} {GAME_ID}"),
                seat=BEN,
                name="" if phase == "ended" else "Ben",
                address="eve@example.org",
                why="",
                other=other,
                phase=phase,
            )
            yield rendered(unreachable)


def auctions(table: Table) -> Iterator[Table]:
    """The seat at the start bids last, or is poor, or has all kinds of cards and mice before it."""
    for number in (8, 9):
        others = [Pass(seat=seat) for seat in (BEN, CARA, 3)]
        yield table.in_round(number).in_auction()
        poor = table.asking_all().in_round(number).with_mice({ANNA: 0})
        yield poor.in_auction()
        yield poor.in_auction(3, BEN)
        yield replace(table, start=BEN).in_round(number).in_auction().after(*others)
        yield replace(poor, start=BEN).in_round(number).in_auction().after(*others)
    yield table.with_mice({ANNA: 2}).in_auction(1, 3)
    yield table.with_mice({ANNA: 2}).in_auction(2, 3)
    yield table.with_empty_mouse_cards().in_auction()


def sentences() -> Iterator[str]:
    """What happened in games, told to all kinds of readers."""
    for played in (a_game_played(3), a_game_played(5), a_declined_game()):
        viewers: tuple[Viewer, ...] = ("all", "spectator", ANNA)
        for viewer in viewers:
            yield from (line.text for line in retell(played.envelopes, viewer, played.names))
            yield from (beat.text for beat in beats(played.envelopes, viewer, Names(played.names), {}))
        for envelope in played.envelopes:
            yield describe(redact(envelope.data, BEN), played.names, actor="host", you=BEN)
    for event in PEOPLE:
        yield from (describe(event, NAMES, you=you) for you in (None, event.seat))
    occasions: tuple[str, ...] = ("result", "turn", "invitation")
    yield from (str(alert_text({occasion}, "")) for occasion in occasions)
    yield HELP


def orders() -> dict[str, object]:
    """Orders as this language has them, written and read again."""
    lines = [f"{WORD_OF['PLAY']} {name.upper()}" for name in CARD_NAMES.values()]
    lines += [
        f"{WORD_OF['PLAY'].lower()}: -8",
        f"{WORD_OF['BID']} 5",
        f"{WORD_OF['ADDRESS']} ben@example.org",
    ]
    lines += [f"{WORD_OF['NOTIFY']} {word}" for words in NOTIFY_WORDS.values() for word in words]
    lines += [f"{WORD_OF['RECEIPTS']} {word}" for words in RECEIPTS_WORDS.values() for word in words]
    lines += [f"{WORD_OF[order]} Ĥéĺĺó" for order in WORDY if order != "QUIET"]
    lines += [f"{WORD_OF['QUIET']} {words}" for words in ("22:00-08:00", *QUIET_WORDS["off"])]
    lines += [
        f"{WORD_OF['AWAY']} {AWAY_WORDS['until'][0]} 3 {MONTHS[11][0]}",
        f"{WORD_OF['AWAY']} {WEEKDAYS[0][0]} - {WEEKDAYS[4][0]} {AWAY_WORDS['computer'][0]}",
        AWAY_WORDS["back"][0],
    ]
    lines += [WORD_OF[order] for order in WORD_OF if order not in WITH_MORE]
    lines.append(str(Order("BID", amount=5, limit=9, asks=True, next=11)))
    answer = f"{WORD_OF['BID']} 7\n\n{MARKER}\n\n{WORD_OF['PASS']}\n"
    return {
        "read": {line: repr(read_line(line)) for line in lines},
        "english": [repr(read_line(line)) for line in ("PLAY 11", "BID 5", "PASS", "YES")],
        "answer": [(line.verdict, str(line.order)) for line in understand(read_text(answer))],
    }


def spoken(few: int) -> dict[str, object]:
    """All of it."""
    composed, told = list(mails(few)), list(letters_to_the_host())
    return {
        "texts": [mail.text for mail in (*composed, *told)],
        "subjects": sorted({mail.subject for mail in (*composed, *told)}),
        "languages": sorted({mail.html.partition('<html lang="')[2].partition('"')[0] for mail in composed}),
        "sentences": list(sentences()),
        "orders": orders(),
    }


if __name__ == "__main__":
    print(json.dumps(spoken(int(sys.argv[1]))))
