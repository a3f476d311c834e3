"""The scenes of docs/playing.md, and the reading of that page: who writes what, and what felix answers.

A scene is a sentence that ends in "writes:"; below it stand a block `mail`, with what is written, and a block
`answer`, with the text part of felix's answer. In an answer a line `…` stands for any lines that are left
out. "And then Ben writes:" goes on at the table of the scene above.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from felix_async.game.commands import Bid, Decline, Leave, Play, TimeOut
from felix_async.game.timing import running
from felix_async.inbox.process import Processor
from felix_async.service import Origin
from felix_events.model import Terms
from games import NAMES, TABLE_NAME, a_room, joining, players
from inbox.clocked import a_clocked_table, in_berlin
from inbox.postbag import MAILBOX, Postbag
from notifiers.correspondence import Correspondence, corresponding

LEFT_OUT: Final = "…"
_SCENE: Final = re.compile(
    r"^(?P<scene>[^\n]*writes:)\n\n```mail\n(?P<mail>.*?)\n```\n\n[^\n]+:\n\n```answer\n(?P<answer>.*?)\n```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Shown:
    """A mail of the page and the answer shown to it; `before` are those at the same table that come first."""

    scene: str
    writer: int
    mail: str
    answer: str
    before: tuple[Shown, ...] = ()

    @property
    def order(self) -> str:
        """The first word of the mail, by which the test is known."""
        return self.mail.split()[0].upper().rstrip(":")


BY_THE_CLOCK: Final = Terms(move=3 * 24 * 3600, reserve=5 * 24 * 3600)


def shown_in(page: str) -> Iterator[Shown]:
    """Every mail of the page, with its answer."""
    before: tuple[Shown, ...] = ()
    for found in _SCENE.finditer(page):
        name = next(name for name in NAMES if name in found["scene"])
        writer = NAMES.index(name)
        goes_on = found["scene"].startswith("And then ")
        scene = before[0].scene if goes_on else found["scene"].replace(name, "Ben", 1)
        before = before if goes_on else ()
        shown = Shown(scene, writer, found["mail"], found["answer"], before)
        yield shown
        before = (*before, shown)


def a_lobby(joined: int = 0) -> Postbag:
    """Four are invited by Ben, who hosts the table and has joined once anybody has."""
    room = a_room("playing")
    with room.store.write() as tx:
        game_id, _ = room.service.open_table(
            tx,
            players(4),
            origin=Origin("create", "host", "desk"),
            table_name=TABLE_NAME,
            ruleset="felicity-2017",
            host=1,
        )
    bag = Postbag(room, game_id, Processor(room.service, MAILBOX))
    for seat in (1, 0, 2, 3)[:joined]:
        room.do(game_id, joining(seat))
    return bag


def an_invitation() -> Postbag:
    """Four are invited to a table without a host."""
    room = a_room("playing")
    return Postbag(room, room.open(4, start=1), Processor(room.service, MAILBOX))


def a_round() -> Postbag:
    """Round 1: everybody is asked for a card, Ben starts."""
    bag = an_invitation()
    bag.room.join_all(bag.game_id)
    return bag


def an_auction() -> Postbag:
    """All cards lie in the row, and Ben is asked for a bid."""
    bag = a_round()
    for seat, state in enumerate(bag.game.seats):
        bag.room.do(bag.game_id, Play(seat=seat, card=state.hand[seat]))
    return bag


def a_bid() -> Postbag:
    """Ben has bid 4 mice, and Cara is asked."""
    bag = an_auction()
    bag.room.do(bag.game_id, Bid(seat=1, amount=4))
    return bag


def a_bid_by_the_clock(terms: Terms = BY_THE_CLOCK) -> Postbag:
    """Ben has bid 4 mice in a game with a clock, and Cara, who is asked, is in time so far."""
    room = a_room("playing")
    bag = Postbag(room, room.open(4, start=1, clock=terms), Processor(room.service, MAILBOX))
    room.join_all(bag.game_id)
    for seat, state in enumerate(bag.game.seats):
        room.do(bag.game_id, Play(seat=seat, card=state.hand[seat]))
    room.do(bag.game_id, Bid(seat=1, amount=4))
    return bag


def a_time_out() -> Postbag:
    """Ben's time was up twice: he passed in one round, and placed no card in the next."""
    bag = a_bid_by_the_clock(Terms(move=3 * 24 * 3600))
    while not bag.game.seats[1].computer:
        seat, deadline = running(bag.game)[0]
        bag.room.clock.now += timedelta(days=4)
        bag.room.do(bag.game_id, TimeOut(seat=seat, turn=deadline.turn))
    return bag


def an_outbid() -> Postbag:
    """Ben has bid 4 mice, the others more, and Ben is asked again."""
    bag = a_bid()
    for seat, amount in ((2, 5), (3, 6), (0, 7)):
        bag.room.do(bag.game_id, Bid(seat=seat, amount=amount))
    # So that a pause is not over before its letter is written.
    bag.room.clock.step = timedelta(seconds=1)
    return bag


def a_clock() -> Postbag:
    """Ben and three others at a table with three days for each move; it is Friday evening in Berlin."""
    bag = a_clocked_table()
    in_berlin(bag, *range(4))
    return bag


def a_vote() -> Postbag:
    """Two of four are for a pause, and two for ending the game."""
    bag = a_clock()
    for seat in (0, 2):
        bag.send(seat, "PAUSE\nABANDON")
    return bag


def a_bid_by_mail() -> Postbag:
    """Ben has bid 4 mice by mail in a game with a clock, and Cara is asked."""
    bag = a_clock()
    bag.place_all()
    bag.send(0, "PASS")
    bag.send(1, "BID 4, NEXT 8")
    return bag


def a_dispute() -> Postbag:
    """Round 1 at a table that Ben hosts; Cara says that the card under her name is not hers."""
    bag = a_lobby(joined=4)
    bag.send(2, "PLAY 8")
    bag.send(2, "DISPUTE")
    return bag


def a_desertion() -> Postbag:
    """Round 1 at a table that Ben hosts; Cara has left, and the computer plays for her."""
    bag = a_lobby(joined=4)
    bag.room.do(bag.game_id, Leave(seat=2, for_good=False))
    return bag


def an_end() -> Postbag:
    """A game that was played to its end."""
    bag = a_round()
    bag.room.play(bag.game_id)
    return bag


def a_call_off() -> Postbag:
    """A table that Cara declined to join."""
    bag = an_invitation()
    bag.room.do(bag.game_id, Decline(seat=2))
    return bag


SCENES: Final[dict[str, Callable[[], Postbag]]] = {
    "Ben, who is invited, writes:": an_invitation,
    "Ben, who is asked for a card, writes:": a_round,
    "Ben, whose turn it is to bid, writes:": an_auction,
    "Ben, who sees the first card of a round, writes:": an_auction,
    "Ben, who was outbid, writes:": an_outbid,
    "Ben, who waits for the others, writes:": a_bid,
    "Ben, who has three days for each move, writes:": a_clock,
    "Ben, at whose table two have voted already, writes:": a_vote,
    "Ben, who waits in a game with a clock, writes:": a_bid_by_the_clock,
    "Ben, for whom the computer plays, writes:": a_time_out,
    "Ben, who has three days for each move and has bid 4 by mail, writes:": a_bid_by_mail,
    "Ben, who hosts a game in which Cara disputes her card, writes:": a_dispute,
    "Ben, who hosts a game that Cara has left, writes:": a_desertion,
    "Ben, when the game is over, writes:": an_end,
    "Ben, whose game will not happen, writes:": a_call_off,
    "Ben, who hosts a table that two have joined, writes:": lambda: a_lobby(joined=2),
    "Ben, who hosts a table that three have joined, writes:": lambda: a_lobby(joined=3),
}
"""The scenes of the page; another player may stand there for Ben."""


def answered(shown: Shown) -> str:
    """The text part of felix's answer to this mail."""
    letters: Correspondence = corresponding(SCENES[shown.scene]())
    texts = [letters.write(one.writer, one.mail, to=_to(letters, one)).text for one in (*shown.before, shown)]
    return texts[-1]


def _to(letters: Correspondence, shown: Shown) -> str:
    """Where the mail goes: to the open question of its writer, if there is one, as the answer asks."""
    bag = letters.bag
    with bag.room.store.read() as reader:
        open_ = [one for one in reader.questions(bag.game_id, shown.writer) if one.state == "open"]
    return bag.question_address(shown.writer, open_[-1].number) if open_ else bag.address(shown.writer)


def fits(shown: str, text: str) -> bool:
    """Return True if the text is what is shown, where lines that are left out may be any.

    >>> fits("one\\n…\\nfour", "one\\ntwo\\nthree\\nfour"), fits("one\\nthree", "one\\ntwo\\nthree")
    (True, False)
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line == LEFT_OUT else re.escape(line) + r"\n" for line in shown.splitlines()
    )
    return re.fullmatch(pattern, text.strip("\n") + "\n") is not None
