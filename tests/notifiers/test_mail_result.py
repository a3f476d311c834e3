"""The mail with the result: the points, how each round went, who was away, and the whole game as a file."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from damage import damage_event
from felix_async.audit import evidence as audit
from felix_async.game.auctions import auctions
from felix_async.game.cards import PET_CARDS, card_text, cat_points
from felix_async.game.commands import Leave, Return
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import view
from felix_async.language.phrases import signed
from felix_async.origin import Origin
from felix_async.pictures.pictures import shown
from felix_async.service import Player
from felix_cli.records import export
from felix_events.model import SackDiscarded, SackSold, SeatTaken
from felix_events.store.rows import Former
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.content.ending import Absence, ending_of
from felix_notifiers.content.result import Scores, moments_of, scores_of
from felix_notifiers.mails import case, replayed
from felix_notifiers.mails.game import mail_of
from felix_notifiers.mails.letters import Letters
from felix_notifiers.mails.preview import preview
from felix_notifiers.outbox.marks import Outbox
from gallery.shown import occasions
from games import NAMES, TABLE_NAME, Played, a_game_played, a_room
from notifiers.office import Post
from notifiers.sections import the
from notifiers.sheets import MAILBOX, Html, snapshot
from table import ANNA, BEN, CARA, DAN, for_every_table


def typed(text: str) -> str:
    """Words as the text part has them, on one line."""
    return " ".join(text.replace("\u00a0", " ").split())


def words(played: Played, seat: int) -> str:
    """The text of the result, on one line."""
    return typed(preview(played.envelopes, played.names, TABLE_NAME, seat, MAILBOX).text)


def played_out(post: Post, seats: int = 3) -> str:
    """A game that has ended, its results claimed."""
    game_id = post.started(seats)
    post.room.play(game_id)
    post.claim()
    return game_id


# ---- what it tells ----------------------------------------------------------------------------------
@for_every_table
def test_each_line_of_the_points_is_a_sum(seats: int) -> None:
    played = a_game_played(seats)
    text = words(played, ANNA)
    scores = [score for score in fold(played.events).scores if score is not None]
    sums = re.findall(r"(−?\d+) \+ (\d+) = (−?\d+)", text)
    assert sorted(sums) == sorted(
        (signed(score.cats), str(score.mice), signed(score.total)) for score in scores
    )


@for_every_table
def test_each_round_is_told_in_a_line_with_its_buyer_and_price(seats: int) -> None:
    played = a_game_played(seats)
    lines = preview(played.envelopes, played.names, TABLE_NAME, ANNA, MAILBOX).text.splitlines()
    sold = [event for event in played.events if isinstance(event, SackSold | SackDiscarded)]
    for number, event in enumerate(sold, 1):
        (line,) = [line for line in lines if line.startswith(f"  {number}. ") and "=" not in line]
        if isinstance(event, SackSold):
            who = "You" if event.seat == ANNA else NAMES[event.seat]
            assert line.startswith(f"  {number}. {who}: {signed(cat_points(event.prize))} for {event.price} ")
        else:
            assert line.startswith(f"  {number}. Nobody (")


def test_the_words_beside_the_tables_and_the_moments_are_few() -> None:
    text = preview(a_game_played(4).envelopes, NAMES[:4], TABLE_NAME, BEN, MAILBOX).text
    told = [
        line for line in text.splitlines()[2:] if not re.match(r"  \d\. |    (Felix|Anna|Round|  \w)", line)
    ]
    assert len(" ".join(told).split()) <= 90


def test_the_winners_cat_is_drawn_above_the_points() -> None:
    occasion = occasions()["4 players: result"]
    assert the(mail_of(occasion), Scores).crown == shown("king")


def test_a_seat_that_the_computer_played_for_is_told_with_the_rounds(post: Post) -> None:
    game_id = post.started(4)

    def in_round(number: int) -> None:
        def reached(game: Game) -> bool:
            return game.round == number and game.phase == "placing"

        post.room.play(game_id, until=reached)

    in_round(2)
    post.move(game_id, Leave(seat=BEN, for_good=False))
    in_round(4)
    post.move(game_id, Return(seat=BEN), Leave(seat=CARA, for_good=True))
    post.room.play(game_id)
    played = Played(game_id, post.room.evidence(game_id), NAMES[:4])
    left, _, left_for_good = played.versions("seat_handed_over")
    assert ending_of(Story.of(played.envelopes)).absences == [
        Absence(BEN, 2, 4, left),
        Absence(CARA, 4, None, left_for_good),
    ]
    text = words(played, ANNA)
    assert "The computer played for Ben from round 2 to round 4." in text
    assert "The computer has played for Cara since round 4." in text
    assert "The computer played for you from round 2 to round 4." in words(played, BEN)


def test_a_substitute_is_not_told_to_have_been_away_before_they_came(post: Post) -> None:
    game_id = post.started(4)
    post.move(game_id, Leave(seat=BEN, for_good=True))
    dora, origin = Player("dora-1", "Dora", None), Origin("sub-1", "seat", "mail", "0" * 64, "SUBSTITUTE")
    post.room.play(game_id, until=lambda game: game.round == 2)
    with post.room.store.write() as tx:
        post.room.service.seat_substitute(tx, game_id, BEN, dora, address="dora@players.test", origin=origin)
    post.room.play(game_id)
    story = Story.of(Played(game_id, post.room.evidence(game_id), NAMES[:4]).envelopes)
    names = [NAMES[0], "Dora", *NAMES[2:4]]
    came = next(step.version for step in story.steps if isinstance(step.event, SeatTaken))
    ending = ending_of(story, former=[Former(game_id, BEN, "", "Ben", came)])
    told = [list(scores_of(snapshot(view(story.game, seat), names), ending).notes) for seat in (ANNA, BEN)]
    played = "The computer played for Ben from round 1 to round 2."
    assert told == [[played, f"{who} came for Ben in round 2."] for who in ("Dora", "You")]


# ---- to share ---------------------------------------------------------------------------------------
def shared(played: Played, seat: int) -> list[str]:
    """The lines to share, as the HTML part offers them."""
    html = preview(played.envelopes, played.names, TABLE_NAME, seat, MAILBOX).html
    return Html(html).links[-1].body.splitlines()


@for_every_table
def test_five_lines_to_share_say_who_won_and_what_was_best(seats: int) -> None:
    lines = shared(a_game_played(seats), ANNA)
    assert [line.partition(" ")[0] for line in lines] == ["Felix,", "Anna", "Round", "Round", "Round"]


def test_whoever_reads_it_shares_the_same() -> None:
    played = a_game_played(4)
    assert shared(played, ANNA) == shared(played, BEN)
    assert typed(" ".join(shared(played, DAN))) in words(played, DAN)


@for_every_table
def test_a_card_that_is_shared_was_open_to_all_in_its_round(seats: int) -> None:
    played = a_game_played(seats)
    rows = {auction.round: auction.row for auction in auctions(Story.of(played.envelopes))}
    for line in shared(played, ANNA)[2:]:
        number = int(line.removeprefix("Round ").partition(":")[0])
        named = [card for card in PET_CARDS if f"the {card_text(card)}" in line]
        assert set(named) <= set(rows[number])


def test_a_moment_is_told_under_the_name_of_then() -> None:
    played = a_game_played(4)
    story, then = Story.of(played.envelopes), dict(zip(NAMES, ("Pam", "Quinn", "Rex", "Sue"), strict=False))
    former = [Former(played.game_id, seat, "", name, played.size) for seat, name in enumerate(then.values())]
    game = snapshot(view(story.game, ANNA), NAMES[:4])
    now, told = (moments_of(game, ending_of(story, former=some)).lines[2:] for some in ((), former))
    assert told == [re.sub("|".join(then), lambda name: then[name[0]], line) for line in now]


# ---- the file ---------------------------------------------------------------------------------------
def test_the_file_is_what_the_export_writes(tmp_path: Path) -> None:
    path, out = tmp_path / "felix.db", tmp_path / "out.jsonl"
    room = a_room("export", SqliteStore.create(path))
    post = Post(room, Outbox(room.clock, Letters(MAILBOX, bytes(32))))
    game_id = played_out(post)
    room.store.close()
    export.main([game_id, "-o", str(out), "--db", str(path)], standalone_mode=False)
    store = SqliteStore.open_to_read(path)
    room.store = store
    (attached,) = post.mails()[-1].iter_attachments()
    store.close()
    assert attached.get_content() == out.read_bytes()


def test_no_file_of_a_log_that_is_not_what_was_written_goes_with_a_letter(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It would pass for sound."""
    path = tmp_path / "felix.db"
    room = a_room("export", SqliteStore.create(path))
    game_id = played_out(Post(room, Outbox(room.clock, Letters(MAILBOX, bytes(32)))))
    room.store.close()
    damage_event(path, game_id, 24)
    with closing(SqliteStore.open_to_read(path)) as store, store.read() as reader:
        found = case.case_of(reader, game_id)
        assert (case.export_of(reader, found), replayed.file_of(reader, found)) == (None, None)
    told = f"version 24 of game {game_id} is not what was written, so a letter goes without its file; "
    assert [(one.levelname, one.getMessage()[: len(told)]) for one in caplog.records] == [("ERROR", told)] * 2


def test_a_file_that_is_too_long_is_left_out_and_that_is_said(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case, "MAX_ATTACHED", 1000)
    played_out(post)
    mail = post.mails()[-1]
    assert list(mail.iter_attachments()) == []
    body = mail.get_body(("plain",))
    assert body is not None
    assert "cannot be attached" in " ".join(body.get_content().split())


def test_both_forms_offer_a_rematch_in_one_tap() -> None:
    composed = preview(a_game_played(4).envelopes, NAMES[:4], TABLE_NAME, DAN, MAILBOX)
    assert Html(composed.html).links[0].body == "REMATCH"
    assert "\n  REMATCH\n" in composed.text


def test_what_comes_next_is_a_tap_away() -> None:
    composed = preview(a_game_played(4).envelopes, NAMES[:4], TABLE_NAME, DAN, MAILBOX)
    *_, share = links = Html(composed.html).links
    assert [link.body for link in links[:-1]] == ["REMATCH", "REPLAY", "SAY ", "NEW "]
    assert share.address == ""


def test_the_file_is_made_once_for_each_letter(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []

    def exported(*args: Any, **named: Any) -> bytes:
        made.append(audit.exported(*args, **named))
        return made[-1]

    monkeypatch.setattr(case, "exported", exported)
    game_id = post.started(3)
    post.claim()
    post.room.play(game_id)
    before = len(post.letters())
    post.claim()
    assert len(made) == len(post.letters()) - before == 3
