"""new, games, show and move: tables are opened, looked at, and moved on at the host's desk."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cli.conftest import Shelf
from cli.terminal import Terminal, dump
from felix_async.game.cards import card_text, card_word
from felix_async.language.phrases import filled, phrase
from felix_async.language.words import MISUNDERSTOOD, REFUSALS
from felix_events.store.rows import Due, Trouble
from felix_events.store.sqlite import SqliteStore
from games import NAMES

WITH_MAIL = ("Anna <anna@players.test>", "Ben <ben@players.test>", "Cara <cara@players.test>")
THREE = NAMES[:3]
SEATED = [word for name in THREE for word in ("--player", name)]


NOT_UNDERSTOOD = "felix did not understand that; `felix move --help` lists the orders."
MOVES_ONLY = "The desk makes moves only; `felix show {game} --as {seat}` shows the table."
HOSTS = "Anna hosts this game: CANCEL calls it off, HOST and a name hands it over."
BEN_IS_ASKED = "Round 1 of 9. Waiting for a bid or a pass from Ben."


def refusal(code: str, **details: int | str) -> str:
    """The sentence for this code; what it says is nobody's business here."""
    return filled({**REFUSALS, **MISUNDERSTOOD}[code], **details)


def size(desk: Terminal) -> int:
    events: int = desk.json("games")[0]["events"]
    return events


# ---- new --------------------------------------------------------------------------------------------
def test_new_prints_the_games_id_alone_and_talks_on_stderr(desk: Terminal) -> None:
    result = desk.invoke("new", *[word for name in THREE for word in ("--player", name)])
    assert result.exit_code == 0
    assert desk.json("games")[0]["game_id"] == result.stdout.strip()
    assert result.stderr.splitlines() == [
        "Moved with `felix move`: Anna, Ben and Cara.",
        "The rules: felicity-2017. The clock: 3 days a move.",
    ]


def test_a_new_game_invites_its_players_in_the_order_in_which_they_sit(desk: Terminal) -> None:
    game_id = desk.new(*WITH_MAIL)
    (game,) = desk.json("games")
    assert (game["game_id"], game["state"], game["kind"]) == (game_id, "inviting", "played")
    assert (game["players"], game["table"], game["events"]) == (list(THREE), "Thursday club", 6)
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        assert [seat.address for seat in reader.seats(game_id)] == [
            f"{name.lower()}@players.test" for name in THREE
        ]
        assert [notice.kind for notice in reader.notices(game_id)] == ["invitation"] * 3
    store.close()


def test_a_player_is_known_again_by_the_address(desk: Terminal) -> None:
    first = desk.new(*WITH_MAIL)
    second = desk.new("Anna of the club <ANNA@players.test>", "Dan", "Eve")
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        assert reader.seats(first)[0].player_id == reader.seats(second)[0].player_id
        assert [reader.seats(game)[0].name for game in (first, second)] == ["Anna", "Anna of the club"]
    store.close()


def test_a_name_in_quotes_is_read_without_them(desk: Terminal) -> None:
    desk.new('"Anna, of the club" <anna@players.test>', "Ben", "Cara")
    assert desk.json("games")[0]["players"][0] == "Anna, of the club"


def test_an_address_alone_is_a_player_too(desk: Terminal) -> None:
    desk.new("anna@players.test", "Ben", "Cara")
    assert desk.json("games")[0]["players"] == ["anna", "Ben", "Cara"]


def test_ruleset_and_start_seat_can_be_chosen(desk: Terminal) -> None:
    words = [word for name in THREE for word in ("--player", name)]
    game_id = desk.json("new", *words, "--ruleset", "felix-2007", "--start", 2)["game_id"]
    (created, *_) = desk.json("replay", game_id)
    assert created["data"]["ruleset"] == "felix-2007"
    assert (created["data"]["options"]["start_seat"], created["data"]["options"]["seeded"]) == (2, False)
    assert created["actor"] == "host"


@pytest.mark.parametrize(
    ("players", "sentence"),
    [
        (["A", "B"], refusal("table/size", players=2)),
        (["A", "B", "C", "D", "E", "F"], refusal("table/size", players=6)),
        (["A <a@x.test>", "B <a@x.test>", "C"], refusal("table/player_twice")),
        (["A <a@x.test>", "B <A@X.test>", "C"], refusal("table/player_twice")),
        (["A <a@>", "B", "C"], "A <a@> holds no e-mail address that felix can use."),
        (["A <a b@x.test>", "B", "C"], "A <a b@x.test> holds no e-mail address that felix can use."),
        (["A <ä@x.test>", "B", "C"], "A <ä@x.test> holds no e-mail address that felix can use."),
        (["", "B", "C"], "A player needs a name."),
        (["\x1b\u202e", "B", "C"], "A player needs a name."),
    ],
)
def test_a_table_that_cannot_be_is_refused(desk: Terminal, players: list[str], sentence: str) -> None:
    before = dump(Path("felix.db"))
    said = desk.refused("new", *[word for player in players for word in ("--player", player)])
    assert said == sentence
    assert dump(Path("felix.db")) == before


def test_a_start_seat_that_the_table_has_not_is_refused(desk: Terminal) -> None:
    before = dump(Path("felix.db"))
    words = [word for name in THREE for word in ("--player", name)]
    assert desk.refused("new", *words, "--start", 3) == "No such seat: 3. Use 0 to 2, or a name."
    assert dump(Path("felix.db")) == before


@pytest.mark.parametrize(
    "words", [[], ["--player", "A", "--ruleset", "mine"], ["--player", "A", "--start", "Ben"]]
)
def test_new_used_wrongly_is_exit_2(desk: Terminal, words: list[str]) -> None:
    desk.refused("new", *words, code=2)


def types(desk: Terminal, game_id: str) -> list[str]:
    return [step["type"] for step in desk.json("replay", game_id)]


def hosts(desk: Terminal, game_id: str) -> list[int]:
    """Who was named the host, one after the other."""
    return [step["data"]["seat"] for step in desk.json("replay", game_id) if step["type"] == "host_named"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "3 days a move"),
        (["--clock", "a week's bank plus 12 hours a move"], "12 hours a move and a week in reserve"),
        (["--clock", "no weekends in Asia/Tokyo"], "3 days a move, weekends do not count (Asia/Tokyo)"),
        (["--clock", "2 days a move, no weekends"], "2 days a move, weekends do not count (UTC)"),
        (["--clock", "no clock"], "no clock"),
    ],
)
def test_a_clock_can_be_chosen_and_is_shown_in_plain_words(
    desk: Terminal, words: list[str], text: str
) -> None:
    made = desk.json("new", *SEATED, *words)
    game_id = made["game_id"]
    (listed,) = desk.json("games")
    shown = desk.json("show", game_id)
    assert [made["clock"], listed["clock"], shown["clock"]] == [text] * 3


def test_a_clock_that_cannot_be_makes_no_game(desk: Terminal) -> None:
    said = desk.refused("new", *SEATED, "--clock", "soon", code=2)
    assert said == phrase("people.clock.faults.unclear", text="soon")
    assert desk.json("games") == []


def test_the_settings_say_which_clock_games_have_without_another(terminal: Terminal) -> None:
    terminal.run("init")
    text = (terminal.folder / "felix.toml").read_text("utf-8")
    text = text.replace('clock = "3 days a move" ', 'clock = "no clock" ')
    (terminal.folder / "felix.toml").write_text(text, encoding="utf-8")
    assert terminal.json("new", *SEATED)["clock"] == "no clock"


def test_the_first_player_is_the_host_unless_another_seat_is_named(desk: Terminal) -> None:
    words = [word for name in THREE for word in ("--player", name)]
    ids = [desk.json("new", *words, *more)["game_id"] for more in ([], ["--host", 2], ["--no-host"])]
    assert [hosts(desk, game_id) for game_id in ids] == [[0], [2], []]


def test_a_host_that_the_table_has_not_is_refused(desk: Terminal) -> None:
    words = [word for name in THREE for word in ("--player", name)]
    assert desk.refused("new", *words, "--host", 3) == "No such seat: 3. Use 0 to 2, or a name."


def test_without_a_host_one_who_declines_ends_it(desk: Terminal) -> None:
    words = [word for name in NAMES[:4] for word in ("--player", name)]
    game_id = desk.json("new", *words, "--no-host")["game_id"]
    desk.run("move", game_id, 3, "DECLINE")
    assert desk.json("games")[0]["state"] == "abandoned"


def test_two_players_of_one_name_are_told_apart(desk: Terminal) -> None:
    desk.new("Ben", "BEN", "Ben <ben@players.test>")
    assert desk.json("games")[0]["players"] == ["Ben", "BEN 2", "Ben 3"]


# ---- games and show -----------------------------------------------------------------------------------
def test_without_games_there_is_nothing_to_list(desk: Terminal) -> None:
    result = desk.invoke("games")
    assert (result.stdout, result.exit_code) == ("", 0)
    assert result.stderr.startswith("There are no games yet;")
    assert desk.json("games") == []


def test_games_are_listed_the_oldest_first(desk: Terminal) -> None:
    ids = [desk.new(*THREE, table=f"Table {number}") for number in range(3)]
    assert [game["game_id"] for game in desk.json("games")] == ids
    lines = desk.run("games").splitlines()
    assert lines[0].split() == ["game", "state", "kind", "events", "due", "players", "table"]
    assert [line.split()[0] for line in lines[1:]] == ids


def test_a_game_that_cannot_be_read_is_marked(desk: Terminal) -> None:
    ids = [desk.new(*THREE, table=f"Table {number}", clock="1 day") for number in range(2)]
    with closing(SqliteStore.open_to_write(Path("felix.db"))) as store, store.write() as tx:
        tx.note_trouble(Trouble(ids[0], "2026-11-22T00:00:00.000000Z", "It is damaged."))
        tx.set_due(ids[0], [Due(ids[0], 0, "deadline", 1, "2026-11-24T00:00:00.000000Z")])
    bad, good = desk.run("games").splitlines()[1:]
    assert bad.split()[:5] == [ids[0], "cannot", "be", "read", "played"]
    assert "2026-11-24" not in bad
    assert good.split()[1] == "inviting"
    assert [game["is_readable"] for game in desk.json("games")] == [False, True]


def test_show_is_what_everybody_sees_of_a_running_game(terminal: Terminal, shelf: Shelf) -> None:
    text = terminal.run("show", shelf.running, "--db", shelf.database)
    assert "Round 4 of 9. Waiting for a bid or a pass from" in text
    assert "face down (" in text
    assert "hand:" not in text
    view = terminal.json("show", shelf.running, "--db", shelf.database)["view"]
    assert (view["viewer"], view["own"]) == ("spectator", {})


def test_a_seat_sees_its_own_hand_and_no_other(terminal: Terminal, shelf: Shelf) -> None:
    shown = terminal.json("show", shelf.running, "--as", 2, "--db", shelf.database)
    assert list(shown["view"]["own"]) == ["2"]
    assert terminal.run("show", shelf.running, "--as", 2, "--db", shelf.database).count("hand:") == 1


def test_a_game_that_is_over_is_shown_whole(terminal: Terminal, shelf: Shelf) -> None:
    text = terminal.run("show", shelf.over, "--db", shelf.database)
    assert " won with " in text
    assert text.count("in the box:") == 3
    assert terminal.json("show", shelf.over, "--db", shelf.database)["view"]["viewer"] == "all"


def test_show_looks_at_any_version(terminal: Terminal, shelf: Shelf) -> None:
    shown = terminal.json("show", shelf.over, "--until", 4, "--db", shelf.database)
    assert (shown["version"], shown["state"], shown["view"]["viewer"]) == (4, "inviting", "spectator")


def test_show_of_a_file_is_show_of_its_game(terminal: Terminal, shelf: Shelf) -> None:
    assert terminal.run("show", shelf.file) == terminal.run("show", shelf.over, "--db", shelf.database)


def test_the_root_can_be_masked(terminal: Terminal, shelf: Shelf) -> None:
    plain, masked = (terminal.json("show", shelf.file, *mask) for mask in ([], ["--mask-hashes"]))
    assert len(plain.pop("root")) == 64
    assert masked.pop("root") == "-"
    assert len(plain["view"].pop("commitment")) == 64
    assert masked["view"].pop("commitment") == "-"
    assert plain == masked


@pytest.mark.parametrize("command", ["show", "replay"])
def test_nobody_sees_all_of_a_running_game(terminal: Terminal, shelf: Shelf, command: str) -> None:
    said = terminal.refused(command, shelf.running, "--as", "all", "--db", shelf.database)
    assert said.startswith("The game is still running, so nobody may see everything.")


@pytest.mark.parametrize("command", ["show", "replay"])
@pytest.mark.parametrize("viewer", ["4", "-1", "everybody", "²", "", "01x"])
def test_a_viewer_that_is_none_is_wrong_usage(
    terminal: Terminal, shelf: Shelf, command: str, viewer: str
) -> None:
    said = terminal.refused(command, shelf.running, "--as", viewer, "--db", shelf.database, code=2)
    assert said.startswith(("No such seat: ", "Nobody here is called "))


# ---- move -------------------------------------------------------------------------------------------
def test_a_move_at_the_desk_is_seen_to_be_the_hosts(desk: Terminal) -> None:
    game_id = desk.started()
    card = desk.hand(game_id, 1)[0]
    said = desk.run("move", game_id, 1, f"play {card}")
    assert said == "Ben placed a card. Round 1 of 9. Waiting for a card from Anna and Cara.\n"
    last = desk.json("replay", game_id)[-1]
    assert (last["type"], last["actor"]) == ("card_placed", "host")
    assert last["text"] == "Ben placed a card. (The host did this.)"


def test_move_tells_a_script_what_it_did(desk: Terminal) -> None:
    game_id = desk.new(*THREE)
    assert desk.json("move", game_id, 0, "JOIN") == {"game_id": game_id, "version": 7, "events": 1}


def test_the_same_move_again_changes_nothing(desk: Terminal) -> None:
    game_id = desk.started()
    card = f"PLAY {desk.hand(game_id, 0)[0]}"
    desk.run("move", game_id, 0, card)
    assert desk.json("move", game_id, 0, card)["events"] == 0


def test_a_whole_auction_at_the_desk(desk: Terminal) -> None:
    game_id = desk.started()
    desk.place_all(game_id)
    for seat, order in ((0, "BID 2"), (1, "PASS"), (2, "PASS")):
        desk.run("move", game_id, seat, order)
    shown = desk.json("show", game_id)["view"]
    assert (shown["round"], shown["start_seat"]) == (2, 0)
    assert desk.run("audit", game_id).startswith(f"{game_id}: sound")


def test_a_declined_table_is_over(desk: Terminal) -> None:
    game_id = desk.new(*THREE)
    desk.run("move", game_id, 2, "DECLINE")
    assert desk.json("games")[0]["state"] == "abandoned"
    assert desk.run("show", game_id).splitlines()[2] == "The game did not take place."
    assert desk.refused("move", game_id, 0, "JOIN") == "This game did not take place."


def test_the_host_starts_with_those_who_are_in(desk: Terminal) -> None:
    game_id = desk.new(*NAMES[:4])
    for seat in (0, 1, 3):
        desk.run("move", game_id, seat, "JOIN")
    desk.run("move", game_id, 0, "START")
    assert desk.json("games")[0]["state"] == "running"
    assert desk.run("audit", game_id).startswith(f"{game_id}: sound")


def test_the_host_uninvites_hands_over_and_cancels_at_the_desk(desk: Terminal) -> None:
    game_id = desk.new(*NAMES[:5])
    desk.run("move", game_id, 1, "JOIN")
    assert desk.run("move", game_id, 0, "UNINVITE eve").startswith(
        "The host withdrew the invitation of Eve. "
    )
    desk.run("move", game_id, 0, "HOST Ben")
    desk.run("move", game_id, 1, "CANCEL")
    assert types(desk, game_id)[-5:] == [
        "player_uninvited",
        "host_named",
        "game_abandoned",
        "seat_logs_closed",
        "seed_revealed",
    ]
    assert hosts(desk, game_id) == [0, 1]


def test_no_name_given_at_the_desk_is_in_the_log(desk: Terminal) -> None:
    game_id = desk.new(*NAMES[:4])
    desk.run("move", game_id, 0, "UNINVITE Dan")
    store = SqliteStore.open_to_read(Path("felix.db"))
    with store.read() as reader:
        records = [row.private_record or b"" for row in reader.log(game_id)]
    store.close()
    assert any(b"UNINVITE" in record for record in records)
    assert not any(b"Dan" in record for record in records)


def test_a_player_resigns_at_the_desk(desk: Terminal) -> None:
    game_id = desk.started()
    desk.place_all(game_id)
    desk.run("move", game_id, 1, "RESIGN")
    assert "seat_handed_over" in types(desk, game_id)


def test_a_host_who_resigns_names_another_first(desk: Terminal) -> None:
    game_id = desk.started()
    before = dump(Path("felix.db"))
    assert desk.refused("move", game_id, 0, "RESIGN").startswith("Anna hosts this game; hand it over")
    assert dump(Path("felix.db")) == before


@pytest.mark.parametrize(
    ("seat", "order", "sentence"),
    [
        (
            0,
            "START",
            "Felix is for 3 to 5 players, and 0 have joined so far."
            " Waiting for an answer to the invitation from Anna, Ben and Cara.",
        ),
        (1, "START", "Only the host can do that: Anna."),
        (0, "UNINVITE Zoe", "Nobody at this table is called Zoe: here are Anna, Ben and Cara."),
        (0, "HOST Ben", "Only somebody who has joined and is still playing can host."),
        (0, "DECLINE", HOSTS),
        (0, "RESIGN", HOSTS),
        (0, "UNINVITE", refusal("order/no_guest")),
        (0, "NEW", MOVES_ONLY),
        (0, "SAY hello", MOVES_ONLY),
    ],
)
def test_a_hosts_order_that_cannot_be_is_refused(
    desk: Terminal, seat: int, order: str, sentence: str
) -> None:
    game_id = desk.new(*THREE)
    before = dump(Path("felix.db"))
    assert desk.refused("move", game_id, seat, order) == sentence.format(game=game_id, seat=seat)
    assert dump(Path("felix.db")) == before


@pytest.mark.parametrize(
    ("seat", "order", "sentence"),
    [
        (1, "BID 3", refusal("bid/too_low", amount=3, least=4)),
        (1, "BID 0", refusal("bid/too_low", amount=0, least=4)),
        (1, "BID -7", refusal("bid/too_low", amount="−7", least=4)),
        (1, "BID 16", "Ben has 15 mice, and cannot bid 16."),
        (1, "BID 999999999", "Ben has 15 mice, and cannot bid 999999999."),
        (0, "BID 16", "Anna has 15 mice, and cannot bid 16."),
        (2, "UP TO 16", "Cara has 15 mice, and cannot go up to 16."),
        (1, "PLAY 5", "All cards of this round are down, and Ben's stays where it is. " + BEN_IS_ASKED),
        (3, "PASS", "No such seat: 3. Use 0 to 2, or a name."),
        (9999, "PASS", "No such seat: 9999. Use 0 to 2, or a name."),
        (1, "JOIN", "The game has started already. " + BEN_IS_ASKED),
        (1, "FOLD", "I would take this as PASS. Write it that way, or add --yes."),
        (1, "", NOT_UNDERSTOOD),
        (1, "BID", refusal("order/no_amount")),
        (1, "BID 1.5", refusal("order/no_amount")),
        (1, "PLAY DOG", refusal("order/which_dog")),
        (1, "PLAY FERRET", refusal("order/no_card_like_that")),
        (1, "PLAY 99", refusal("order/no_card_like_that")),
        (1, "PASS now", "I would take this as PASS. Write it that way, or add --yes."),
        (1, "I pass this time", "I would take this as PASS. Write it that way, or add --yes."),
        (1, "strat", "Did you mean START? Then write it that way."),
        (1, "hello there", NOT_UNDERSTOOD),
        (1, "YES", MOVES_ONLY),
        (1, "STOP", MOVES_ONLY),
        (1, "HAND", MOVES_ONLY),
    ],
)
def test_a_move_that_cannot_be_is_refused(
    terminal: Terminal, auction: str, seat: int, order: str, sentence: str
) -> None:
    before = dump(Path("felix.db"))
    assert terminal.refused("move", auction, seat, order) == sentence.format(game=auction, seat=seat)
    assert dump(Path("felix.db")) == before


def test_a_card_that_is_not_in_the_hand_is_refused(desk: Terminal) -> None:
    game_id = desk.started()
    boxed = desk.json("show", game_id, "--as", 1)["view"]["own"]["1"]["boxed"]
    said = desk.refused("move", game_id, 1, f"PLAY {card_word(boxed)}")
    assert said == f"The {card_text(boxed)} is not in Ben's hand."
