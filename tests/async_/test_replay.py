"""A log told again: a sentence for every event, for each kind of reader."""

from __future__ import annotations

import pytest

from each import each
from felix_async.game.narrate import default_viewer, describe, retell
from felix_async.game.views import Hidden
from felix_events import model as m
from games import a_game_played
from table import ANNA, BEN, CARA

NAMES = ["Anna", "Ben", "Cara"]
HASH = "0" * 64
DAY = 24 * 3600
NOON, LATER = "2026-11-22T12:00:00.000000Z", "2026-12-03T08:30:00.000000Z"
CREATED = m.GameCreated(
    ruleset="felix-2007", seats=["anna", "ben", "cara"], options=m.Options(), commitment=HASH
)
SCORES: list[m.Score | None] = [
    m.Score(cats=-3, mice=10, total=7),
    m.Score(cats=30, mice=1, total=31),
    m.Score(cats=0, mice=31, total=31),
]

TOLD: list[tuple[m.Event | Hidden, str, str]] = [
    (CREATED, "A table for 3 was opened, by the 2007 rules.", "A table for 3 was opened, by the 2007 rules."),
    (m.PlayerInvited(seat=BEN), "Ben was invited.", "You were invited."),
    (m.PlayerJoined(seat=BEN, contribution=HASH), "Ben joined.", "You joined."),
    (m.PlayerDeclined(seat=BEN), "Ben declined.", "You declined."),
    (m.HostNamed(seat=BEN), "Ben is the host.", "You are the host."),
    (m.PlayerUninvited(seat=BEN), "The host withdrew the invitation of Ben.",
     "The host withdrew your invitation."),
    (m.InvitationExpired(seat=BEN), "Ben did not answer in time.", "You did not answer in time."),
    (m.GameStarted(start_seat=BEN), "The game started; Ben will start the first round.",
     "The game started; you will start the first round."),
    (m.HandDealt(seat=BEN, cards=[-8, 0, 15, "large_dog"], boxed="small_dog"),
     "Ben got this hand: −8, rabbit, 15 and large dog; the small dog is in the box.",
     "You got this hand: −8, rabbit, 15 and large dog; the small dog is in the box."),
    (Hidden("hand_dealt", BEN), "Ben got nine cards; the tenth is in the box.",
     "You got nine cards; the tenth is in the box."),
    (m.DummyDealt(pile=[3, -5], boxed=0), "The dummy's pile is 3 and −5; the rabbit is in the box.",
     "The dummy's pile is 3 and −5; the rabbit is in the box."),
    (Hidden("dummy_dealt", None), "The dummy's pile was shuffled; one of its cards is in the box.",
     "The dummy's pile was shuffled; one of its cards is in the box."),
    (m.RoundStarted(round=2, start_seat=BEN, mice_on_cards=[3, 6], bank=4),
     "Round 2: Ben starts; the mouse cards hold 3 and 6.",
     "Round 2: you start; the mouse cards hold 3 and 6."),
    (m.RoundStarted(round=9, start_seat=BEN, mice_on_cards=[0, 0], bank=4),
     "Round 9: Ben starts; the mouse cards stay empty.", "Round 9: you start; the mouse cards stay empty."),
    (m.CardPlaced(seat=BEN, card=-5), "Ben placed the −5.", "You placed the −5."),
    (Hidden("card_placed", BEN), "Ben placed a card.", "You placed a card."),
    (m.CardsTurned(cards=["large_dog"]), "The large dog was turned over.", "The large dog was turned over."),
    (m.CardsTurned(cards=[-8, 0]), "The −8 and rabbit were turned over.",
     "The −8 and rabbit were turned over."),
    (m.BidPlaced(seat=BEN, amount=1), "Ben bid 1 mouse.", "You bid 1 mouse."),
    (m.BidPlaced(seat=BEN, amount=5), "Ben bid 5 mice.", "You bid 5 mice."),
    (m.PlayerPassed(seat=BEN, mice=0), "Ben passed.", "You passed."),
    (m.PlayerPassed(seat=BEN, mice=4), "Ben passed and took 4 mice.", "You passed and took 4 mice."),
    (m.SackSold(seat=BEN, price=1, chased=None, prize=[8]), "Ben bought the sack for 1 mouse and got the 8.",
     "You bought the sack for 1 mouse and got the 8."),
    (m.SackSold(seat=BEN, price=7, chased=11, prize=[0, -8]),
     "The dog chased the 11 away. Ben bought the sack for 7 mice and got the rabbit and −8.",
     "The dog chased the 11 away. You bought the sack for 7 mice and got the rabbit and −8."),
    (m.SackSold(seat=BEN, price=2, chased=None, prize=[]),
     "Ben bought the sack for 2 mice and got nothing.", "You bought the sack for 2 mice and got nothing."),
    (m.SackDiscarded(), "Nobody wanted the sack; it went to the box.",
     "Nobody wanted the sack; it went to the box."),
    (m.SeatHandedOver(seat=BEN, to="computer", for_good=False), "The computer plays on for Ben.",
     "The computer plays on for you."),
    (m.ClockSet(terms=m.Terms(move=3 * DAY)), "The game is played by the clock: 3 days for each decision.",
     "The game is played by the clock: 3 days for each decision."),
    (m.ClockSet(terms=m.Terms(move=DAY // 2, reserve=7 * DAY, weekends=False, zone="Europe/Berlin")),
     "The game is played by the clock: 12 hours for each decision. Each player has 7 days more in the whole"
     " game. Saturdays and Sundays do not count (Europe/Berlin).",
     "The game is played by the clock: 12 hours for each decision. Each player has 7 days more in the whole"
     " game. Saturdays and Sundays do not count (Europe/Berlin)."),
    (m.DeadlineSet(seat=BEN, turn=1, reserve_from=NOON, at=NOON), "Ben has until Sun 22 Nov, 12:00 UTC.",
     "You have until Sun 22 Nov, 12:00 UTC."),
    (m.DeadlineSet(seat=BEN, turn=1, reserve_from=NOON, at=LATER),
     "Ben has until Sun 22 Nov, 12:00 UTC, and with the reserve until Thu 3 Dec, 08:30 UTC.",
     "You have until Sun 22 Nov, 12:00 UTC, and with your reserve until Thu 3 Dec, 08:30 UTC."),
    (m.ReserveSpent(seat=BEN, seconds=3 * 3600, left=DAY + 1800),
     "Ben used 3 hours of the reserve and has 1 day and 30 minutes of it left.",
     "You used 3 hours of your reserve and have 1 day and 30 minutes of it left."),
    (m.ReserveSpent(seat=BEN, seconds=60, left=0),
     "Ben used 1 minute of the reserve and has no time of it left.",
     "You used 1 minute of your reserve and have no time of it left."),
    (m.TurnTimedOut(seat=BEN, turn=1, in_a_row=1), "Ben's time was up, so I moved for them.",
     "Your time was up, so I moved for you."),
    (m.TurnTimedOut(seat=BEN, turn=2, in_a_row=2), "Ben's time was up once more, so I moved for them.",
     "Your time was up once more, so I moved for you."),
    (m.AbsenceDeclared(seat=BEN, start=NOON, back=LATER, computer=False, spent=0),
     "Ben is away from Sun 22 Nov until Thu 3 Dec, 08:30 UTC; their clock stands still.",
     "You are away from Sun 22 Nov until Thu 3 Dec, 08:30 UTC; your clock stands still."),
    (m.AbsenceDeclared(seat=BEN, start=NOON, back=LATER, computer=True, spent=0),
     "Ben is away from Sun 22 Nov until Thu 3 Dec, 08:30 UTC; the computer plays meanwhile.",
     "You are away from Sun 22 Nov until Thu 3 Dec, 08:30 UTC; the computer plays meanwhile."),
    (m.AbsenceDeclared(seat=BEN, start=NOON, back="2026-11-22T23:12:00.000000Z", computer=False, spent=0),
     "Ben is away on Sun 22 Nov until 23:12 UTC; their clock stands still.",
     "You are away on Sun 22 Nov until 23:12 UTC; your clock stands still."),
    (m.AbsenceBegan(seat=BEN), "Ben's time away begins.", "Your time away begins."),
    (m.AbsenceEnded(seat=BEN, early=False, spent=DAY), "Ben's time away is over.", "Your time away is over."),
    (m.AbsenceEnded(seat=BEN, early=True, spent=DAY), "Ben's time away is over earlier than planned.",
     "Your time away is over earlier than planned."),
    (m.VoteCast(seat=BEN, on="pause"), "Ben wants a pause.", "You want a pause."),
    (m.VoteCast(seat=BEN, on="abandon"), "Ben wants to end the game without a result.",
     "You want to end the game without a result."),
    (m.DisputeRaised(seat=BEN, turn=3, what="card", lapses=LATER, until=None, stopped=0),
     "Ben says that the face-down card was not theirs.",
     "You say that the face-down card was not yours."),
    (m.DisputeRaised(seat=BEN, turn=3, what="bid", lapses=LATER, until=NOON, stopped=0),
     "Ben says that the bid was not theirs.", "You say that the bid was not yours."),
    (m.DisputeRaised(seat=BEN, turn=3, what="pass", lapses=LATER, until=None, stopped=0),
     "Ben says that the pass was not theirs.", "You say that the pass was not yours."),
    (m.DisputeSettled(seat=BEN, turn=3, what="bid", how="stands", stopped=0),
     "The host lets the move stand that Ben disputed: the bid.",
     "The host lets the move stand that you disputed: the bid."),
    (m.DisputeSettled(seat=BEN, turn=3, what="bid", how="withdrawn", stopped=0),
     "Ben no longer disputes the bid.", "You no longer dispute the bid."),
    (m.DisputeSettled(seat=BEN, turn=3, what="bid", how="expired", stopped=0),
     "Ben's dispute about the bid was open for seven days; the move stands.",
     "Your dispute about the bid was open for seven days; the move stands."),
    (m.DisputeSettled(seat=BEN, turn=3, what="bid", how="handed_over", stopped=0),
     "Ben's dispute is over: the players voted for the computer.",
     "Your dispute is over: the players voted for the computer."),
    (m.VoteCast(seat=BEN, on="seat 2"), "Ben would like the computer to play on for Cara.",
     "You would like the computer to play on for Cara."),
    (m.VoteCast(seat=CARA, on="seat 1"), "Cara would like the computer to play on for Ben.",
     "Cara would like the computer to play on for you."),
    (m.VotesWithdrawn(seat=BEN), "Ben wants to go on after all.", "You want to go on after all."),
    (m.GamePaused(until=LATER), "The game is paused until Thu 3 Dec, 08:30 UTC.",
     "The game is paused until Thu 3 Dec, 08:30 UTC."),
    (m.GameResumed(seat=BEN), "Ben ended the pause; the game goes on.",
     "You ended the pause; the game goes on."),
    (m.GameResumed(seat=None), "The pause is over; the game goes on.",
     "The pause is over; the game goes on."),
    (m.SeatHandedOver(seat=BEN, to="computer", for_good=True),
     "Ben is out of the game for good; the computer plays on.",
     "You are out of the game for good; the computer plays on."),
    (m.SeatHandedOver(seat=BEN, to="player", for_good=False), "Ben is back at the table.",
     "You are back at the table."),
    (m.SeatTaken(seat=BEN, player_id="dora"), "Ben plays on in the seat of a former player.",
     "You play on in the seat of a former player."),
    (m.PlayerSaid(seat=BEN, text_hash=HASH), "Ben said something.", "You said something."),
    (m.ServerRestored(),
     "The server was set back to a backup: what was sent since its copy was made is void.",
     "The server was set back to a backup: what was sent since its copy was made is void."),
    (m.GameEnded(scores=[None, *SCORES[1:]], winners=[BEN]),
     "The game is over: Ben 31 (cats 30, 1 mouse) and Cara 31 (cats 0, 31 mice). Ben won.",
     "The game is over: You 31 (cats 30, 1 mouse) and Cara 31 (cats 0, 31 mice). You won."),
    (m.GameEnded(scores=SCORES, winners=[BEN]),
     "The game is over: Anna 7 (cats −3, 10 mice), Ben 31 (cats 30, 1 mouse) and Cara 31 (cats 0, 31 mice)."
     " Ben won.",
     "The game is over: Anna 7 (cats −3, 10 mice), you 31 (cats 30, 1 mouse) and Cara 31 (cats 0, 31 mice)."
     " You won."),
    (m.GameEnded(scores=SCORES[:1], winners=[ANNA, BEN, CARA]),
     "The game is over: Anna 7 (cats −3, 10 mice). Anna, Ben and Cara share the win.",
     "The game is over: Anna 7 (cats −3, 10 mice). Anna, you and Cara share the win."),
    (m.GameAbandoned(reason="declined"), "The game will not happen.", "The game will not happen."),
    (m.GameAbandoned(reason="cancelled"), "The host called the game off.", "The host called the game off."),
    (m.GameAbandoned(reason="expired"), "The game will not happen: time is up.",
     "The game will not happen: time is up."),
    (m.GameAbandoned(reason="left"), "Nobody plays on; the game ends without a result.",
     "Nobody plays on; the game ends without a result."),
    (m.GameAbandoned(reason="voted"), "The players ended the game without a result.",
     "The players ended the game without a result."),
    (m.GameAbandoned(reason="deserted"), "Nobody came back to the table; the game ends without a result.",
     "Nobody came back to the table; the game ends without a result."),
    (m.SeatLogsClosed(roots=[HASH] * 3), "The players' advance orders were revealed.",
     "The players' advance orders were revealed."),
    (m.SeedRevealed(seed=HASH),
     "The secret seed was revealed; the deal can now be checked.",
     "The secret seed was revealed; the deal can now be checked."),
]  # fmt: skip
"""An event, its sentence, and the same sentence for Ben."""


def kind(event: m.Event | Hidden) -> str:
    return event.type


@each("event, sentence", [(event, other) for event, other, _ in TOLD])
def test_the_sentence_for_everybody(event: m.Event | Hidden, sentence: str) -> None:
    assert describe(event, NAMES) == sentence


def test_every_kind_of_event_has_a_sentence_here() -> None:
    assert {event.type for event, *_ in TOLD} == {event.type for event in m.EVENTS}


def test_every_secret_event_has_a_sentence_without_its_secret() -> None:
    hidden = {event.type for event, *_ in TOLD if isinstance(event, Hidden)}
    assert hidden == {event.type for event in m.EVENTS if event.secret}


# ---- who made a move --------------------------------------------------------------------------------
def test_a_move_that_the_host_made_is_marked() -> None:
    told = describe(m.BidPlaced(seat=BEN, amount=5), NAMES, actor="host")
    assert told == "Ben bid 5 mice. (The host did this.)"


def test_a_hidden_move_that_the_host_made_is_marked_too() -> None:
    told = describe(Hidden("card_placed", BEN), NAMES, actor="host")
    assert told == "Ben placed a card. (The host did this.)"


# ---- names ------------------------------------------------------------------------------------------

HOSTILE = ["<script>alert(1)</script>", "Ben\r\nBcc: all@players.test", "\x1b[2J{seat}%s\u202e", "", "you"]


# ---- steps ------------------------------------------------------------------------------------------
def test_a_step_of_a_spectator_hides_what_is_secret() -> None:
    for line in retell(a_game_played(3).envelopes, "spectator", NAMES):
        assert isinstance(line.event, Hidden) == line.step.event.secret


def test_a_step_for_all_hides_nothing() -> None:
    for line in retell(a_game_played(3).envelopes, "all", NAMES):
        assert line.event == line.step.event


def test_a_running_game_is_told_as_a_spectator_sees_it() -> None:
    assert default_viewer(a_game_played(3).game(50)) == "spectator"


@pytest.mark.parametrize(("zone", "told"), [("+09:00", "UTC+9"), ("-03:30", "UTC-3:30"), ("UTC", "UTC")])
def test_an_offset_is_told_as_everywhere(zone: str, told: str) -> None:
    sentence = describe(m.ClockSet(terms=m.Terms(move=3 * DAY, weekends=False, zone=zone)), NAMES)
    assert sentence.endswith(f"Saturdays and Sundays do not count ({told}).")


@each("event, sentence", [(event, own) for event, _, own in TOLD])
def test_the_sentence_for_the_one_it_is_about(event: m.Event | Hidden, sentence: str) -> None:
    assert describe(event, NAMES, you=BEN) == sentence
