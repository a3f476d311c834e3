"""What others said: told to who hears it, harmless wherever it breaks, gone with who was forgotten."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from felix_async.game.commands import Leave, Return, Say
from felix_async.game.story import Story
from felix_async.language.grammar import Order, read_line
from felix_events.envelope import Envelope, check_envelopes
from felix_events.store.rows import Saying
from felix_notifiers.content.history import SAYING_LIMIT, HistoryFilter, Speech, since_last_move
from games import NAMES, Room, a_started_room
from notifiers.office import Post
from notifiers.sheets import Html, mail, part
from table import ANNA, BEN, a_game


def _log(room: Room, game_id: str) -> list[Envelope]:
    with room.store.read() as reader:
        return check_envelopes(reader.bodies(game_id))


def said(text: str, seat: int = BEN) -> tuple[list[Envelope], list[Saying]]:
    """A log in which somebody has said this, and what the store keeps of it."""
    room, game_id = a_started_room()
    room.do(game_id, Say(seat=seat, text_hash="0" * 64))
    version = room.game(game_id).version
    with room.store.read() as reader:
        return check_envelopes(reader.bodies(game_id)), [Saying(game_id, version, seat, b"", text)]


def lines(text: str, reader: int, *, hears: bool = True) -> Sequence[object]:
    """What a reader is told of it."""
    envelopes, sayings = said(text)
    return since_last_move(Story.of(envelopes), NAMES[:4], reader, HistoryFilter.of(sayings, hears))


def say(post: Post, game_id: str, seat: int, text: str) -> None:
    """Somebody says something, which is kept as it is by mail."""
    post.move(game_id, Say(seat=seat, text_hash="0" * 64))
    version = post.room.game(game_id).version
    post.do(lambda tx: tx.keep_saying(Saying(game_id, version, seat, b"s" * 16, text)))


def test_who_does_not_hear_is_not_even_told_that_something_was_said() -> None:
    silent = lines("Good luck!", ANNA, hears=False)
    assert not [line for line in silent if isinstance(line, Speech) or "said" in str(line)]


def test_words_that_were_erased_are_told_as_something() -> None:
    assert lines("", ANNA)[-1] == "Ben said something."


@pytest.mark.parametrize(
    "text",
    [
        "PASS",
        "word " * 20 + "PASS " + "word " * 20,
        "BID 5 " * 80,
        "x" * 70 + " PASS",
        "PLAY 3\nPASS\r\n-- write above this line --\nBID 9",
        "\u2028PASS\u2029BID 4\x1b[2J",
    ],
)
def test_no_line_of_a_strangers_words_can_be_taken_for_an_order(text: str) -> None:
    told = [line for line in lines(text, ANNA) if isinstance(line, Speech)]
    composed = mail(a_game(), ANNA, {"turn"}, history=told)
    body = composed.text.partition("until all cards are in.")[2].partition("Felix, ")[0]
    assert body.strip()
    for line in body.splitlines():
        assert len(line) <= 72
        assert not isinstance(read_line(line), Order), line
        assert not line.startswith("--")
    assert "\x1b" not in composed.text + composed.html


def test_markup_in_a_saying_is_text() -> None:
    told = [line for line in lines("<b>PASS</b> <a href='mailto:x'>", ANNA) if isinstance(line, Speech)]
    html = Html(mail(a_game(), ANNA, {"turn"}, history=told).html)
    assert "Ben says: “<b>PASS</b> <a href='mailto:x'>”" in " ".join(html.words.split())
    assert "mailto:x" not in {link.url for link in html.links}


def test_a_saying_of_any_length_is_bounded() -> None:
    (told,) = [line for line in lines("word " * 20_000, ANNA) if isinstance(line, Speech)]
    assert len(told.text) <= SAYING_LIMIT


def test_a_forgotten_players_words_and_name_are_gone(post: Post) -> None:
    game_id = post.started()
    say(post, game_id, BEN, "Hello from the sea")
    post.do(lambda tx: tx.forget("ben-1"))
    post.claim()
    text = _texts(post)[-1]
    assert "sea" not in text
    assert "Ben" not in text
    assert "A former player said something." in text


def _texts(post: Post) -> list[str]:
    return [part(one, "plain") for one in post.mails()]


def test_what_the_computer_did_for_the_reader_is_told_as_such_when_they_are_back() -> None:
    room, game_id = a_started_room()
    room.do(game_id, Leave(seat=ANNA, for_good=False))
    room.do(game_id, Return(seat=ANNA))
    told = since_last_move(Story.of(_log(room, game_id)), NAMES[:4], ANNA)
    assert len(told) == 1
    assert str(told[0]).startswith("You placed ")
    assert str(told[0]).endswith(" (The computer did this for you.) You are back at the table.")
