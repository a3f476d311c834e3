"""Every refusal that the rules can give: when it is given, and that it is one clear sentence."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType
from typing import cast

import pytest

import felix_async
from each import each
from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game import lobby, presence, rounds, rules, timing, votes
from felix_async.game.folding import fold
from felix_async.game.rules import Refusal, decide
from felix_async.game.state import Game
from felix_async.language.words import REFUSALS
from felix_events import model as m
from table import (
    ANNA,
    BEN,
    CARA,
    CONTEXT,
    DAN,
    NOW,
    PLAYERS,
    WORDS,
    Table,
    a_game,
    a_hosted_invitation,
    an_invitation,
    creation,
    given,
    joining,
)

Situation = tuple[str, Table | list[m.Event] | Game, c.Command, str]

LAST_SEAT = a_game().in_auction().after(c.Pass(seat=ANNA), c.Pass(seat=BEN), c.Pass(seat=CARA))
POOR_LAST_SEAT = (
    a_game()
    .asking_all()
    .with_mice({DAN: 0})
    .in_auction()
    .after(c.Pass(seat=ANNA), c.Pass(seat=BEN), c.Pass(seat=CARA))
)
POOR = a_game().asking_all().with_mice({CARA: 5}).in_auction(top_bid=5, by=BEN)
ENDED = a_game().in_round(9).after(*[c.Pass(seat=seat) for seat in range(4)])
ABANDONED = given(an_invitation()).when(c.Decline(seat=BEN)).happened

HOSTED = a_hosted_invitation(joined=[ANNA, BEN])
DECLINED = given(HOSTED).after(c.Decline(seat=DAN))
UNINVITED = given(HOSTED).after(c.Uninvite(seat=ANNA, whom=DAN))
EXPIRED = given(HOSTED).after(c.Expire(seat=DAN))
RUNNING = given(HOSTED).after(joining(CARA), joining(DAN))
WITHOUT_DAN = given(HOSTED).after(joining(CARA), c.Start(seat=ANNA))
RESIGNED = given(RUNNING).after(c.Leave(seat=BEN, for_good=True))

TAKEN = given(RESIGNED).after(c.Substitute(seat=BEN, player_id="dora"), c.Leave(seat=CARA, for_good=True))
AWAY = fold(
    [
        m.AbsenceDeclared(seat=BEN, start=NOW, back=later(NOW, 3 * 24 * 3600), computer=True, spent=0),
        m.AbsenceBegan(seat=BEN),
        m.SeatHandedOver(seat=BEN, to="computer", for_good=False),
    ],
    RUNNING,
)

TIMED = a_game().by_the_clock(m.Terms(move=3600)).in_auction()
AWAY_ENOUGH = a_game().by_the_clock(m.Terms(move=3600, away=0)).in_auction()
PAUSED = TIMED.after(*[c.Vote(seat=seat, on="pause") for seat in (ANNA, BEN, CARA)])
LEFT = TIMED.after(c.Leave(seat=BEN, for_good=False))
YEAR = 366 * 24 * 3600


def away(start: int, back: int) -> c.Absent:
    return c.Absent(seat=ANNA, start=later(NOW, start), back=later(NOW, back), computer=False)


SITUATIONS: list[Situation] = [
    ("a bid in a game that does not exist", [], c.Bid(seat=ANNA, amount=1), "game/unknown"),
    ("a JOIN to a game that does not exist", [], joining(ANNA), "game/unknown"),
    ("a note that the server was set back in a game that does not exist", [], c.Restore(), "game/unknown"),
    ("a note that the server was set back in a game that is over", ENDED, c.Restore(), "game/over"),
    ("a table opened a second time", an_invitation(), creation(), "game/exists"),
    ("a move after the last round", ENDED, c.Bid(seat=ANNA, amount=1), "game/over"),
    ("a JOIN to a game that never began", an_invitation() + ABANDONED, joining(ANNA), "game/never_began"),
    ("a JOIN after a DECLINE to a game that never began",
     [*an_invitation(), m.PlayerDeclined(seat=ANNA), *ABANDONED],
     joining(ANNA), "game/not_yours"),
    ("a card before all are in", an_invitation(), c.Play(seat=ANNA, card=3), "game/not_started"),
    ("a bid before all are in", an_invitation(), c.Bid(seat=ANNA, amount=1), "game/not_started"),
    ("a pass before all are in", an_invitation(), c.Pass(seat=ANNA), "game/not_started"),
    ("a JOIN to a running game", a_game(), joining(ANNA), "game/already_started"),
    ("a DECLINE in a running game", a_game(), c.Decline(seat=ANNA), "game/not_to_decline"),
    ("a DECLINE of somebody without whom it began", WITHOUT_DAN, c.Decline(seat=DAN), "game/already_started"),
    ("a CANCEL of a running game", RUNNING, c.Cancel(seat=ANNA), "game/not_to_cancel"),
    ("a table for two", [], creation(2), "table/size"),
    ("a table for six", [], creation(players=[*PLAYERS, "fritz"]), "table/size"),
    ("one player on two seats", [], creation(players=["anna", "ben", "ben"]), "table/player_twice"),
    ("a start player who is not there", [], creation(3, start=3), "seat/unknown"),
    ("a fifth seat of four", a_game(), c.Play(seat=4, card=3), "seat/unknown"),
    ("a seat below 0", a_game(), c.Play(seat=-1, card=3), "seat/unknown"),
    ("a second JOIN", an_invitation(joined=[ANNA]), joining(ANNA), "seat/already_joined"),
    ("a START by somebody else", HOSTED, c.Start(seat=BEN), "host/only"),
    ("a START without a host", an_invitation(), c.Start(seat=ANNA), "host/only"),
    ("a START with two", HOSTED, c.Start(seat=ANNA), "start/too_few"),
    ("a START by a host who has not joined", a_hosted_invitation(joined=[BEN, CARA, DAN]), c.Start(seat=ANNA),
     "start/join_first"),
    ("a START of a running game", RUNNING, c.Start(seat=ANNA), "game/already_started"),
    ("a host who declines", HOSTED, c.Decline(seat=ANNA), "host/cancel_or_hand_over"),
    ("a host who resigns before the start", HOSTED, c.Leave(seat=ANNA, for_good=True),
     "host/cancel_or_hand_over"),
    ("a host who takes back the own invitation", HOSTED, c.Uninvite(seat=ANNA, whom=ANNA),
     "host/cancel_or_hand_over"),
    ("a host who resigns", RUNNING, c.Leave(seat=ANNA, for_good=True), "host/must_hand_over"),
    ("a host who has not joined", HOSTED, c.NameHost(seat=ANNA, to=CARA), "host/not_at_the_table"),
    ("a host who is at no seat", HOSTED, c.NameHost(seat=ANNA, to=5), "seat/unknown"),
    ("an invitation taken back from no seat", HOSTED, c.Uninvite(seat=ANNA, whom=-1), "seat/unknown"),
    ("a JOIN after the host took the invitation back", UNINVITED, joining(DAN), "invitation/uninvited"),
    ("a JOIN too late", EXPIRED, joining(DAN), "invitation/expired"),
    ("an invitation taken back twice", UNINVITED, c.Uninvite(seat=ANNA, whom=DAN), "invitation/answered"),
    ("an invitation that expires after JOIN", HOSTED, c.Expire(seat=BEN), "invitation/answered"),
    ("words of somebody who has declined", DECLINED, c.Say(seat=DAN, text_hash=WORDS[0]), "seat/not_playing"),
    ("a card of somebody who was too late", WITHOUT_DAN, c.Play(seat=DAN, card=3), "seat/not_playing"),
    ("a return after resigning", RESIGNED, c.Return(seat=BEN), "seat/gone"),
    ("a substitute before the start", HOSTED, c.Substitute(seat=BEN, player_id="dora"),
     "substitute/not_started"),
    ("a substitute for somebody who did not come", WITHOUT_DAN, c.Substitute(seat=DAN, player_id="dora"),
     "substitute/no_player"),
    ("a substitute for somebody who is there", a_game(), c.Substitute(seat=BEN, player_id="dora"),
     "substitute/is_there"),
    ("a substitute for somebody who is away for a while", AWAY, c.Substitute(seat=BEN, player_id="dora"),
     "substitute/will_be_back"),
    ("a substitute who sits there", RESIGNED,
     c.Substitute(seat=BEN, player_id=RESIGNED.seats[CARA].player_id), "substitute/sits_here"),
    ("a substitute who sat there", TAKEN, c.Substitute(seat=CARA, player_id=RESIGNED.seats[BEN].player_id),
     "substitute/sat_here"),
    ("a card that is boxed", a_game(), c.Play(seat=ANNA, card="small_dog"), "card/not_in_hand"),
    ("a card once the row is complete", a_game().in_auction(), c.Play(seat=ANNA, card=11), "row/complete"),
    ("a bid while cards are placed", a_game(), c.Bid(seat=ANNA, amount=1), "auction/not_open"),
    ("a pass while cards are placed", a_game(), c.Pass(seat=ANNA), "auction/not_open"),
    ("a bid of who waits for the others' cards", a_game().after(c.Play(seat=ANNA, card=11)),
     c.Bid(seat=ANNA, amount=1), "auction/card_lies"),
    ("a bid out of turn", a_game().in_auction(), c.Bid(seat=BEN, amount=1), "turn/not_yours"),
    ("a pass out of turn", a_game().in_auction(), c.Pass(seat=BEN), "turn/not_yours"),
    ("a bid before the next turn", a_game().in_auction(top_bid=5, by=BEN), c.Bid(seat=BEN, amount=6),
     "bid/stands"),
    ("a bid after a pass", a_game().in_auction().after(c.Pass(seat=ANNA)), c.Bid(seat=ANNA, amount=1),
     "turn/already_passed"),
    ("a second pass", a_game().in_auction().after(c.Pass(seat=ANNA)), c.Pass(seat=ANNA),
     "turn/already_passed"),
    ("no mouse at all", a_game().in_auction(), c.Bid(seat=ANNA, amount=0), "bid/too_low"),
    ("as much as the highest bid", a_game().in_auction(top_bid=5, by=BEN), c.Bid(seat=CARA, amount=5),
     "bid/too_low"),
    ("more than the purse", a_game().in_auction(), c.Bid(seat=ANNA, amount=16), "bid/above_mice"),
    ("1 mouse, the last one, without a mouse", POOR_LAST_SEAT, c.Bid(seat=DAN, amount=1), "bid/no_mice"),
    ("6 mice out of a purse of 5", POOR, c.Bid(seat=CARA, amount=6), "bid/too_poor"),
    ("a clock in no known place", [], creation(clock=m.Terms(move=3600, zone="Europe/Entenhausen")),
     "clock/unknown_zone"),
    ("an end of a table where somebody sits", RUNNING, c.Close(), "table/not_deserted"),
    ("a time-out of one who is not asked", TIMED, c.TimeOut(seat=BEN, turn=1), "time/no_deadline"),
    ("a time-out before its time", TIMED, c.TimeOut(seat=ANNA, turn=2), "time/too_early"),
    ("an absence in the past", TIMED, away(-2, -1), "away/past"),
    ("an absence in two years", TIMED, away(2 * YEAR, 2 * YEAR + 1), "away/too_far"),
    ("an absence of ten years", TIMED, away(0, 10 * YEAR), "away/too_long"),
    ("an absence of one who has none left", AWAY_ENOUGH, away(0, 10 * YEAR), "away/all_used"),
    ("a return of one who is here", TIMED, c.Recall(seat=ANNA), "away/not_away"),
    ("a pause without a clock", a_game(), c.Vote(seat=ANNA, on="pause"), "vote/no_clock"),
    ("a pause in a pause", PAUSED, c.Vote(seat=ANNA, on="pause"), "vote/paused"),
    ("nothing to take back", TIMED, c.Resume(seat=ANNA), "vote/none"),
    ("a vote of one who is not here", LEFT, c.Vote(seat=BEN, on="abandon"), "vote/away"),
    ("2 mice, the last one", LAST_SEAT, c.Bid(seat=DAN, amount=2), "bid/last_pays_one"),
]  # fmt: skip
"""What it is, the table, who asks for what, and the code of the refusal."""

RULES = (rules, lobby, rounds, presence, votes, timing)


def codes_in(*modules: ModuleType) -> set[str]:
    """Every first argument of `Refusal(…)` that is written in these modules."""
    return {code for module in modules for code in codes_in_file(Path(str(module.__file__)))}


_REFUSING = ("Refusal", "Unclear", "_Unread")
"""What is made with a code: a refusal, or what a reader of dates could not read, which becomes one."""


def codes_in_file(path: Path) -> set[str]:
    return {
        node.args[0].value
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _REFUSING
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
        if "/" in node.args[0].value
    }


@each(
    ("table", "command", "code"),
    [situation[1:] for situation in SITUATIONS],
)
def test_refused(table: Table | list[m.Event] | Game, command: c.Command, code: str) -> None:
    given(table).when(command).refused(code)


@each(
    ("table", "command"),
    [situation[1:3] for situation in SITUATIONS],
)
def test_a_refusal_is_a_sentence_with_all_its_details_filled_in(
    table: Table | list[m.Event] | Game, command: c.Command
) -> None:
    answer = given(table).when(command).answer
    assert isinstance(answer, Refusal)
    assert str(answer)[-1] == "."
    assert not set(str(answer)) & set("{}_")


def test_every_code_of_the_rules_has_a_situation_here() -> None:
    assert codes_in(*RULES) == {code for *_, code in SITUATIONS}


def test_every_code_that_has_a_sentence_is_given_somewhere_and_the_other_way_round() -> None:
    """The rules see no mails and no store, so some codes are the service's or the inbox's."""
    files = Path(felix_async.__path__[0]).rglob("*.py")
    assert {code for path in files for code in codes_in_file(path)} == set(REFUSALS)


def test_a_refused_bid_names_the_bid_and_the_least_that_would_do() -> None:
    answer = given(a_game().in_auction(top_bid=5, by=BEN)).when(c.Bid(seat=CARA, amount=4)).answer
    assert isinstance(answer, Refusal)
    assert answer.details == {"amount": 4, "least": 6}


def test_a_refused_card_is_named_as_people_read_it() -> None:
    answer = given(a_game()).when(c.Play(seat=ANNA, card="small_dog")).answer
    assert "The small dog is not in your hand" in str(answer)


def test_a_bid_above_the_purse_is_told_the_purse() -> None:
    answer = given(a_game().in_auction()).when(c.Bid(seat=ANNA, amount=16)).answer
    assert isinstance(answer, Refusal)
    assert answer.details == {"amount": 16, "mice": 15}


def test_a_command_that_nobody_knows_is_a_mistake_and_no_refusal() -> None:
    class Shout(m.Record):
        seat: int

    with pytest.raises(KeyError):
        decide(cast(c.Command, Shout(seat=ANNA)), a_game().game, CONTEXT)


def test_whose_turn_it_is_comes_before_what_a_seat_owns() -> None:
    """A bid above the purse, made out of turn, is not answered with the purse."""
    given(a_game().in_auction()).when(c.Bid(seat=BEN, amount=99)).refused("turn/not_yours")


def test_a_second_table_is_refused_for_its_name_before_its_size() -> None:
    given(a_game()).when(creation(2)).refused("game/exists")
