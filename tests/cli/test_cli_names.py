"""Names from strangers: line breaks, HTML, terminal escapes and tricks of writing are harmless everywhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Terminal, assert_harmless
from felix_events.export import write_export
from felix_events.store.sqlite import SqliteStore
from games import a_game_played, a_running_game

NASTY = [
    "Anna\r\nBcc: everybody@evil.test",
    "\x1b]0;owned\x07\x1b[2J\x1b[31mBen",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\u202eevil\u202c \u2066x\u2069 \u200b\ufeff",
    "'\"; DROP TABLE events; --%s{0}{{7*7}}",
]
TABLE = 'Club "<b>x</b>"\n\x9b31m\x1b[0m{{ page }}'


class Tags(HTMLParser):
    """Which tags a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def strings(value: Any) -> list[str]:
    """All texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.items() for text in strings(list(item))]
    return [text for item in value for text in strings(item)] if isinstance(value, list) else []


def looks(target: object, seats: int = 5) -> list[list[object]]:
    """Every way to look at a game."""
    return [
        ["show", target],
        ["replay", target],
        ["audit", target],
        *[["show", target, "--as", seat] for seat in range(seats)],
        *[["mail", "preview", target, seat] for seat in range(seats)],
    ]


def check_all_looks(terminal: Terminal, target: object, seats: int = 5) -> None:
    for words in looks(target, seats):
        assert_harmless(terminal.run(*words))
        texts = strings(terminal.json(*words))
        if words[0] == "mail":
            texts = [line for text in texts for line in text.splitlines()]
        for text in texts:
            assert_harmless(text)
    for seat in range(seats):
        page = Tags()
        page.feed(terminal.run("mail", "preview", target, seat, "--html"))
        assert not page.tags & {"script", "img", "b"}
        assert "onerror" not in page.attributes


def test_names_given_at_the_desk_are_harmless_everywhere(desk: Terminal) -> None:
    game_id = desk.new(*[name.replace("@", " at ") for name in NASTY], table=TABLE)
    assert_harmless(desk.run("games"))
    for text in strings(desk.json("games")):
        assert_harmless(text)
    check_all_looks(desk, game_id)
    for seat, words in enumerate(["\x1b[2J words\r\n", "\udcff", "\u202e"]):
        assert_harmless(desk.run("move", game_id, seat, f"JOIN {words}"))
    check_all_looks(desk, game_id)
    data = desk.invoke("export", game_id).stdout_bytes
    assert b"\x1b" not in data
    assert b"\\u001b" not in data


def test_names_that_came_with_an_address_are_harmless(desk: Terminal) -> None:
    game_id = desk.new(
        "Anna\x1b[31m <anna@players.test>",
        '"Ben\r\nBcc: nobody" <ben@players.test>',
        "=?utf-8?q?=1b[31mCara?= <cara@players.test>",
    )
    assert_harmless(desk.run("games"))
    check_all_looks(desk, game_id, 3)
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        assert [seat.address for seat in reader.seats(game_id)] == [
            f"{name}@players.test" for name in ("anna", "ben", "cara")
        ]
    store.close()


@pytest.mark.parametrize(
    "player",
    [
        "Anna <anna@players.test>\r\nBcc: <eve@evil.test>",
        "Anna <anna@players.test>, Eve <eve@evil.test>",
        "eve@evil.test <anna@players.test",
    ],
)
def test_two_addresses_for_one_player_are_refused(desk: Terminal, player: str) -> None:
    said = desk.refused("new", "--player", player, "--player", "Ben", "--player", "Cara")
    assert said.endswith("holds no e-mail address that felix can use.")


@pytest.mark.parametrize("played", [a_game_played(5), a_running_game(5)], ids=["over", "running"])
def test_names_in_a_strangers_file_are_harmless_everywhere(terminal: Terminal, played: Any) -> None:
    told = played.evidence
    opened = (told.private_records, told.seat_logs) if played.game().is_over else ()
    Path("strange.jsonl").write_bytes(write_export(played.game_id, NASTY, TABLE, told.bodies, *opened))
    check_all_looks(terminal, "strange.jsonl")


def test_a_strangers_file_with_too_few_or_too_many_names_is_told_all_the_same(terminal: Terminal) -> None:
    played = a_running_game(3)
    for names in ([], ["Anna"], ["", " ", "\u200b"], list("ABCDE")):
        Path("strange.jsonl").write_bytes(write_export(played.game_id, names, "", played.evidence.bodies))
        check_all_looks(terminal, "strange.jsonl", 3)


def test_a_game_with_nasty_names_is_taken_in_and_harmless(terminal: Terminal) -> None:
    played = a_game_played(5)
    data = write_export(played.game_id, NASTY, TABLE, played.evidence.bodies, played.evidence.private_records)
    Path("strange.jsonl").write_bytes(data)
    assert_harmless(terminal.run("import", "strange.jsonl"))
    assert_harmless(terminal.run("games"))
    check_all_looks(terminal, played.game_id)


@pytest.mark.parametrize(
    "damage",
    [
        (b'"root":"', b'"root":"\\u001b[2J'),
        (b'"sha256":"', b'"sha256":"\\u001b]0;owned\\u0007'),
        (b'"checks":"', b'"checks":"\\u001b[31m\\u202e'),
        (b'"type":"bid_placed"', b'"type":"\\u001b[2Jbid"'),
    ],
)
def test_what_is_told_of_a_damaged_file_is_harmless(terminal: Terminal, damage: tuple[bytes, bytes]) -> None:
    data = a_game_played(3).export()
    Path("damaged.jsonl").write_bytes(data.replace(*damage, 1))
    result = terminal.invoke("audit", "damaged.jsonl")
    assert result.exit_code == 1
    assert_harmless(result.output)
    for words in (["show"], ["replay"], ["import"]):
        terminal.refused(*words, "damaged.jsonl")


@pytest.mark.parametrize("target", ["\x1b[2J", "a\nb", "\u202ex", "\udcff", "x" * 300])
def test_what_is_told_of_an_odd_argument_is_harmless(desk: Terminal, target: str) -> None:
    for words in (["show", target], ["replay", target], ["export", target], ["import", target]):
        desk.refused(*words)
    desk.refused("audit", target, code=2)
    desk.refused("move", target, 0, "PASS")
    desk.refused("games", "--db", target)
    desk.refused("new", "--player", "A", "--db", target)
    desk.refused("simulate", "--seed", 1, "--db", f"{target}/felix.db")


def test_a_name_that_felix_uses_is_marked_on_the_terminal(desk: Terminal) -> None:
    """With the number that the seat has in messages, where it is an order, too."""
    players = ["Anna <a@y.test>", "you <b@y.test>", "Cara <c@y.test>"]
    game_id = desk.run("new", *[word for player in players for word in ("--player", player)]).strip()
    assert "Anna, you (seat 2) and Cara were invited" in desk.run("replay", game_id)
    assert "Anna, you (seat 2), Cara" in desk.run("games")
    assert "you (seat 2)" in desk.run("show", game_id)
    desk.run("move", game_id, 0, "UNINVITE you (seat 2)")
    told = " ".join(desk.run("replay", game_id).split())
    assert "withdrew the invitation of you (seat 2)" in told
