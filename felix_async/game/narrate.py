"""A log told again: one step for each event, as one viewer may see it, with a sentence in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from felix_async.game.cards import DOGS, card_text, is_cat
from felix_async.game.folding import fold
from felix_async.game.state import Game
from felix_async.game.views import Hidden, View, Viewer, redact, view
from felix_async.language.data import table
from felix_async.language.phrases import Value, first_capital, joined, phrase
from felix_async.people import FORMER
from felix_async.time.times import day_text, moment, offset_text, span
from felix_async.time.zones import DEFAULT_ZONE, UTC_ZONES, is_place
from felix_events import model as m
from felix_events.envelope import Envelope

_ANY_TIME: Final = "2000-01-01T00:00:00.000000Z"
"""An offset is the same at any time."""


@dataclass(frozen=True, slots=True)
class Before:
    """What the table was like before an event, as far as the sentence about it depends on that.

    `row` are the open cards, where a sack was sold; `is_exchange` says that the seat had placed another card.
    """

    row: Sequence[m.Card] = ()
    is_exchange: bool = False


NOTHING: Final = Before()


@dataclass(frozen=True, slots=True)
class Step:
    """An event as a viewer may know it, and the table after it. `envelope` is for its public fields only."""

    version: int
    envelope: Envelope
    event: m.Event | Hidden
    text: str
    after: Game

    def table(self, viewer: Viewer) -> View:
        """The table after this step."""
        return view(self.after, viewer)


def steps(envelopes: Sequence[Envelope], viewer: Viewer, names: Sequence[str]) -> Iterator[Step]:
    """The steps of a log, in order."""
    game: Game | None = None
    before = befores(envelopes)
    for envelope in envelopes:
        game = fold((envelope.data,), game)
        event = redact(envelope.data, viewer)
        text = describe(event, names, actor=envelope.actor, before=before.get(envelope.version, NOTHING))
        yield Step(envelope.version, envelope, event, text, game)


_OF_THE_ROW: Final = frozenset({m.RoundStarted, m.CardsTurned, m.CardPlaced, m.SackSold})


def befores(envelopes: Sequence[Envelope]) -> dict[int, Before]:
    """What the table was like before the events of a log, by version, where it matters to their sentences."""
    found: dict[int, Before] = {}
    row: list[m.Card] = []
    placed: set[int] = set()
    for envelope in [one for one in envelopes if type(one.data) in _OF_THE_ROW]:
        match envelope.data:
            case m.RoundStarted():
                row, placed = [], set()
            case m.CardsTurned(cards=cards):
                row += cards
            case m.CardPlaced(seat=seat):
                if seat in placed:
                    found[envelope.version] = Before(is_exchange=True)
                placed.add(seat)
            case m.SackSold():
                found[envelope.version] = Before(row=tuple(row))
    return found


def default_viewer(game: Game) -> Viewer:
    """Everything once a game is over, before that what everybody sees."""
    return "all" if game.is_over else "spectator"


def describe(
    event: m.Event | Hidden,
    names: Sequence[str],
    actor: str = "seat",
    you: int | None = None,
    zone: str = DEFAULT_ZONE,
    before: Before = NOTHING,
) -> str:
    """What happened, as a sentence; a reader who sits at seat `you` is addressed as such.

    Times are told by the clocks of `zone`; `before` is what `befores` says of the event.
    """
    teller = _Teller(names, you, zone, before)
    text = teller.tell(event)
    if actor == "host" and not isinstance(event, _HOSTS_OWN):
        text = phrase("events.host.did_this", sentence=text)
    return text


_HOSTS_OWN: Final = (m.GameCreated, m.HostNamed, m.PlayerUninvited, m.GameStarted, m.GameAbandoned)
"""What a host does as a host, and not for a player."""


def card_list(cards: Sequence[m.Card]) -> str:
    """`11, −5 and rabbit`."""
    return joined([card_text(card) for card in cards]) or phrase("events.words.nothing")


def the_cards(cards: Sequence[m.Card]) -> str:
    """`the 11`, or `11, −5, the rabbit and another rabbit`, within a sentence."""
    if len(cards) == 1:
        return phrase("events.cards.first", card=card_text(cards[0]))
    told = [_among(card, cards[:place]) for place, card in enumerate(cards)]
    return joined(told) or phrase("events.words.nothing")


def _among(card: m.Card, before: Sequence[m.Card]) -> str:
    """A card in a list: a cat is its number, what has a name gets an article."""
    if is_cat(card):
        return card_text(card)
    if card in before:
        return phrase("events.cards.again", card=card_text(card))
    return phrase("events.cards.first", card=card_text(card))


def mice_text(number: int) -> str:
    """`1 mouse`, `5 mice`."""
    return phrase("events.words.mice", mice=number)


def told_reasons(why: m.ChoiceExplained, viewer: Viewer) -> list[str]:
    """What spoke for a move of the computer's, a sentence each; nothing to who may not know it."""
    if isinstance(redact(why, viewer), Hidden):
        return []
    return [_reason(reason) for reason in why.reasons]


def _reason(reason: m.Reason) -> str:
    value: Value = reason.value if isinstance(reason.value, int) else 0
    if reason.what == "own_card":
        value = card_text(cast("m.Card", reason.value))
    return phrase(f"events.reason.{reason.what}", value=value)


@dataclass(frozen=True, slots=True)
class _Teller:
    names: Sequence[str]
    you: int | None
    zone: str
    before: Before

    def tell(self, event: m.Event | Hidden) -> str:
        match event:
            case Hidden():
                return self._hidden(event)
            case (
                m.GameCreated() | m.PlayerInvited() | m.PlayerJoined() | m.PlayerDeclined() | m.GameStarted()
            ):
                return self._opening(event)
            case (
                m.HostNamed()
                | m.PlayerUninvited()
                | m.InvitationExpired()
                | m.SeatHandedOver()
                | m.PlayerSaid()
            ):
                return self._people(event)
            case m.SeatTaken():
                return self._people(event)
            case m.HandDealt() | m.DummyDealt() | m.CardPlaced():
                return self._secret(event)
            case m.GameEnded() | m.GameAbandoned() | m.SeedRevealed():
                return self._ending(event)
            case m.ClockSet() | m.DeadlineSet() | m.ReserveSpent() | m.TurnTimedOut():
                return self._clock(event)
            case m.AbsenceDeclared() | m.AbsenceBegan() | m.AbsenceEnded():
                return self._absence(event)
            case m.VoteCast() | m.VotesWithdrawn() | m.GamePaused() | m.GameResumed():
                return self._vote(event)
            case _:
                return self._round(event)

    def _told(self, key: str, seat: int, **values: Value) -> str:
        """The sentence about what a seat did, to the reader who sits there or to another one."""
        if seat == self.you:
            return phrase(f"events.{key}.you", **values)
        return phrase(f"events.{key}.other", **{"who": self._who(seat), **values})

    def _who(self, seat: int) -> str:
        if seat == self.you:
            return phrase("events.words.You")
        name = self._name(seat)
        return first_capital(name) if name.startswith(FORMER) else name

    def _within(self, seat: int) -> str:
        """The same within a sentence."""
        return phrase("events.words.you") if seat == self.you else self._name(seat)

    def _name(self, seat: int) -> str:
        return self.names[seat] if seat < len(self.names) else phrase("events.words.seat", seat=seat)

    def _hidden(self, event: Hidden) -> str:
        if event.type == "dummy_dealt":
            return phrase("events.hidden.dummy_dealt")
        assert event.seat is not None, "only the dummy has no seat"
        if event.type == "hand_dealt":
            return self._told("hidden.hand_dealt", event.seat)
        if self.before.is_exchange:
            return self._told("hidden.card_exchanged", event.seat)
        return self._told("hidden.card_placed", event.seat)

    def _opening(self, event: m.Event) -> str:
        match event:
            case m.GameCreated():
                rules = table("orders.toml")["rulesets"][event.ruleset][0]
                return phrase("events.game_created.told", seats=len(event.seats), rules=rules)
            case m.PlayerInvited():
                return self._told("player_invited", event.seat)
            case m.PlayerJoined():
                return self._told("player_joined", event.seat)
            case m.PlayerDeclined():
                return self._told("player_declined", event.seat)
            case m.GameStarted():
                return self._told("game_started", event.start_seat)
        raise TypeError(f"{event.type} opens nothing")

    def _people(self, event: m.Event) -> str:
        match event:
            case m.HostNamed():
                return self._told("host_named", event.seat)
            case m.PlayerUninvited():
                return self._told("player_uninvited", event.seat, who=self._within(event.seat))
            case m.InvitationExpired():
                return self._told("invitation_expired", event.seat)
            case m.SeatHandedOver(to="player"):
                return self._told("seat_handed_over.back", event.seat)
            case m.SeatHandedOver():
                if event.for_good:
                    return self._told("seat_handed_over.for_good", event.seat)
                return self._told("seat_handed_over.for_now", event.seat, who=self._within(event.seat))
            case m.SeatTaken():
                return self._told("seat_taken.nameless", event.seat)
            case m.PlayerSaid():
                return self._told("player_said", event.seat)
        raise TypeError(f"{event.type} is about nobody")

    def _secret(self, event: m.Event) -> str:
        match event:
            case m.HandDealt():
                return self._told(
                    "hand_dealt", event.seat, cards=card_list(event.cards), boxed=card_text(event.boxed)
                )
            case m.DummyDealt():
                return phrase(
                    "events.dummy_dealt.told", cards=card_list(event.pile), boxed=card_text(event.boxed)
                )
            case m.CardPlaced():
                card = card_text(event.card)
                if self.before.is_exchange:
                    return self._told("card_exchanged", event.seat, card=card)
                return self._told("card_placed", event.seat, card=card)
        raise TypeError(f"{event.type} is no secret")

    def _round(self, event: m.Event) -> str:
        match event:
            case m.RoundStarted():
                if not any(event.mice_on_cards):
                    return self._told("round_started.empty", event.start_seat, round=event.round)
                mice = [str(mice) for mice in event.mice_on_cards]
                return self._told("round_started.filled", event.start_seat, round=event.round, mice=mice)
            case m.CardsTurned():
                cards = card_list(event.cards)
                return phrase("events.cards_turned.told", cards=cards, count=len(event.cards))
            case m.BidPlaced():
                return self._told("bid_placed", event.seat, mice=event.amount)
            case m.PlayerPassed():
                how = "some" if event.mice else "none"
                return self._told(f"player_passed.{how}", event.seat, mice=event.mice)
            case m.SackSold():
                sold = self._told("sack_sold", event.seat, mice=event.price, cards=the_cards(event.prize))
                return " ".join(filter(None, (self._dogs(event), sold)))
            case m.SackDiscarded():
                return phrase("events.sack_discarded.told")
        raise TypeError(f"{event.type} belongs to no round")

    def _dogs(self, event: m.SackSold) -> str:
        """What the dogs in the sack did; nothing where it is not known which there were."""
        dogs = [card for card in self.before.row if card in DOGS]
        if len(dogs) > 1:
            return phrase("events.sack_sold.dogs")
        if event.chased is not None:
            card = card_text(event.chased)
            if not dogs:
                return phrase("events.sack_sold.chased", card=card)
            return phrase("events.sack_sold.chased_by", dog=card_text(dogs[0]), card=card)
        return phrase("events.sack_sold.idle", dog=card_text(dogs[0])) if dogs else ""

    def _clock(self, event: m.Event) -> str:
        match event:
            case m.ClockSet():
                return " ".join(self._terms(event.terms))
            case m.DeadlineSet():
                how = "move" if event.reserve_from == event.at else "reserve"
                at, reserve_from = moment(event.at, self.zone), moment(event.reserve_from, self.zone)
                return self._told(f"deadline_set.{how}", event.seat, at=at, reserve_from=reserve_from)
            case m.ReserveSpent():
                spent, left = span(event.seconds, 3), span(event.left, 3)
                return self._told("reserve_spent", event.seat, spent=spent, left=left)
            case m.TurnTimedOut():
                which = "first" if event.in_a_row == 1 else "again"
                return self._told(f"turn_timed_out.{which}", event.seat)
        raise TypeError(f"{event.type} is about no clock")

    def _terms(self, terms: m.Terms) -> Iterator[str]:
        yield phrase("events.clock_set.told", move=span(terms.move, 3))
        if terms.reserve:
            yield phrase("events.clock_set.reserve", reserve=span(terms.reserve, 3))
        if not terms.weekends:
            is_named = is_place(terms.zone) or terms.zone in UTC_ZONES
            zone = terms.zone if is_named else offset_text(_ANY_TIME, terms.zone)
            yield phrase("events.clock_set.no_weekends", zone=zone)

    def _absence(self, event: m.Event) -> str:
        match event:
            case m.AbsenceDeclared():
                how = "computer" if event.computer else "waits"
                start, back = day_text(event.start, self.zone), day_text(event.back, self.zone)
                return self._told(f"absence_declared.{how}", event.seat, start=start, back=back)
            case m.AbsenceBegan():
                return self._told("absence_began", event.seat)
            case m.AbsenceEnded():
                return self._told(f"absence_ended.{'early' if event.early else 'planned'}", event.seat)
        raise TypeError(f"{event.type} is about no absence")

    def _vote(self, event: m.Event) -> str:
        match event:
            case m.VoteCast():
                return self._told(f"vote_cast.{event.on}", event.seat)
            case m.VotesWithdrawn():
                return self._told("votes_withdrawn", event.seat)
            case m.GamePaused():
                return phrase("events.game_paused.told", until=moment(event.until, self.zone))
            case m.GameResumed():
                if event.seat is None:
                    return phrase("events.game_resumed.over")
                return self._told("game_resumed", event.seat)
        raise TypeError(f"{event.type} is about no vote")

    def _ending(self, event: m.Event) -> str:
        match event:
            case m.GameEnded():
                scores = {seat: score for seat, score in enumerate(event.scores) if score is not None}
                totals = [
                    phrase(
                        "events.game_ended.total",
                        who=name,
                        total=score.total,
                        cats=score.cats,
                        mice=score.mice,
                    )
                    for name, score in zip(self._everybody(list(scores)), scores.values(), strict=True)
                ]
                return f"{phrase('events.game_ended.told', totals=totals)} {self.winners(event.winners)}"
            case m.GameAbandoned():
                return phrase(f"events.game_abandoned.{event.reason}")
            case m.SeedRevealed():
                return phrase("events.seed_revealed.told")
        raise TypeError(f"{event.type} ends nothing")

    def winners(self, seats: Sequence[int]) -> str:
        """Who won, in a sentence."""
        if len(seats) == 1:
            return self._told("game_ended", seats[0])
        return phrase("events.game_ended.several", names=self._everybody(seats))

    def _everybody(self, seats: Sequence[int]) -> list[str]:
        """The names of these seats, as they stand one after the other in a sentence."""
        return [self._within(seat) if place else self._who(seat) for place, seat in enumerate(seats)]
