"""A log told again: a sentence in plain words for each event, as one viewer may see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, Literal, cast

from felix_async.game.cards import DOGS, card_text, is_cat
from felix_async.game.names import Names
from felix_async.game.state import Game
from felix_async.game.story import NOTHING, Before, Step, Story
from felix_async.game.views import Hidden, Viewer, redact
from felix_async.game.votes import about
from felix_async.language.data import table
from felix_async.language.order import order_of
from felix_async.language.phrases import Value, first_capital, joined, phrase
from felix_async.people import FORMER
from felix_async.time.times import clock_text, day_text, moment, offset_text, span, until
from felix_async.time.zones import DEFAULT_ZONE, UTC_ZONES, is_place
from felix_events import model as m
from felix_events.disputes import Denied
from felix_events.envelope import Envelope

Fate = Literal["unused"] | m.DropReason
"""Sentences about an order that never made a move."""
_MAY_BE_NONE: Final = ("passing_pays", "kept_for_risk", "bids_up_to")
"""Reasons that say something else if their number is 0 or less."""
_ANY_TIME: Final = "2000-01-01T00:00:00.000000Z"
"""An offset is the same at any time."""


@dataclass(frozen=True, slots=True)
class Line:
    """A step of a log, its event as a viewer may know it, and the sentence about that.

    `version` and `at` are its place and its time, None if the viewer may not know them yet.
    """

    step: Step
    event: m.Event | Hidden
    text: str
    version: int | None
    at: str | None


def retell(envelopes: Sequence[Envelope], viewer: Viewer, names: Names | Sequence[str]) -> Iterator[Line]:
    """Tell a log event by event, in order, each under the names of then if these are known.

    While a game runs nobody is told when a move was made, nor who placed a card before whom.
    """
    story, called = Story.of(envelopes), names if isinstance(names, Names) else Names(names)
    is_running = story.game.standing == "running"
    for step in untimed(story) if is_running else story.steps:
        event = redact(step.event, viewer)
        text = _under_names(event, step, called)
        is_moved = is_running and isinstance(step.event, m.CardPlaced | m.ReserveSpent)
        version = None if is_moved else step.version
        yield Line(step, event, text, version, None if is_running else step.envelope.at)


def _under_names(event: m.Event | Hidden, step: Step, names: Names) -> str:
    now, then = names.at(step.version), names.at(step.version - 1)
    if isinstance(event, m.SeatTaken) and now != then:
        who, whom = now[event.seat], then[event.seat]
        return phrase("events.seat_taken.named.other", who=who, whom=whom)
    return describe(event, now, step.envelope.actor, before=step.before)


def untimed(story: Story) -> Iterator[Step]:
    """The steps of a running game as they may be told: none that says when a move was made.

    The cards of a round come at its end, by seat; of deadlines those that run; and last, by seat, all that
    was spent of a reserve.
    """
    placed: list[tuple[int, Step]] = []
    spent: dict[int, Step] = {}
    for step in story.steps:
        event = step.event
        if isinstance(event, m.CardPlaced):
            placed.append((event.seat, step))
            continue
        if isinstance(event, m.ReserveSpent):
            spent[event.seat] = _with_earlier(spent.get(event.seat), step, event)
            continue
        if isinstance(event, m.CardsTurned):
            yield from _by_seat(placed)
            placed = []
        if not isinstance(event, m.DeadlineSet) or _runs(event, story.game):
            yield step
    yield from _by_seat(placed)
    yield from _by_seat(spent.items())


def numbers_told(story: Story) -> dict[int, int]:
    """Return the number, from 1, of each event of a running game that may be told, by its version.

    A log has holes in it for whoever is not told of some events; where they are would tell of them.
    """
    return {step.version: number for number, step in enumerate(untimed(story), 1)}


def _with_earlier(earlier: Step | None, step: Step, event: m.ReserveSpent) -> Step:
    """Return the step as if it had spent what an earlier one spent, too."""
    if earlier is None or not isinstance(earlier.event, m.ReserveSpent):
        return step
    both = event.model_copy(update={"seconds": earlier.event.seconds + event.seconds})
    return replace(step, envelope=step.envelope.model_copy(update={"data": both}))


def _by_seat(placed: Iterable[tuple[int, Step]]) -> list[Step]:
    return [step for _, step in sorted(placed, key=itemgetter(0))]


def _runs(event: m.DeadlineSet, game: Game) -> bool:
    deadline = game.seats[event.seat].time.deadline
    return deadline is not None and (deadline.turn, deadline.at) == (event.turn, event.at)


def default_viewer(game: Game) -> Viewer:
    """Return the viewer who sees all of a game that is over, and of another one what everybody sees."""
    return "all" if game.is_over else "spectator"


def describe(
    event: m.Event | Hidden,
    names: Sequence[str],
    actor: str = "seat",
    you: int | None = None,
    zone: str = DEFAULT_ZONE,
    before: Before = NOTHING,
) -> str:
    """Return an event as a sentence; a reader who sits at seat `you` is addressed as such.

    Times are told by the clocks of `zone`; `before` is the table as the event found it.
    """
    text = _Teller(names, you, zone, before).tell(event)
    if actor == "host" and not isinstance(event, _HOSTS_OWN):
        text = phrase("events.host.did_this", sentence=text)
    return text


_HOSTS_OWN: Final = (
    m.GameCreated,
    m.HostNamed,
    m.PlayerUninvited,
    m.GameStarted,
    m.GameAbandoned,
    m.ServerRestored,
    m.DisputeSettled,
)
"""The events that a host causes as a host, and not for a player."""


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


def move_text(move: m.Event) -> str:
    """`playing the 11`, `the bid of 5`, `the pass`."""
    match move:
        case m.CardPlaced():
            return phrase("people.dispute.move.card", card=card_text(move.card))
        case m.BidPlaced():
            return phrase("people.dispute.move.bid", amount=move.amount)
    return phrase("people.dispute.move.pass")


def dogs_work(event: m.SackSold, before: Before) -> str:
    """Return the sentence about the dogs in the sack, '' if there was none, or it is not known which."""
    dogs = [card for _, card in before.row if card in DOGS]
    if len(dogs) > 1:
        return phrase("events.sack_sold.dogs")
    if event.chased is not None:
        card = card_text(event.chased)
        if not dogs:
            return phrase("events.sack_sold.chased", card=card)
        return phrase("events.sack_sold.chased_by", dog=card_text(dogs[0]), card=card)
    return phrase("events.sack_sold.idle", dog=card_text(dogs[0])) if dogs else ""


def told_tie(scores: Iterable[m.Score | None], winners: Sequence[int]) -> str:
    """Return the sentence about how a tie was decided, '' if there was none."""
    totals = [score.total for score in scores if score is not None]
    count = totals.count(max(totals, default=0))
    if count < 2:
        return ""
    return phrase("result.tie.cats_too" if count == len(winners) else "result.tie.cats_decided")


def told_reasons(why: m.ChoiceExplained, viewer: Viewer) -> list[str]:
    """Return the reasons for a move of the computer's, a sentence each, if the viewer may know them."""
    if isinstance(redact(why, viewer), Hidden):
        return []
    return reasons_text(why.reasons)


def told_order(
    order: m.OrderGiven, viewer: Viewer, names: Sequence[str], how: Literal["by", "given"] | Fate
) -> str:
    """Return the sentence about an order given in advance, '' if the viewer may not know of it."""
    if isinstance(redact(order, viewer), Hidden):
        return ""
    key: str = how if how in ("by", "given", "unused", "asked", "replaced") else "fallen"
    return phrase(f"events.order_given.{key}", who=names[order.seat], order=str(order_of(order)))


def reasons_text(reasons: Sequence[m.Reason], *, to_seat: bool = False) -> list[str]:
    """Return what spoke for a move of the computer's, said about its seat or to whoever sits there."""
    chance = sum(_number(reason) for reason in reasons if reason.what == "chance_added")
    told = (reason for reason in reasons if reason.what != "chance_added")
    return [_reason_text(reason, chance, to_seat=to_seat) for reason in told]


def _reason_text(reason: m.Reason, chance: int, *, to_seat: bool) -> str:
    key: str = reason.what
    value, card = _number(reason), ""
    if key == "own_card":
        card = the_cards([cast("m.Card", reason.value)])
    elif key == "kept_for_risk" and value < 0:
        key, value = f"{key}_less", -value
    elif key in _MAY_BE_NONE and value <= 0:
        key = f"{key}_none"
    return phrase(
        f"events.hint.{key}" if to_seat else f"events.reason.{key}",
        value=value,
        card=card,
        chance=chance,
        sum=value + chance,
    )


def _number(reason: m.Reason) -> int:
    return reason.value if isinstance(reason.value, int) else 0


@dataclass(frozen=True, slots=True)
class _Teller:
    names: Sequence[str]
    you: int | None
    zone: str
    before: Before

    def tell(self, event: m.Event | Hidden) -> str:
        """Return the sentence; an event without one of its own says who it is about, or else nothing more."""
        if isinstance(event, Hidden):
            return self._hidden(event)
        text = self._of_round(event) or self._of_time(event) or self._of_table(event) or self._of_end(event)
        if text:
            return text
        seat = getattr(event, "seat", None)
        return phrase(f"events.{event.type}.told") if seat is None else self._about(event.type, seat)

    def _about(self, key: str, seat: int, **values: Value) -> str:
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
        if event.seat is None:
            return phrase("events.hidden.dummy_dealt")
        if event.type == "card_placed" and event.seat in self.before.placed:
            return self._about("hidden.card_exchanged", event.seat)
        return self._about(f"hidden.{event.type}", event.seat)

    def _of_table(self, event: m.Event) -> str:
        match event:
            case m.GameCreated():
                rules = table("orders.toml")["rulesets"][event.ruleset][0]
                return phrase("events.game_created.told", seats=len(event.seats), rules=rules)
            case m.GameStarted():
                return self._about("game_started", event.start_seat)
            case m.PlayerUninvited():
                return self._about("player_uninvited", event.seat, who=self._within(event.seat))
            case m.SeatHandedOver(to="player"):
                return self._about("seat_handed_over.back", event.seat)
            case m.SeatHandedOver(for_good=True):
                return self._about("seat_handed_over.for_good", event.seat)
            case m.SeatHandedOver():
                return self._about("seat_handed_over.for_now", event.seat, who=self._within(event.seat))
            case m.SeatTaken():
                return self._about("seat_taken.nameless", event.seat)
            case m.VoteCast():
                what, seat = about(event.on)
                whom = "" if seat is None else self._within(seat)
                return self._about(f"vote_cast.{what}", event.seat, whom=whom)
            case m.DisputeRaised():
                return self._about("dispute_raised", event.seat, move=self._denied(event.what))
            case m.DisputeSettled(how="stands"):
                who, move = self._within(event.seat), self._denied(event.what)
                return self._about("dispute_settled.stands", event.seat, who=who, move=move)
            case m.DisputeSettled():
                return self._about(f"dispute_settled.{event.how}", event.seat, move=self._denied(event.what))
        return ""

    def _denied(self, what: Denied) -> str:
        """The move that a dispute is about, and its round; of one that is not in the open its kind alone."""
        if (denied := self.before.denied) is None:
            return phrase(f"people.dispute.some.{what}")
        return phrase("people.dispute.in_round", move=move_text(denied.event), round=denied.before.round)

    def _of_round(self, event: m.Event) -> str:
        match event:
            case m.HandDealt():
                cards, boxed = card_list(event.cards), card_text(event.boxed)
                return self._about("hand_dealt", event.seat, cards=cards, boxed=boxed)
            case m.DummyDealt():
                cards, boxed = card_list(event.pile), card_text(event.boxed)
                return phrase("events.dummy_dealt.told", cards=cards, boxed=boxed)
            case m.RoundStarted():
                how = "filled" if any(event.mice_on_cards) else "empty"
                mice = [str(mice) for mice in event.mice_on_cards]
                return self._about(f"round_started.{how}", event.start_seat, round=event.round, mice=mice)
            case m.CardPlaced():
                kind = "card_exchanged" if event.seat in self.before.placed else "card_placed"
                return self._about(kind, event.seat, card=card_text(event.card))
            case m.CardsTurned():
                cards = card_list(event.cards)
                return phrase("events.cards_turned.told", cards=cards, count=len(event.cards))
            case m.BidPlaced():
                return self._about("bid_placed", event.seat, mice=event.amount)
            case m.PlayerPassed():
                how = "some" if event.mice else "none"
                if event.seat == self.before.poor:
                    how = f"{how}_forced"
                return self._about(f"player_passed.{how}", event.seat, mice=event.mice)
            case m.SackSold():
                sold = self._about("sack_sold", event.seat, mice=event.price, cards=the_cards(event.prize))
                return " ".join(filter(None, (dogs_work(event, self.before), sold)))
        return ""

    def _of_time(self, event: m.Event) -> str:
        match event:
            case m.ClockSet():
                return " ".join(self._terms(event.terms))
            case m.DeadlineSet():
                how = "move" if event.reserve_from == event.at else "reserve"
                at, reserve_from = moment(event.at, self.zone), moment(event.reserve_from, self.zone)
                return self._about(f"deadline_set.{how}", event.seat, at=at, reserve_from=reserve_from)
            case m.ReserveSpent():
                spent, left = span(event.seconds, 3), span(event.left, 3)
                return self._about("reserve_spent", event.seat, spent=spent, left=left)
            case m.TurnTimedOut():
                how = "first" if event.in_a_row == 1 else "again"
                return self._about(f"turn_timed_out.{how}", event.seat)
            case m.AbsenceDeclared():
                how = "computer" if event.computer else "waits"
                start, back = day_text(event.start, self.zone), until(event.back, self.zone)
                if start == day_text(event.back, self.zone):
                    how, back = f"{how}_that_day", clock_text(event.back, self.zone)
                return self._about(f"absence_declared.{how}", event.seat, start=start, back=back)
            case m.AbsenceEnded():
                return self._about(f"absence_ended.{'early' if event.early else 'planned'}", event.seat)
            case m.GamePaused():
                return phrase("events.game_paused.told", until=until(event.until, self.zone))
            case m.GameResumed(seat=None):
                return phrase("events.game_resumed.over")
        return ""

    def _terms(self, terms: m.Terms) -> Iterator[str]:
        yield phrase("events.clock_set.told", move=span(terms.move, 3))
        if terms.reserve:
            yield phrase("events.clock_set.reserve", reserve=span(terms.reserve, 3))
        if not terms.weekends:
            is_named = is_place(terms.zone) or terms.zone in UTC_ZONES
            zone = terms.zone if is_named else offset_text(_ANY_TIME, terms.zone)
            yield phrase("events.clock_set.no_weekends", zone=zone)

    def _of_end(self, event: m.Event) -> str:
        match event:
            case m.GameEnded():
                scores = {seat: score for seat, score in enumerate(event.scores) if score is not None}
                totals = [
                    phrase("events.game_ended.total", who=who, **score.model_dump())
                    for who, score in zip(self._everybody(list(scores)), scores.values(), strict=True)
                ]
                return f"{phrase('events.game_ended.told', totals=totals)} {self._winners(event.winners)}"
            case m.GameAbandoned():
                return phrase(f"events.game_abandoned.{event.reason}")
        return ""

    def _winners(self, seats: Sequence[int]) -> str:
        if len(seats) == 1:
            return self._about("game_ended", seats[0])
        return phrase("events.game_ended.several", names=self._everybody(seats))

    def _everybody(self, seats: Sequence[int]) -> list[str]:
        """The names of these seats, as they follow each other in a sentence."""
        return [self._within(seat) if place else self._who(seat) for place, seat in enumerate(seats)]
