"""demo: a whole game by real mail on this machine, told, audited, and the same again for the same seed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import FELIX, Terminal, assert_harmless, environment
from felix_async.language.phrases import signed
from felix_events.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

NAMES = ("Anna", "Ben", "Cara", "Dan")
DEMO = ("demo", "--seed", "2")


@dataclass
class Shown:
    """A demo that was run in a folder of its own."""

    terminal: Terminal
    code: int
    result: str
    talk: str

    @property
    def database(self) -> Path:
        """What stays."""
        return self.terminal.folder / "felix-demo.db"

    @property
    def game(self) -> dict[str, Any]:
        """The one game that was played."""
        (game,) = self.terminal.json("games", "--db", self.database)
        assert isinstance(game, dict)
        return game

    def events(self) -> list[dict[str, Any]]:
        """The log, without the times and the hashes."""
        told: list[dict[str, Any]] = self.terminal.json("replay", self.game["game_id"], "--db", self.database)
        kept = [event for event in told if event["type"] != "seat_logs_closed"]
        return [{name: event[name] for name in ("type", "actor", "data")} for event in kept]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo, as `make demo` runs it."""
    return shown_in(tmp_path_factory.mktemp("demo"))


def shown_in(folder: Path) -> Shown:
    """The demo, run in that folder."""
    done = subprocess.run(
        [*FELIX, *DEMO],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return Shown(Terminal(folder), done.returncode, done.stdout, done.stderr)


def test_the_demo_ends_well(demo: Shown) -> None:
    assert demo.code == 0, demo.talk


def test_it_is_what_make_runs() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert f"$(BIN)/felix {' '.join(DEMO)} $(ARGS)\n" in makefile


def test_the_readme_shows_how_it_ends(demo: Shown) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    shown = readme.partition("ends like this:\n\n```text\n")[2].partition("```")[0]
    assert shown.startswith("Round 9:")
    assert all(piece in demo.result for piece in shown.split("  …\n"))


def test_the_verdict_is_in_plain_words(demo: Shown) -> None:
    assert f"Audit: sound, {demo.game['events']} events." in demo.result.splitlines()


def test_the_scores_are_told(demo: Shown) -> None:
    ended = next(event for event in demo.events() if event["type"] == "game_ended")
    lines = [line.split() for line in demo.result.splitlines()]
    for name, score in zip(NAMES, ended["data"]["scores"], strict=True):
        row = next(line for line in reversed(lines) if line[:1] == [name])
        assert row[1:4] == [signed(score[name]) for name in ("cats", "mice", "total")]


def test_a_message_and_its_answer_are_shown_as_they_went_by(demo: Shown) -> None:
    shown, _, rest = demo.result.partition("\nIts answer:\n\n  UP TO ")
    assert shown.startswith("A turn message of this game:\n\n  From: Felix · Demo table <felix@felix.test>\n")
    limit = rest.partition("\n")[0]
    store = SqliteStore.open_to_read(demo.database)
    with store.read() as reader:
        letters = [letter_text(letter.raw) for letter in reader.letters()]
        mails = [letter_text(mail.raw) for mail in reader.mails()]
    store.close()
    body = "\n".join(line[2:] for line in shown.split("\n\n", 2)[2].splitlines())
    assert any(body.strip() == text.strip() for text in letters)
    assert any(text.startswith(f"UP TO {limit}\n") for text in mails)


def letter_text(raw: bytes) -> str:
    """The text part of a message, without blanks at the ends of its lines."""
    part = message_from_bytes(raw, policy=policy.default).get_body(("plain",))
    assert part is not None
    return "\n".join(line.rstrip() for line in part.get_content().splitlines()) + "\n"


def test_the_best_moments_are_told(demo: Shown) -> None:
    told = demo.result.partition("The best moments:\n")[2].partition("\n\n")[0].splitlines()
    starts = [line for line in told if not line.startswith("    ")]
    assert len(starts) == 3
    assert all(line.startswith("  Round ") for line in starts)


def test_the_database_stays_and_the_game_in_it_is_sound(demo: Shown) -> None:
    assert (demo.game["state"], demo.game["kind"], demo.game["table"]) == ("ended", "played", "Demo table")
    assert ": sound (" in demo.terminal.run("audit", "--all", "--db", demo.database)


def test_the_same_seed_plays_the_same_game(demo: Shown, tmp_path: Path) -> None:
    again = shown_in(tmp_path)
    assert demo.game["game_id"] == again.game["game_id"]
    assert demo.events() == again.events()


def test_the_whole_game_was_played_by_mail(demo: Shown) -> None:
    store = SqliteStore.open_to_read(demo.database)
    with store.read() as reader:
        mails, letters = reader.mails(), reader.letters()
    store.close()
    seats = [event for event in demo.events() if event["actor"] == "seat"]
    assert {mail.state for mail in mails} == {"done"}
    assert f"{len(letters)} turn mails and answers received, {len(mails)} sent." in demo.talk
    # A limit bids more than once.
    assert len(seats) >= len(mails)
    assert {event["actor"] for event in demo.events()} == {"host", "seat", "rules"}
    assert {letter.recipient for letter in letters} == {f"{name.lower()}@players.test" for name in NAMES}


def test_all_letters_were_sent(demo: Shown) -> None:
    store = SqliteStore.open_to_read(demo.database)
    with store.read() as reader:
        assert {letter.state for letter in reader.letters()} == {"sent"}
    store.close()


def test_the_replay_is_a_page_that_is_sound(demo: Shown) -> None:
    assert demo.result.endswith("\nThe replay, for a browser: felix-demo.html\n")
    assert ": sound (" in demo.terminal.run("audit", demo.terminal.folder / "felix-demo.html")


def test_the_game_is_marked_as_seeded(demo: Shown) -> None:
    assert demo.events()[0]["data"]["options"]["seeded"] is True


def test_the_talk_tells_how_far_the_game_is(demo: Shown) -> None:
    assert [f"Round {number} of 9" in demo.talk for number in range(1, 10)] == [True] * 9
    assert_harmless(demo.talk)
    assert_harmless(demo.result)


def test_the_ways_to_look_further_work(demo: Shown) -> None:
    lines = demo.result.partition("To look further:\n")[2].partition("\n\n")[0].splitlines()
    assert len(lines) >= 4
    for line in lines:
        # The stepper needs a terminal.
        words = [word for word in line.split()[1:] if word != "--step"]
        place = words.index("--db") + 1
        words[place] = str(demo.terminal.folder / words[place])
        demo.terminal.run(*words)


def test_a_seeded_demo_needs_a_database_of_its_own(demo: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(demo.terminal.folder)
    said = demo.terminal.refused("demo", "--seed", 7, "--db", "felix-demo.db")
    assert said.startswith("felix-demo.db is there already,")


@pytest.mark.parametrize(
    "words", [["--players", "2"], ["--players", "6"], ["--seed", "x"], ["--ruleset", "y"]]
)
def test_demo_used_wrongly_is_exit_2(terminal: Terminal, words: list[str]) -> None:
    terminal.refused("demo", *words, code=2)
    assert list(terminal.folder.iterdir()) == []


def test_a_demo_where_nothing_can_be_written_is_refused(terminal: Terminal) -> None:
    assert terminal.refused("demo", "--db", "nowhere/demo.db").startswith("nowhere/demo.db cannot be used:")


def test_a_demo_plays_in_a_new_database_only(terminal: Terminal) -> None:
    """It sends what its database owes, and somebody's real game may be owed mail."""
    terminal.run("init", "--db", "felix.db")
    before = Path("felix.db").read_bytes()
    said = terminal.refused("demo", "--db", "felix.db")
    assert said == "felix.db is there already, and a demo needs a new database: name another with --db."
    assert Path("felix.db").read_bytes() == before
