"""Any command and any event, for tests of what must hold whatever comes."""

from __future__ import annotations

from typing import Final, get_args

from hypothesis import settings
from hypothesis import strategies as st

from felix_async.clock import later
from felix_async.game import commands as c
from felix_async.game import votes
from felix_async.game.rules import is_for_computer, why_not
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_events import model as m
from felix_events.disputes import LONGEST_STOP, Settled
from table import COMMITMENT, FULL_SET, NOW, PLAYERS, WORDS


def seeds(many: int, few: int) -> st.SearchStrategy[int]:
    """Seeds of games below `many`; in `make test` the same few for all tests, which play each game once."""
    step = many // few if settings().max_examples <= FEW_EXAMPLES else 1
    return st.sampled_from(range(0, many, step))


FEW_EXAMPLES: Final = 10
RULESETS: list[m.Ruleset] = ["felicity-2017", "felix-2007"]
SEATS = st.integers(0, 4)
ANY_SEAT = st.integers(-1, 5)
CARDS = st.sampled_from(FULL_SET)
MICE = st.integers(0, 20)
TURNS = st.integers(1, 20)
SECONDS = st.integers(0, 10**6)
TIMES = st.integers(-(10**7), 10**7).map(lambda seconds: later(NOW, seconds)) | st.sampled_from(
    ["1970-01-01T00:00:00.000000Z", "9000-12-31T23:59:59.999999Z"]
)
DENIED: st.SearchStrategy[m.Denied] = st.sampled_from(["card", "bid", "pass"])
BALLOTS: st.SearchStrategy[m.Ballot] = st.sampled_from(votes.BALLOTS)
TERMS = st.builds(
    m.Terms,
    move=st.integers(60, 10**6),
    reserve=SECONDS,
    weekends=st.booleans(),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "+05:45", "Nowhere/Land"]),
)

ANY_COMMAND: st.SearchStrategy[c.Command] = st.one_of(
    st.builds(
        c.Create,
        ruleset=st.sampled_from(RULESETS),
        seats=st.lists(st.sampled_from([*PLAYERS, "fritz"]), max_size=6),
        options=st.builds(m.Options, start_seat=st.none() | SEATS),
        commitment=st.just(COMMITMENT),
        host=st.none() | st.integers(-1, 5),
        clock=st.none() | TERMS,
    ),
    st.builds(c.Join, seat=ANY_SEAT, contribution=st.sampled_from(WORDS)),
    st.builds(c.Decline, seat=ANY_SEAT),
    st.builds(c.Play, seat=ANY_SEAT, card=CARDS),
    st.builds(c.Bid, seat=ANY_SEAT, amount=st.integers(-2, 20) | st.integers()),
    st.builds(c.Pass, seat=ANY_SEAT),
    st.builds(c.Start, seat=ANY_SEAT),
    st.builds(c.NameHost, seat=ANY_SEAT, to=ANY_SEAT),
    st.builds(c.Uninvite, seat=ANY_SEAT, whom=ANY_SEAT),
    st.builds(c.Cancel, seat=ANY_SEAT),
    st.builds(c.Expire, seat=ANY_SEAT),
    st.builds(c.Close),
    st.builds(c.Restore),
    st.builds(c.Leave, seat=ANY_SEAT, for_good=st.booleans()),
    st.builds(c.Return, seat=ANY_SEAT),
    st.builds(c.Say, seat=ANY_SEAT, text_hash=st.sampled_from(WORDS)),
    st.builds(c.TimeOut, seat=ANY_SEAT, turn=TURNS),
    st.builds(c.Extend, seat=ANY_SEAT, turn=TURNS, seconds=st.integers(0, 10**6)),
    st.builds(c.BeginAbsence, seat=ANY_SEAT),
    st.builds(c.EndAbsence, seat=ANY_SEAT),
    st.builds(c.EndPause),
    st.builds(c.Absent, seat=ANY_SEAT, start=TIMES, back=TIMES, computer=st.booleans()),
    st.builds(c.Recall, seat=ANY_SEAT),
    st.builds(c.Dispute, seat=ANY_SEAT, turn=TURNS, what=DENIED),
    st.builds(c.Withdraw, seat=ANY_SEAT),
    st.builds(c.Stand, seat=ANY_SEAT, whom=ANY_SEAT),
    st.builds(c.Lapse, seat=ANY_SEAT),
    st.builds(c.Vote, seat=ANY_SEAT, on=BALLOTS),
    st.builds(c.Resume, seat=ANY_SEAT),
)
"""Whether it makes sense or not."""


def foreign_events(seats: int) -> st.SearchStrategy[m.Event]:
    """Any event about this table, whether it could happen there or not."""
    seat = st.integers(0, seats - 1)
    cards, mice_on_cards = st.lists(CARDS, max_size=10), st.lists(MICE, max_size=5)
    scores = st.lists(st.none() | st.builds(m.Score, cats=MICE, mice=MICE, total=MICE), max_size=5)
    return st.one_of(
        st.builds(
            m.GameCreated,
            ruleset=st.sampled_from(RULESETS),
            seats=st.just(list(PLAYERS[:seats])),
            options=st.just(m.Options()),
            commitment=st.just(COMMITMENT),
        ),
        st.builds(m.HostNamed, seat=seat),
        st.builds(m.PlayerInvited, seat=seat),
        st.builds(m.PlayerJoined, seat=seat, contribution=st.just(WORDS[0])),
        st.builds(m.PlayerDeclined, seat=seat),
        st.builds(m.PlayerUninvited, seat=seat),
        st.builds(m.InvitationExpired, seat=seat),
        st.builds(m.GameStarted, start_seat=seat),
        st.builds(m.HandDealt, seat=seat, cards=cards, boxed=CARDS),
        st.builds(m.DummyDealt, pile=cards, boxed=CARDS),
        st.builds(
            m.RoundStarted, round=st.integers(1, 9), start_seat=seat, mice_on_cards=mice_on_cards, bank=MICE
        ),
        st.builds(m.CardPlaced, seat=seat, card=CARDS),
        st.builds(m.CardsTurned, cards=cards),
        st.builds(m.BidPlaced, seat=seat, amount=MICE),
        st.builds(m.PlayerPassed, seat=seat, mice=MICE),
        st.builds(m.SackSold, seat=seat, price=MICE, chased=st.none() | CARDS, prize=cards),
        st.builds(m.SackDiscarded),
        st.builds(
            m.SeatHandedOver, seat=seat, to=st.sampled_from(["computer", "player"]), for_good=st.booleans()
        ),
        st.builds(m.SeatTaken, seat=seat, player_id=st.sampled_from(["dora", "p-0123456789ab"])),
        st.builds(m.PlayerSaid, seat=seat, text_hash=st.sampled_from(WORDS)),
        st.builds(m.ServerRestored),
        st.builds(m.ClockSet, terms=TERMS),
        st.builds(m.DeadlineSet, seat=seat, turn=TURNS, reserve_from=TIMES, at=TIMES),
        st.builds(m.ReserveSpent, seat=seat, seconds=SECONDS, left=SECONDS),
        st.builds(m.TurnTimedOut, seat=seat, turn=TURNS, in_a_row=st.integers(1, 9)),
        st.builds(
            m.AbsenceDeclared, seat=seat, start=TIMES, back=TIMES, computer=st.booleans(), spent=SECONDS
        ),
        st.builds(m.AbsenceBegan, seat=seat),
        st.builds(m.AbsenceEnded, seat=seat, early=st.booleans(), spent=SECONDS),
        st.builds(m.VoteCast, seat=seat, on=BALLOTS),
        st.builds(m.VotesWithdrawn, seat=seat),
        st.builds(m.GamePaused, until=TIMES),
        st.builds(m.GameResumed, seat=st.none() | seat),
        st.builds(
            m.DisputeRaised,
            seat=seat,
            turn=TURNS,
            what=DENIED,
            lapses=TIMES,
            until=st.none() | TIMES,
            stopped=st.integers(0, LONGEST_STOP),
        ),
        st.builds(
            m.DisputeSettled,
            seat=seat,
            turn=TURNS,
            what=DENIED,
            how=st.sampled_from(get_args(Settled)),
            stopped=st.integers(0, LONGEST_STOP),
        ),
        st.builds(m.GameEnded, scores=scores, winners=st.lists(seat, max_size=5)),
        st.builds(m.GameAbandoned, reason=st.sampled_from(["declined", "expired", "voted"])),
        st.builds(m.SeatLogsClosed, roots=st.just([COMMITMENT] * seats)),
        st.builds(m.SeedRevealed, seed=st.just(COMMITMENT)),
    )


def moves(game: Game, seat: int) -> list[c.Move]:
    """All moves that there are: every card, every bid around what the seat owns, and a pass."""
    bids = range(-1, max(game.seats[seat].mice, game.high_bid) + 3)
    cards = [c.Play(seat=seat, card=card) for card in FULL_SET]
    return [*cards, *(c.Bid(seat=seat, amount=amount) for amount in bids), c.Pass(seat=seat)]


def wishes(game: Game, seat: int) -> list[c.SeatCommand]:
    """Whatever the player in a seat could ask for, but for days of absence and a substitute."""
    others = range(len(game.seats))
    return [
        *moves(game, seat),
        c.Join(seat=seat, contribution=WORDS[0]),
        c.Say(seat=seat, text_hash=WORDS[0]),
        *(
            wish(seat=seat)
            for wish in (c.Decline, c.Start, c.Cancel, c.Return, c.Resume, c.Recall, c.Withdraw)
        ),
        *(c.NameHost(seat=seat, to=other) for other in others),
        *(c.Uninvite(seat=seat, whom=other) for other in others),
        *(c.Stand(seat=seat, whom=other) for other in others),
        *(c.Leave(seat=seat, for_good=for_good) for for_good in (True, False)),
        *(c.Vote(seat=seat, on=on) for on in votes.BALLOTS),
    ]


def expect_welcome(game: Game) -> None:
    """A seat's view calls welcome exactly what the decider would do for a player at the table."""
    for seat in range(len(game.seats)):
        table, here = view(game, seat), game.copy()
        here.seats[seat].computer = False
        for wish in wishes(game, seat):
            is_done = why_not(wish, here) is None and not is_for_computer(wish, game)
            assert table.welcome(wish) == is_done, wish
        assert not view(game, "spectator").welcome(c.Say(seat=seat, text_hash=WORDS[0]))
