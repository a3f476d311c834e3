"""Two served games beside each other, in which one seat says other things in advance: nobody else can tell.

The secrets of both are the same for each purpose: what is drawn for a seat's own log comes from a stream of
its own. Salts that hide are random in a real server, and say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.terminal import Terminal
from cli.twins import Served
from each import one_in
from felix_async.game.moment import row_of
from felix_async.game.state import Game
from felix_async.language.order import Order
from felix_async.seat_logs import Moving
from felix_events.export import write_export
from felix_events.model import Terms
from games import NAMES, SeededEntropy

CLOCK = Terms(move=2 * 86400, away=21 * 86400)
HABITS = ("", "NOTIFY ALL", "NOTIFY DAILY", "NOTIFY MY TURN", "QUIET 22:00-08:00")
ASKING = "STATUS\nHISTORY\nHAND\nGAMES"
LEAST_LIMIT, MOST_LIMIT = 9, 12


@pytest.fixture(autouse=True)
def a_stream_for_each_purpose(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Moving.note

    def note(moving: Moving, *args: Any) -> int:
        other, moving.entropy = moving.entropy, SeededEntropy("a seat's own log")
        try:
            return real(moving, *args)
        finally:
            moving.entropy = other

    monkeypatch.setattr(Moving, "note", note)


class Beside:
    """Both games, in step; `seat` is the one whose words differ."""

    def __init__(self, word: str, seat: int, seats: int, clock: Terms | None) -> None:
        self.numbers = Random(word)
        self.seat, self.seats = seat, seats
        self.games = (Served(seats, bytes(32), clock), Served(seats, bytes(32), clock))
        self.count = 0
        for other in range(seats):
            self.write(other, "JOIN")
        for other in self.others:
            habit = self.numbers.choice(HABITS)
            if habit:
                self.write(other, habit)

    @property
    def others(self) -> list[int]:
        return [other for other in range(self.seats) if other != self.seat]

    @property
    def game(self) -> Game:
        return self.games[0].game

    def write(self, seat: int, *texts: str) -> None:
        """The seat writes in both at the same time: the same, or one text for each; '' is nothing."""
        self.count += 1
        moment = self.games[0].now + timedelta(minutes=1)
        for number, served in enumerate(self.games):
            served.now = moment
            text = texts[number % len(texts)]
            if text:
                served.write(seat, text, f"<{self.count}-{number if len(texts) > 1 else ''}@players.test>")

    def wait(self) -> None:
        until = self.games[0].now + timedelta(hours=self.numbers.choice((1, 5, 9)))
        for served in self.games:
            served.wait(until)

    def place(self) -> None:
        game = self.game
        seat = self.numbers.choice(game.asked)
        card = self.numbers.choice(game.seats[seat].hand)
        self.write(seat, str(Order("PLAY", card=card)))

    def move(self, highest: int) -> str:
        """The next bid or pass of whoever is in turn."""
        game = self.game
        assert game.to_move is not None
        least = game.high_bid + 1
        can = least <= min(highest, game.seats[game.to_move].mice)
        if can and (not game.high_bid or self.numbers.random() < 0.7):
            top = 1 if len(game.bidders) == 1 else min(highest, least + self.numbers.choice((0, 0, 2)))
            return f"BID {min(top, game.seats[game.to_move].mice)}"
        return "PASS"

    def ask(self) -> None:
        """Somebody else looks at everything."""
        self.write(self.numbers.choice(self.others), ASKING)

    # ---- what the others get ------------------------------------------------------------------------
    def logs(self) -> list[list[bytes]]:
        found = []
        for served in self.games:
            with served.store.read() as reader:
                found.append(list(reader.bodies(served.game_id)))
        return found

    def seen(self, mask: Callable[[object], object] = lambda what: what) -> list[object]:
        """All that the others got, and what the server keeps of them, for each of the games."""
        found: list[object] = []
        for served in self.games:
            told = {other: [tuple(map(mask, one)) for one in served.told(other)] for other in self.others}
            with served.store.read() as reader:
                due = [row for row in reader.due_of(served.game_id) if row.seat != self.seat]
                lines = [(line.state, line.size) for line in reader.game_lines()]
            found.append((told, due, lines))
        return found

    def own(self) -> list[int]:
        """How many letters the seat itself got, in each."""
        return [len(served.letters_to(self.seat)) for served in self.games]


# ---- given, changed, dropped ------------------------------------------------------------------------
def something(beside: Beside) -> str:
    """A line in advance that the seat may say now, '' if there is none."""
    game, seat, numbers = beside.game, beside.seat, beside.numbers
    lines = [str(Order("NEXT", next=card)) for card in game.seats[seat].hand]
    state = game.seats[seat]
    if game.phase == "bidding" and seat in game.bidders and game.to_move != seat:
        lines += ["PASS"] * 3
        if state.mice > game.high_bid:
            amount = numbers.randint(game.high_bid + 1, state.mice)
            lines += [f"UP TO {amount}", f"UP TO {amount} THEN ASK", f"BID {amount}"] * 3
    return numbers.choice(lines) if lines else ""


def play_beside(beside: Beside, rounds: int, spoken: Callable[[], None], highest: int = 99) -> None:
    """Some rounds; whenever nobody has moved for a while something is said, and time goes by."""
    while beside.game.round <= rounds:
        spoken()
        if beside.numbers.random() < 0.1:
            beside.ask()
        if beside.numbers.random() < 0.1:
            beside.wait()
        if beside.game.phase == "placing":
            beside.place()
        else:
            seat = beside.game.to_move
            assert seat is not None
            beside.write(seat, beside.move(highest))
    for other in beside.others:
        beside.write(other, ASKING)
    beside.wait()


CASES = [("a", 0, 4), ("b", 2, 3), ("c", 1, 5), ("d", 3, 4), ("e", 1, 3), ("f", 4, 5)]
SOME = one_in(3, CASES)


@pytest.mark.slow
@pytest.mark.parametrize("clock", one_in(2, [CLOCK, None]))
@pytest.mark.parametrize(("word", "seat", "seats"), SOME)
def test_that_an_order_is_given_changed_and_dropped_changes_no_byte(
    word: str, seat: int, seats: int, clock: Terms | None
) -> None:
    beside = Beside(word, seat, seats, clock)
    said = 0

    def spoken() -> None:
        nonlocal said
        for _ in range(beside.numbers.choice((0, 0, 1, 2))):
            line = something(beside)
            if line:
                beside.write(seat, "", line)
                said += 1
        beside.write(seat, "", beside.numbers.choice(("DROP", "ORDERS\nDROP")))

    play_beside(beside, 2, spoken)
    one, two = beside.logs()
    assert one == two
    first, second = beside.seen()
    assert first == second
    assert said > 5
    assert beside.own()[0] < beside.own()[1]


# ---- another limit ----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("clock", one_in(2, [CLOCK, None]))
@pytest.mark.parametrize(("word", "seat", "seats"), SOME)
def test_a_limit_that_is_not_reached_may_be_any(
    word: str, seat: int, seats: int, clock: Terms | None
) -> None:
    """9 in the one game and 12 in the other, and nobody else goes higher than 8."""
    beside = Beside(word, seat, seats, clock)
    rows = set()

    def spoken() -> None:
        game = beside.game
        row = (game.round, len(game.turned))
        is_waiting = game.phase == "bidding" and seat in game.bidders and game.to_move != seat
        if is_waiting and row not in rows and game.seats[seat].mice >= MOST_LIMIT:
            rows.add(row)
            beside.write(seat, f"UP TO {LEAST_LIMIT}", f"UP TO {MOST_LIMIT}")

    play_beside(beside, 2, spoken, highest=LEAST_LIMIT - 1)
    assert rows
    one, two = beside.logs()
    assert one == two
    first, second = beside.seen()
    assert first == second


# ---- the same by hand -------------------------------------------------------------------------------
def masked(what: object) -> object:
    """Without the name of a letter, and what is made of it; a time is a time."""
    if isinstance(what, datetime | str):
        return what
    assert isinstance(what, bytes)
    return re.sub(rb"(?m)^Message-ID: .*|felix-[0-9a-f]{32}", b"-", what)


def answer_of(game: Game, seat: int, limit: int) -> str:
    return f"BID {game.high_bid + 1}" if game.high_bid < limit else "PASS"


@pytest.mark.slow
@pytest.mark.parametrize(("word", "seat", "seats"), SOME)
def test_a_move_by_an_order_looks_like_the_same_move_by_hand(
    terminal: Terminal, word: str, seat: int, seats: int
) -> None:
    """In one game the seat answers at once whenever it is asked; in the other it had said so before."""
    beside = Beside(word, seat, seats, None)
    by_hand, by_order = beside.games
    limit: int | None = None  # 0 is an early PASS, which stands for the round
    row, chains = (0, 0), 0
    cards: dict[int, str] = {}

    def spoken() -> None:
        nonlocal limit, row
        game = beside.game
        if game.phase == "bidding" and game.round not in cards:
            card = beside.numbers.choice(game.seats[seat].hand)
            cards[game.round] = str(Order("PLAY", card=card))
            beside.write(seat, "", str(Order("NEXT", next=card)))
        now = (game.round, len(game.turned))
        if now != row and (limit != 0 or now[0] != row[0]):
            limit = None
        is_waiting = game.phase == "bidding" and seat in game.bidders and game.to_move != seat
        mice = game.seats[seat].mice
        if is_waiting and limit is None and mice > game.high_bid:
            most, row = beside.numbers.randint(game.high_bid + 1, min(mice, game.high_bid + 6)), now
            limit = beside.numbers.choice((0, most, most))
            beside.write(seat, "", f"UP TO {limit}" if limit else "PASS")

    while beside.game.round <= 3:
        spoken()
        if beside.numbers.random() < 0.1:
            beside.wait()
        if beside.game.phase == "placing":
            beside.place()
            continue
        game = beside.game
        mover = game.to_move
        assert mover is not None
        text = beside.move(99)
        beside.count += 1
        moment = by_hand.now + timedelta(minutes=1)
        by_hand.now = by_order.now = moment
        by_order.write(mover, text, f"<{beside.count}@players.test>")
        by_hand.write(mover, text, f"<{beside.count}@players.test>", is_delivered=False)
        after = by_hand.game
        is_now = (after.round == row[0] and after.bidders != [seat]) if limit == 0 else row == row_of(after)
        if limit is not None and is_now and after.to_move == seat:
            chains += 1
            said = answer_of(after, seat, limit)
            by_hand.write(seat, said, f"<{beside.count}-x@players.test>", is_delivered=False)
        after = by_hand.game
        if after.round > game.round:
            by_hand.write(seat, cards[game.round], f"<{beside.count}-y@players.test>")
        by_hand.deliver()
        assert by_hand.game.version == by_order.game.version
    for other in beside.others:
        beside.write(other, ASKING)
    assert chains > 1
    assert len(cards) == 3
    first, second = beside.seen(masked)
    assert first == second
    for name, bodies in zip(("one.jsonl", "two.jsonl"), beside.logs(), strict=True):
        Path(name).write_bytes(write_export(by_hand.game_id, NAMES[:seats], "Thursday club", bodies))
    for viewer in ("spectator", *beside.others):
        for command in ("show", "replay"):
            for form in ([], ["--json"]):
                words = ["--as", viewer, "--mask-hashes", *form]
                assert terminal.run(command, "one.jsonl", *words) == terminal.run(
                    command, "two.jsonl", *words
                )


def test_an_order_that_acts_is_seen() -> None:
    """Else the tests above would prove nothing."""
    beside = Beside("a", 0, 4, None)
    while beside.game.phase == "placing":
        beside.place()
    beside.write(0, "BID 1")
    beside.write(0, "UP TO 5", "UP TO 6")
    for seat, amount in ((1, 3), (2, 4), (3, 5)):
        beside.write(seat, f"BID {amount}")
    first, second = beside.seen()
    assert first != second
