"""Times in mails are those of the reader's own clock, and of nobody else's."""

from __future__ import annotations

import pytest

from felix_async.follow_up.answer import Answer
from felix_events.store.rows import Choice
from felix_notifiers.mails.letters import Letters
from felix_notifiers.outbox.marks import Outbox
from games import a_room
from inbox.postbag import a_mail, an_auction
from notifiers.correspondence import Correspondence, Reply, corresponding
from notifiers.office import Post, claim_owed
from notifiers.sheets import MAILBOX, Link, part, read
from table import BEN, CARA


def letters_of(*choices: Choice, server: str = "UTC") -> list[bytes]:
    """All letters to Ben about a game up to its end, for players who chose this."""
    room = a_room("clocks")
    post = Post(room, Outbox(room.clock, Letters(MAILBOX, bytes(32), zone=server)))
    with room.store.write() as tx:
        for choice in choices:
            tx.choose(choice)
    game_id = post.open(4)
    post.claim()
    room.join_all(game_id)
    post.claim()
    room.play(game_id, until=lambda game: game.round == 3)
    post.claim()
    room.play(game_id)
    post.claim()
    return [letter.raw for letter in post.letters() if letter.recipient == BENS]


BENS = "ben@players.test"
BERLIN = Choice("ben-1", zone="Europe/Berlin")
OTHERS = (
    Choice("anna-1", zone="Asia/Tokyo", quiet=""),
    Choice("cara-1", zone="America/New_York", offset="-05:00", asked_zone=True),
    Choice("dan-1", offset="+05:45", quiet="12:00-13:00"),
)


def words(raw: bytes) -> str:
    """Both parts of a letter, on one line."""
    mail = read(raw)
    return " ".join(f"{part(mail, 'plain')} {part(mail, 'html')}".split())


# ---- the question where somebody is -----------------------------------------------------------------
def asked(letters: Correspondence, seat: int, date: str, text: str = "STATUS") -> Reply:
    """The answer to a mail that was written by this clock."""
    name = ("anna", "ben", "cara", "dan")[seat]
    bag = letters.bag
    bag.mails += 1
    raw = a_mail(text, sender=f"{name}@players.test", message_id=f"<where{bag.mails}@players.test>")
    bag.post(raw.replace(b"12:00:00 +0000", date.encode()), bag.address(seat), f"{name}@players.test")
    bag.work()
    answer = Answer.model_validate_json(bag.owed(seat, "answer")[-1].payload)
    claim_owed(bag.do, letters.outbox)
    with bag.room.store.read() as reader:
        (*_, letter) = [one for one in reader.letters() if one.recipient == f"{name}@players.test"]
    return Reply(answer, read(letter.raw))


def zones_in(reply: Reply) -> list[Link]:
    return [link for link in reply.links if link.body.startswith("TIMEZONE")]


@pytest.mark.parametrize(
    ("date", "zones"),
    [
        ("13:00:00 +0100", ["Europe/Berlin", "Africa/Lagos", "Europe/Paris"]),
        ("07:00:00 -0500", ["America/New_York", "America/Bogota", "America/Toronto"]),
        ("17:45:00 +0545", ["Asia/Kathmandu"]),
    ],
)
def test_the_zones_of_a_clock_are_offered_to_tap_and_to_type(date: str, zones: list[str]) -> None:
    letters = corresponding(an_auction())
    reply = asked(letters, BEN, date)
    assert [link.body for link in zones_in(reply)] == [f"TIMEZONE {zone}" for zone in zones]
    for link, zone in zip(zones_in(reply), zones, strict=True):
        assert f"\n    {link.body}\n" in reply.text
        (line,) = letters.tap(BEN, link).lines
        assert (line.verdict, zone in line.why) == ("done", True)


def test_a_clock_of_nowhere_is_asked_about_without_a_zone_to_tap() -> None:
    reply = asked(corresponding(an_auction()), BEN, "00:00:00 -1300")
    assert zones_in(reply) == []
    assert "TIMEZONE and the nearest big city" in " ".join(reply.text.split())


@pytest.mark.slow
def test_the_clocks_of_others_change_no_byte_of_a_mail() -> None:
    assert letters_of(BERLIN, *OTHERS) == letters_of(BERLIN)
    assert letters_of(*OTHERS) == letters_of()
    assert len(letters_of()) == 4


def test_the_question_comes_once_and_to_each_player_alone() -> None:
    letters = corresponding(an_auction())
    told = [asked(letters, seat, "13:00:00 +0100") for seat in (BEN, BEN, CARA)]
    assert [bool(zones_in(reply)) for reply in told] == [True, False, True]
