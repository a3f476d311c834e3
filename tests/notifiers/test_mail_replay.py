"""REPLAY: a game that is over, as a page in a message of its own."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from functools import cache
from pathlib import Path

import pytest

from felix_async.game.commands import Leave
from felix_async.language.phrases import phrase
from felix_async.orders.quotas import A_DAY
from felix_async.orders.replaying import file_name
from felix_async.origin import Origin
from felix_cli.replay.html import write_page
from felix_cli.wiring import look_up
from felix_events.embedded import embedded_in
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.mails import replayed
from games import players
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import Postbag, a_first_round, a_table
from notifiers.sheets import Html, part
from table import ANNA, BEN


def a_game_over(*left: int) -> Postbag:
    """A table whose game is over; some of its players have left it for good."""
    return _over(*left).another()


@cache
def _over(*left: int) -> Postbag:
    """The one that is played, and copied for each test."""
    bag = a_first_round()
    for seat in left:
        bag.room.do(bag.game_id, Leave(seat=seat, for_good=True))
    bag.room.play(bag.game_id)
    return bag


def replay_to(village: Village, seat: int = ANNA) -> EmailMessage:
    """The message that answers a REPLAY."""
    village.bag.send(seat, "REPLAY")
    (mail,) = village.deliver()
    return mail


def files(mail: EmailMessage) -> dict[str, bytes]:
    """What is attached, by name."""
    found = {str(one.get_filename()): one.get_payload(decode=True) for one in mail.iter_attachments()}
    return {name: data for name, data in found.items() if isinstance(data, bytes)}


def code(bag: Postbag, text: str = "REPLAY", seat: int = ANNA) -> str:
    """The refusal that a message of a seat meets, '' for none."""
    return bag.send(seat, text).lines[0].code


# Sent


def test_the_page_is_attached_and_nothing_else() -> None:
    village = a_village(a_game_over())
    assert [*files(replay_to(village))] == [file_name(village.bag.game_id)]


def test_the_page_holds_the_whole_game() -> None:
    village = a_village(a_game_over())
    (page,) = files(replay_to(village)).values()
    body = village.bag.room.evidence(village.bag.game_id).bodies[-1]
    assert body in (embedded_in(page) or b"")


def test_it_is_sent_to_whoever_asked() -> None:
    village = a_village(a_game_over())
    assert "ben@players.test" in replay_to(village, BEN)["To"]


def test_it_is_the_page_that_the_command_writes(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "felix.db")
    bag = a_table(store=store)
    first, *others = players(4)
    long = replace(first, name="Anna Alexandra von und zu Hohenlohe [7]")
    with store.write() as tx:
        origin = Origin("long", "host", "desk")
        bag.game_id, _ = bag.room.service.open_table(
            tx, [long, *others], origin=origin, table_name="Cats [A] www.example.org", ruleset="felicity-2017"
        )
    bag.room.join_all(bag.game_id)
    bag.room.play(bag.game_id)
    with store.write() as tx:
        tx.reseat(replace(tx.seats(bag.game_id)[1], name="Zoe www.example.net", secret=bytes(32)), 30)
    (page,) = files(replay_to(a_village(bag))).values()
    write_page(look_up(bag.game_id, tmp_path / "felix.db"), "all", tmp_path / "game.html")
    assert (tmp_path / "game.html").read_bytes() == page


def test_the_message_says_what_the_file_is() -> None:
    village = a_village(a_game_over())
    told = phrase("result.replay.attached", file=file_name(village.bag.game_id))
    assert told in " ".join(part(replay_to(village), "plain").split())


def test_a_page_that_is_too_long_is_not_attached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replayed, "LONGEST", 10)
    mail = replay_to(a_village(a_game_over()))
    told = phrase("result.replay.not_attached")
    assert (files(mail), told in " ".join(part(mail, "plain").split())) == ({}, True)


def test_an_abandoned_game_can_be_looked_at() -> None:
    bag = a_first_round()
    for seat in range(3):
        bag.send(seat, "ABANDON")
    assert (bag.game.phase, code(bag)) == ("abandoned", "")


def test_whoever_left_the_game_for_good_may_look_at_it() -> None:
    assert code(a_game_over(BEN), seat=BEN) == ""


@pytest.mark.parametrize("text", ["replay", "Replay please", "REPLAY?", "please replay"])
def test_it_is_asked_for_as_other_things_are(text: str) -> None:
    assert code(a_game_over(), text) == ""


@pytest.mark.parametrize("text", ["Can I watch it again?", "send me the replay please", "Show me the game!"])
def test_it_is_asked_for_in_plain_words(text: str) -> None:
    answer = a_game_over().send(ANNA, text)
    assert (answer.show, [line.verdict for line in answer.lines]) == (["replay"], ["done"])


def test_talk_beside_the_wish_is_offered_to_be_said() -> None:
    answer = a_game_over().send(ANNA, "Well played, everybody!\n\nCan I watch it again?")
    assert ("replay" in answer.show, answer.offers) == (True, ["SAY Well played, everybody!"])


def test_plain_words_bring_no_more_of_them_than_the_order() -> None:
    bag = a_game_over()
    found = [code(bag, "Can I watch it again?") for _ in range(A_DAY["replays"] + 1)]
    assert found == [*[""] * A_DAY["replays"], "replay/too_often"]


@pytest.mark.parametrize("text", ["Can I watch it again?", "send me the replay please", "Show me the game!"])
def test_plain_words_bring_nothing_while_the_game_runs(text: str) -> None:
    assert "replay" not in a_first_round().send(ANNA, text).show


def test_who_would_watch_a_running_game_again_is_told_that_it_is_not_over() -> None:
    assert code(a_first_round(), "Can I watch it again?") == "replay/not_over"


# Offered


def test_the_result_offers_it_with_a_tap() -> None:
    bag = a_first_round()
    village = a_village(bag)
    bag.room.play(bag.game_id)
    mail = next(one for one in village.deliver() if "anna@" in one["To"])
    assert "REPLAY" in [link.body for link in Html(part(mail, "html")).links]


def test_a_game_that_was_abandoned_offers_it_in_its_last_message() -> None:
    bag = a_first_round()
    village = a_village(bag)
    for seat in range(3):
        bag.send(seat, "ABANDON")
    mail = next(one for one in village.deliver() if "dan@" in one["To"])
    assert "REPLAY" in [link.body for link in Html(part(mail, "html")).links]
    assert phrase("result.after.replay") in part(mail, "plain")


def test_a_game_that_never_began_offers_none() -> None:
    bag = a_table()
    bag.game_id = bag.room.open(host=ANNA, command_id="cancelled")
    village = a_village(bag)
    bag.send(BEN, "JOIN")
    bag.send(ANNA, "CANCEL")
    told = [part(mail, "plain") for mail in village.deliver()]
    assert [phrase("glance.preview.cancelled") in text for text in told] == [True] * len(told)
    assert told
    assert "REPLAY" not in "".join(told)


def test_the_result_brings_the_log_alone() -> None:
    bag = a_first_round()
    village = a_village(bag)
    bag.room.play(bag.game_id)
    mail = next(one for one in village.deliver() if "anna@" in one["To"])
    assert [*files(mail)] == [f"felix-{bag.game_id}.jsonl"]


def test_help_tells_of_it_when_the_game_is_over() -> None:
    assert "REPLAY " in a_village(a_game_over()).answer(ANNA, "HELP")


def test_help_does_not_tell_of_it_before() -> None:
    assert "REPLAY " not in a_village(a_first_round()).answer(ANNA, "HELP")


# Refused


def test_a_running_game_has_none() -> None:
    assert code(a_first_round()) == "replay/not_over"


def test_a_game_that_never_began_has_none() -> None:
    bag = a_table()
    bag.game_id = bag.room.open(host=ANNA, command_id="cancelled")
    bag.send(ANNA, "CANCEL")
    assert code(bag) == "game/never_began"


def test_whoever_did_not_play_gets_none() -> None:
    bag = a_table()
    bag.game_id = bag.room.open(host=ANNA, command_id="declined")
    for seat, text in enumerate(("JOIN", "JOIN", "JOIN", "DECLINE")):
        bag.send(seat, text)
    bag.send(ANNA, "START")
    bag.room.play(bag.game_id)
    assert code(bag, seat=3) == "game/not_yours"


def test_it_is_sent_so_many_times_a_day() -> None:
    bag = a_game_over()
    found = [code(bag) for _ in range(A_DAY["replays"] + 1)]
    assert found == [*[""] * A_DAY["replays"], "replay/too_often"]


@pytest.mark.parametrize("sent", [0, 2])
def test_several_lines_that_ask_for_it_are_answered_once(sent: int) -> None:
    bag = a_game_over()
    for _ in range(sent):
        bag.send(ANNA, "REPLAY")
    answer = bag.send(ANNA, "REPLAY\nREPLAY\nREPLAY")
    assert [line.code for line in answer.lines] == ["replay/too_often" if sent else ""]


@pytest.mark.parametrize(
    ("village", "first"),
    [
        (a_village(a_first_round()), "not_over"),
        (a_village(a_game_over()), "sent_already"),
    ],
    ids=["running", "over"],
)
def test_where_nothing_can_be_tried_again_the_first_line_says_why(village: Village, first: str) -> None:
    for _ in range(A_DAY["replays"]):
        village.bag.send(ANNA, "REPLAY")
    told = village.answer(ANNA, "REPLAY")
    assert phrase(f"glance.preview.{first}") in told
    assert phrase("glance.preview.refused") not in told


def test_everybody_has_as_many() -> None:
    bag = a_game_over()
    for _ in range(A_DAY["replays"] + 1):
        bag.send(ANNA, "REPLAY")
    assert code(bag, seat=BEN) == ""


def test_the_next_day_it_is_sent_again() -> None:
    bag = a_game_over()
    for _ in range(A_DAY["replays"]):
        bag.send(ANNA, "REPLAY")
    bag.room.clock.now += timedelta(days=1)
    assert code(bag) == ""
