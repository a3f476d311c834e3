"""mail explain: plain words in a situation, out of a file of them or out of a game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from click.testing import CliRunner

from cli.terminal import Terminal
from felix_async.language.grammar import Order
from felix_async.meaning.meaning import GRAMMAR, Meaning
from felix_async.meaning.situation import Situation
from felix_async.meaning.topics import Topic
from felix_cli.heard import Heard, heard, said_in, told, told_lines
from felix_cli.main import cli
from felix_events.store.rows import Letter, Question
from felix_events.store.sqlite import SqliteStore

NOW = "2026-01-01T12:00:00.000000Z"
PLACING = {"phase": "placing", "hand": [-8, 5, "rabbit", "small dog"], "mice": 10, "high": 0}
BIDDING = {"phase": "bidding", "hand": [-8, 5], "mice": 10, "high": 4}


def written(folder: Path, *lines: object) -> Path:
    file = folder / "answers.jsonl"
    file.write_bytes(b"\n".join(one if isinstance(one, bytes) else orjson.dumps(one) for one in lines))
    return file


def explained(terminal: Terminal, folder: Path, *cases: dict[str, object]) -> list[dict[str, Any]]:
    shown = terminal.run("mail", "explain", "--situations", written(folder, *cases))
    return [orjson.loads(line) for line in shown.splitlines()]


# ---- a file of situations -----------------------------------------------------------------------------


def test_each_line_is_answered_by_one_with_what_would_be_done(terminal: Terminal, tmp_path: Path) -> None:
    first, second = explained(terminal, tmp_path, {**PLACING, "text": "PLAY 5"}, {**BIDDING, "text": "PASS"})
    assert (first["do"], second["do"]) == ("PLAY 5", "PASS")
    assert first["grammar"] == GRAMMAR
    assert list(first) == ["do", "next", "ask", "info", "talk", "words", "grammar"]


@pytest.mark.parametrize(
    ("text", "do"),
    [("PLAY RABBIT", "PLAY rabbit"), ("PLAY SMALL DOG", "PLAY small dog"), ("PLAY -8", "PLAY -8")],
)
def test_cards_are_named_as_in_the_file(terminal: Terminal, tmp_path: Path, text: str, do: str) -> None:
    (found,) = explained(terminal, tmp_path, {**PLACING, "text": text})
    assert found["do"] == do


@pytest.mark.parametrize(
    "text",
    [
        "> PLAY 5",
        "-- \nPLAY 5",
        "-----Original Message-----\nFrom: felix\nSent: Friday\nTo: Ben\nSubject: Your turn\n\nPLAY 5",
        "On Fri, 20 Nov 2026 at 12:00, felix <felix@example.org> wrote:\n> PLAY 5",
    ],
)
def test_what_others_wrote_is_not_read(terminal: Terminal, tmp_path: Path, text: str) -> None:
    (found,) = explained(terminal, tmp_path, {**PLACING, "text": f"PLAY -8\n\n{text}\n"})
    assert (found["do"], found["ask"]) == ("PLAY -8", [])


@pytest.mark.parametrize(("text", "info"), [("HAND", "HAND"), ("GAMES", "STATUS"), ("RESEND", "STATUS")])
def test_a_question_is_told_by_the_order_that_answers_it(
    terminal: Terminal, tmp_path: Path, text: str, info: str
) -> None:
    (found,) = explained(terminal, tmp_path, {**BIDDING, "text": text})
    assert (found["do"], found["info"]) == (None, [info])


def test_what_is_said_to_the_others_is_talk(terminal: Terminal, tmp_path: Path) -> None:
    (found,) = explained(terminal, tmp_path, {**BIDDING, "text": "SAY well played"})
    assert (found["do"], found["talk"]) == (None, True)


def test_the_situations_may_come_in_by_a_pipe_and_blank_lines_are_none() -> None:
    line = orjson.dumps({**BIDDING, "text": "BID 7"}).decode()
    done = CliRunner().invoke(cli, ["mail", "explain", "--situations", "-"], input=f"\n{line}\n\n")
    assert orjson.loads(done.stdout)["do"] == "BID 7"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "is no JSON"),
        (b"[]", "is no situation"),
        ({**BIDDING, "phase": "inviting", "text": ""}, "phase"),
        ({**BIDDING, "hand": [4], "text": ""}, "there is no card 4"),
        ({**BIDDING, "hand": [True], "text": ""}, "hand.0"),
        ({**BIDDING, "mice": -1, "text": ""}, "mice"),
        (BIDDING, "text"),
    ],
)
def test_a_line_that_is_no_situation_is_named_by_its_number(
    terminal: Terminal, tmp_path: Path, line: object, why: str
) -> None:
    file = written(tmp_path, {**BIDDING, "text": "PASS", "persona": "terse"}, line)
    told = terminal.refused("mail", "explain", "--situations", file)
    assert told.startswith("Line 2 ")
    assert why in told


# ---- what is told of a meaning ------------------------------------------------------------------------


SITUATION = Situation("bidding", mice=10, high=4, least=5, most=10)
BID_5, BID_7, PASS = Order("BID", amount=5), Order("BID", amount=7), Order("PASS")


def meaning(monkeypatch: pytest.MonkeyPatch, text: str, situation: Situation = SITUATION, **of: Any) -> Heard:
    """What comes of a text that means this."""
    monkeypatch.setattr("felix_async.inbox.decide.meaning_of", lambda _lines, _situation: Meaning(**of))
    return heard(said_in(text), situation)


def test_what_is_inferred_is_done_and_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    found = meaning(monkeypatch, "not for me", do=PASS)
    assert (found.do, found.is_exact, found.ask) == (PASS, False, ())


def test_what_a_letter_proposes_is_as_good_as_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(monkeypatch, "I'm out, thanks", do=PASS).is_exact


def test_an_exact_order_is_done_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(monkeypatch, "PASS", do=PASS).is_exact


def test_a_yes_does_what_waits_unless_that_is_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(monkeypatch, "yep!", replace(SITUATION, waiting=PASS), reply="YES").do == PASS
    assert meaning(monkeypatch, "yep!", replace(SITUATION, waiting=Order("RESIGN")), reply="YES").do is None


def test_where_there_is_a_doubt_the_answers_to_it_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = meaning(monkeypatch, "5 or 7", ask=(BID_5, BID_7), doubt="several")
    assert (found.do, found.ask) == (None, (BID_5, BID_7))


@pytest.mark.parametrize("text", ["BID 3", "what a lovely day for a walk it was"])
def test_what_is_impossible_or_not_understood_is_answered_with_what_is_likely(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    found = meaning(monkeypatch, text)
    assert (found.do, found.ask[0], found.ask[-1]) == (None, BID_5, PASS)


def test_what_is_nearly_an_order_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(monkeypatch, "psas").ask == (PASS,)


@pytest.mark.parametrize("of", [{"info": ("hand",)}, {"talk": "well played"}, {"say": ("woof",)}])
def test_a_question_and_talk_are_asked_nothing(monkeypatch: pytest.MonkeyPatch, of: dict[str, Any]) -> None:
    assert meaning(monkeypatch, "what have you been doing all day", **of).ask == ()


def test_who_is_asked_for_nothing_is_offered_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert meaning(monkeypatch, "what a lovely day for a walk", Situation("")).ask == ()


def test_a_limit_and_a_card_for_the_next_round_are_told_as_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = told(meaning(monkeypatch, "9 tops", do=Order("UPTO", limit=9, asks=True, next="small_dog")))
    assert (found["do"], found["next"]) == ("UP TO 9 THEN ASK", "small dog")
    found = told(meaning(monkeypatch, "rabbit then", do=Order("NEXT", next=0)))
    assert (found["do"], found["next"]) == ("NEXT rabbit", "rabbit")


def test_topics_are_told_by_the_orders_that_answer_them_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(
        meaning(monkeypatch, "RULES\nand the rest", info=("rules/large_dog", "time", "status", "hand"))
    )
    assert found["info"] == ["RULES", "STATUS", "HAND"]


@pytest.mark.parametrize("topic", get_args(Topic))
def test_every_topic_is_told_by_an_order_and_only_points_of_the_rules_by_rules(
    monkeypatch: pytest.MonkeyPatch, topic: Topic
) -> None:
    (order,) = told(meaning(monkeypatch, "what now", info=(topic,)))["info"]
    assert (order == "RULES") == (topic.startswith("rules") or topic == "fairness")


@pytest.mark.parametrize(("of", "talk"), [({"say": ("woof",)}, True), ({"talk": "woof"}, True), ({}, False)])
def test_words_for_the_others_are_talk_and_so_are_those_that_may_be_for_them(
    monkeypatch: pytest.MonkeyPatch, of: dict[str, Any], talk: bool
) -> None:
    assert told(meaning(monkeypatch, "woof", **of))["talk"] is talk


def test_on_a_terminal_everything_is_a_line_and_what_is_inferred_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of: dict[str, Any] = {"info": ("hand",), "talk": "well played", "words": ("I'm out", "8")}
    found = meaning(monkeypatch, "I'm out", do=replace(PASS, next=8), **of)
    assert told_lines(found) == [
        "To be done: PASS, after the pause, unless it is taken back",
        "For the next round: 8",
        "To be answered: HAND",
        "To be said to the others, or offered to be",
        "By the words: I'm out, 8",
    ]
    assert told_lines(meaning(monkeypatch, "PASS", do=PASS))[0] == "To be done: PASS, at once"


# ---- the situation of a seat --------------------------------------------------------------------------


def answer(folder: Path, text: str) -> Path:
    file = folder / "answer.txt"
    file.write_text(text)
    return file


def test_an_answer_is_read_in_the_situation_of_its_seat(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    hand = desk.hand(game_id, 1)
    order = f"PLAY {hand[0]}".replace("_", " ")
    found = desk.json("mail", "explain", answer(tmp_path, order), "--game", game_id, "--seat", 1)
    assert len(found["possible"]) == len(hand)
    assert (found["do"], found["exact"]) == (order, True)
    assert [line["verdict"] for line in found["lines"]] == ["order"]


def test_an_export_and_a_version_of_it_will_do(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    version = desk.json("show", game_id)["version"]
    desk.place_all(game_id)
    desk.run("export", game_id, "-o", "game.jsonl")
    where = (answer(tmp_path, "hello"), "--game", "game.jsonl", "--seat", 0)
    assert desk.json("mail", "explain", *where)["possible"][-1] == "PASS"
    assert desk.json("mail", "explain", *where, "--until", version)["possible"][0].startswith("PLAY ")


def test_a_move_that_is_not_asked_for_would_not_be_made(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    desk.place_all(game_id)
    desk.run("move", game_id, 0, "PASS")
    text = desk.run("mail", "explain", answer(tmp_path, "PLAY 5"), "--game", game_id, "--seat", 0)
    assert text.startswith("Possible: nothing now\nTo be done: nothing\n")


def test_what_is_said_before_its_turn_would_be_done(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    desk.place_all(game_id)
    where = ("--game", game_id, "--seat", 1)
    assert desk.json("mail", "explain", answer(tmp_path, "6 tops, thanks"), *where)["do"] == "UP TO 6"


def test_the_letter_that_a_mail_answers_is_looked_up_where_the_game_is(
    terminal: Terminal, auction: str, tmp_path: Path
) -> None:
    offer = "Your turn\n\n  BID 11\n  PASS\n\nGood luck\n"
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        raw = f"Content-Type: text/plain\n\n{offer}".encode()
        tx.freeze(Letter(auction, 1, "ben@players.test", "<a@b>", raw, NOW, NOW))
    store.close()
    head = "From: ben@players.test\nSubject: Re: your turn\nIn-Reply-To: <a@b>\n\n"
    where = (answer(tmp_path, f"{head}{offer}\nBID 12\n"), "--game", auction, "--seat", 1)
    assert terminal.json("mail", "explain", *where)["do"] == "BID 12"


def test_what_waits_for_a_yes_is_a_part_of_the_situation(
    terminal: Terminal, auction: str, tmp_path: Path
) -> None:
    turn = terminal.json("show", auction, "--as", 1)["view"]["own"]["1"]["turn"]
    store = SqliteStore.open_to_write(Path("felix.db"))
    with store.write() as tx:
        mail_id = tx.keep_mail(NOW, "felix@felix.test", "ben@players.test", b"")
        tx.ask(Question(auction, 1, "order", turn, mail_id, "BID 4", NOW))
    store.close()
    where = (answer(tmp_path, "yep"), "--game", auction, "--seat", 1)
    assert terminal.json("mail", "explain", *where)["waiting"] == "BID 4"
    assert "Waiting: BID 4\n" in terminal.run("mail", "explain", *where)


def test_nothing_is_written_to_the_database(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    version = desk.json("show", game_id)["version"]
    desk.run("mail", "explain", answer(tmp_path, "PASS"), "--game", game_id, "--seat", 0)
    assert desk.json("show", game_id)["version"] == version


def test_there_is_no_other_seat(desk: Terminal, tmp_path: Path) -> None:
    game_id = desk.started()
    told = desk.refused("mail", "explain", answer(tmp_path, "PASS"), "--game", game_id, "--seat", 3)
    assert told == "No such seat: 3. Use 0 to 2, or a name."


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["answer.txt", "--situations", "answer.txt"],
        ["answer.txt", "--game", "k7m2p"],
        ["answer.txt", "--seat", "1"],
        ["answer.txt", "--until", "7"],
        ["--situations", "answer.txt", "--game", "k7m2p", "--seat", "1"],
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    desk: Terminal, tmp_path: Path, words: list[str]
) -> None:
    answer(desk.folder, "PASS")
    desk.refused("mail", "explain", *words, code=2)
