"""Any command and any event, for tests of what must hold whatever comes."""

from __future__ import annotations

from hypothesis import strategies as st

from felix_async.clock import later
from felix_async.game.commands import (
    Absent,
    BeginAbsence,
    Bid,
    Cancel,
    Close,
    Command,
    Create,
    Decline,
    EndAbsence,
    EndPause,
    Expire,
    Extend,
    Join,
    Leave,
    NameHost,
    Pass,
    Play,
    Recall,
    Resume,
    Return,
    Say,
    Start,
    TimeOut,
    Uninvite,
    Vote,
)
from felix_events.model import (
    AbsenceBegan,
    AbsenceDeclared,
    AbsenceEnded,
    Ballot,
    BidPlaced,
    CardPlaced,
    CardsTurned,
    ClockSet,
    DeadlineSet,
    DummyDealt,
    Event,
    GameAbandoned,
    GameCreated,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HandDealt,
    HostNamed,
    InvitationExpired,
    Options,
    PlayerDeclined,
    PlayerInvited,
    PlayerJoined,
    PlayerPassed,
    PlayerSaid,
    PlayerUninvited,
    ReserveSpent,
    RoundStarted,
    Ruleset,
    SackDiscarded,
    SackSold,
    Score,
    SeatHandedOver,
    SeatTaken,
    SeedRevealed,
    Terms,
    TurnTimedOut,
    VoteCast,
    VotesWithdrawn,
)
from table import COMMITMENT, FULL_SET, NOW, PLAYERS, WORDS

RULESETS: list[Ruleset] = ["felicity-2017", "felix-2007"]
SEATS = st.integers(0, 4)
ANY_SEAT = st.integers(-1, 5)
CARDS = st.sampled_from(FULL_SET)
MICE = st.integers(0, 20)
TURNS = st.integers(1, 20)
SECONDS = st.integers(0, 10**6)
TIMES = st.integers(-(10**7), 10**7).map(lambda seconds: later(NOW, seconds)) | st.sampled_from(
    ["1970-01-01T00:00:00.000000Z", "9000-12-31T23:59:59.999999Z"]
)
BALLOTS: st.SearchStrategy[Ballot] = st.sampled_from(["pause", "abandon"])
TERMS = st.builds(
    Terms,
    move=st.integers(60, 10**6),
    reserve=SECONDS,
    weekends=st.booleans(),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "+05:45", "Nowhere/Land"]),
)

ANY_COMMAND: st.SearchStrategy[Command] = st.one_of(
    st.builds(
        Create,
        ruleset=st.sampled_from(RULESETS),
        seats=st.lists(st.sampled_from([*PLAYERS, "fritz"]), max_size=6),
        options=st.builds(Options, start_seat=st.none() | SEATS),
        commitment=st.just(COMMITMENT),
        host=st.none() | st.integers(-1, 5),
        clock=st.none() | TERMS,
    ),
    st.builds(Join, seat=ANY_SEAT, contribution=st.sampled_from(WORDS)),
    st.builds(Decline, seat=ANY_SEAT),
    st.builds(Play, seat=ANY_SEAT, card=CARDS),
    st.builds(Bid, seat=ANY_SEAT, amount=st.integers(-2, 20) | st.integers()),
    st.builds(Pass, seat=ANY_SEAT),
    st.builds(Start, seat=ANY_SEAT),
    st.builds(NameHost, seat=ANY_SEAT, to=ANY_SEAT),
    st.builds(Uninvite, seat=ANY_SEAT, whom=ANY_SEAT),
    st.builds(Cancel, seat=ANY_SEAT),
    st.builds(Expire, seat=ANY_SEAT),
    st.builds(Close),
    st.builds(Leave, seat=ANY_SEAT, for_good=st.booleans()),
    st.builds(Return, seat=ANY_SEAT),
    st.builds(Say, seat=ANY_SEAT, text_hash=st.sampled_from(WORDS)),
    st.builds(TimeOut, seat=ANY_SEAT, turn=TURNS),
    st.builds(Extend, seat=ANY_SEAT, turn=TURNS, seconds=st.integers(0, 10**6)),
    st.builds(BeginAbsence, seat=ANY_SEAT),
    st.builds(EndAbsence, seat=ANY_SEAT),
    st.builds(EndPause),
    st.builds(Absent, seat=ANY_SEAT, start=TIMES, back=TIMES, computer=st.booleans()),
    st.builds(Recall, seat=ANY_SEAT),
    st.builds(Vote, seat=ANY_SEAT, on=BALLOTS),
    st.builds(Resume, seat=ANY_SEAT),
)
"""Whether it makes sense or not."""


def foreign_events(seats: int) -> st.SearchStrategy[Event]:
    """Any event about this table, whether it could happen there or not."""
    seat = st.integers(0, seats - 1)
    cards, mice_on_cards = st.lists(CARDS, max_size=10), st.lists(MICE, max_size=5)
    scores = st.lists(st.none() | st.builds(Score, cats=MICE, mice=MICE, total=MICE), max_size=5)
    return st.one_of(
        st.builds(
            GameCreated,
            ruleset=st.sampled_from(RULESETS),
            seats=st.just(list(PLAYERS[:seats])),
            options=st.just(Options()),
            commitment=st.just(COMMITMENT),
        ),
        st.builds(HostNamed, seat=seat),
        st.builds(PlayerInvited, seat=seat),
        st.builds(PlayerJoined, seat=seat, contribution=st.just(WORDS[0])),
        st.builds(PlayerDeclined, seat=seat),
        st.builds(PlayerUninvited, seat=seat),
        st.builds(InvitationExpired, seat=seat),
        st.builds(GameStarted, start_seat=seat),
        st.builds(HandDealt, seat=seat, cards=cards, boxed=CARDS),
        st.builds(DummyDealt, pile=cards, boxed=CARDS),
        st.builds(
            RoundStarted, round=st.integers(1, 9), start_seat=seat, mice_on_cards=mice_on_cards, bank=MICE
        ),
        st.builds(CardPlaced, seat=seat, card=CARDS),
        st.builds(CardsTurned, cards=cards),
        st.builds(BidPlaced, seat=seat, amount=MICE),
        st.builds(PlayerPassed, seat=seat, mice=MICE),
        st.builds(SackSold, seat=seat, price=MICE, chased=st.none() | CARDS, prize=cards),
        st.builds(SackDiscarded),
        st.builds(
            SeatHandedOver, seat=seat, to=st.sampled_from(["computer", "player"]), for_good=st.booleans()
        ),
        st.builds(SeatTaken, seat=seat, player_id=st.sampled_from(["dora", "p-0123456789ab"])),
        st.builds(PlayerSaid, seat=seat, text_hash=st.sampled_from(WORDS)),
        st.builds(ClockSet, terms=TERMS),
        st.builds(DeadlineSet, seat=seat, turn=TURNS, reserve_from=TIMES, at=TIMES),
        st.builds(ReserveSpent, seat=seat, seconds=SECONDS, left=SECONDS),
        st.builds(TurnTimedOut, seat=seat, turn=TURNS, in_a_row=st.integers(1, 9)),
        st.builds(AbsenceDeclared, seat=seat, start=TIMES, back=TIMES, computer=st.booleans(), spent=SECONDS),
        st.builds(AbsenceBegan, seat=seat),
        st.builds(AbsenceEnded, seat=seat, early=st.booleans(), spent=SECONDS),
        st.builds(VoteCast, seat=seat, on=BALLOTS),
        st.builds(VotesWithdrawn, seat=seat),
        st.builds(GamePaused, until=TIMES),
        st.builds(GameResumed, seat=st.none() | seat),
        st.builds(GameEnded, scores=scores, winners=st.lists(seat, max_size=5)),
        st.builds(GameAbandoned, reason=st.sampled_from(["declined", "expired", "voted"])),
        st.builds(SeedRevealed, seed=st.just(COMMITMENT)),
    )
