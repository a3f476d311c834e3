"""The best moments of a game that is over: what its players will talk about.

They are made from what happened in the open alone, so whoever may see the game may see all of them. A game
that ended without a result has those of the sacks that were sold.

The kinds, each with what its value counts:

decider: The last seat to pass would have won the game, had it got the sack for one mouse more than was paid
    (for 1 if nobody bought it) and all else gone the same. Told of the last such pass, if the seat could
    pay for that and for its later bids. The points that the sack would have brought.
steal: A sack was sold for at least 10 mice less than its cats are worth. Cats less price.
disaster: A sack was sold for at least 5 mice more than its cats are worth. Price less cats.
bluff: A seat bid with a card that still lay face down at the last bid, and somebody else, whose bid that was,
    paid more for the sack than it is worth, but not more than it would be worth without that card. The
    points that the card took away.
secret: The buyer's own card lay face down until all others had passed, and only with it the sack is worth
    more than its price; no dog chased a card like it. The points that the card brought.
dog: A single dog chased a cat out of a sack that was sold. The points of the cat.
war: The most bids for a sack, by at least two seats; of equals the later one. The bids.
lead: After a round another seat than before has the highest total alone, by cats if totals are equal. The
    points by which it is ahead of the one who led.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from felix_async.game.auctions import Auction, auctions
from felix_async.game.cards import DOGS, card_text
from felix_async.game.ledger import Purse, purses
from felix_async.game.scoring import score, winners
from felix_async.game.story import Story
from felix_async.language.phrases import Value, phrase
from felix_events.model import BidPlaced, SackSold, Score

Kind = Literal["decider", "steal", "disaster", "bluff", "secret", "dog", "war", "lead"]
STEAL: Final = 10
DISASTER: Final = 5
_RANK: Final[Mapping[Kind, int]] = {
    "decider": 100,
    "bluff": 14,
    "secret": 8,
    "disaster": 5,
    "lead": 4,
    "dog": 2,
    "steal": 0,
    "war": -4,
}
"""Points added to a value to rank moments of different kinds: what is rare comes first."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Something worth telling: `version` is that of the sale or the pass, the one it is about sits first.

    `value` is what the kind counts, never below 0.
    """

    kind: Kind
    round: int
    version: int
    seats: Sequence[int]
    value: int
    told: str = field(repr=False)
    facts: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def text(self, names: Sequence[str]) -> str:
        """Return it as a sentence; the names are those of then, by seat."""
        who, other = names[self.seats[0]], names[self.seats[-1]]
        return phrase(f"moments.told.{self.told}", round=self.round, who=who, other=other, **self.facts)


def moments(story: Story) -> list[Moment]:
    """Return the moments of a game that is over, the best one first; of one that runs there are none."""
    if not story.game.is_over:
        return []
    all_ = auctions(story)
    found = [moment for auction in all_ for moment in _of_sale(auction)]
    found += _war(all_)
    if story.game.phase == "ended":
        found += [*_leads(story, all_), *_decider(story, all_)]
    return sorted(found, key=lambda moment: (-moment.value - _RANK[moment.kind], moment.version, moment.kind))


def best(found: Sequence[Moment], count: int = 3) -> list[Moment]:
    """Return at most so many of these moments, the first of each round and each kind, in the game's order."""
    chosen: list[Moment] = []
    for moment in found:
        if all(moment.round != one.round and moment.kind != one.kind for one in chosen):
            chosen.append(moment)
    return sorted(chosen[:count], key=lambda moment: moment.version)


def _of_sale(auction: Auction) -> Iterator[Moment]:
    """The moments of one sold sack."""
    sale = auction.sale
    if sale is None:
        return
    place = (auction.round, auction.version)
    sums: dict[str, Value] = {"worth": auction.worth, "price": sale.price}
    profit = auction.worth - sale.price
    if profit >= STEAL:
        yield Moment("steal", *place, (sale.seat,), profit, "steal", sums)
    if profit <= -DISASTER:
        yield Moment("disaster", *place, (sale.seat,), -profit, "disaster", sums)
    if sale.chased is not None:
        dog = next(card for card in auction.row if card in DOGS)
        points = int(sale.chased)
        how = "dog_took" if points > 0 else "dog_helped"
        facts = {**sums, "dog": card_text(dog), "card": card_text(sale.chased)}
        yield Moment("dog", *place, (sale.seat,), abs(points), how, facts)
    for seat, points in _bluffers(auction, sale)[:1]:
        facts = {**sums, "card": card_text(auction.card_of(seat))}
        yield Moment("bluff", *place, (seat, sale.seat), points, "bluff", facts)
    without = auction.without(sale.seat)
    own = auction.card_of(sale.seat)
    if without <= sale.price < auction.worth and own != sale.chased and _is_secret(auction, sale.seat):
        facts = {**sums, "card": card_text(own)}
        yield Moment("secret", *place, (sale.seat,), auction.worth - without, "secret", facts)


def _bluffers(auction: Auction, sale: SackSold) -> list[tuple[int, int]]:
    """The seats whose bluff the buyer fell for, and the points that their cards took away, most first."""
    last, _ = auction.bids[-1]
    bold = {bid.seat for _, bid in auction.bids} - {owner for owner, _ in last.before.row} - {sale.seat}
    took = {seat: auction.without(seat) - auction.worth for seat in bold}
    fallen = {
        seat: points for seat, points in took.items() if auction.worth < sale.price <= auction.worth + points
    }
    return sorted(fallen.items(), key=lambda one: (-one[1], one[0]))


def _is_secret(auction: Auction, seat: int) -> bool:
    """Return True if the seat's card lay face down until all others had passed."""
    *_, (last, _) = auction.passes
    return seat not in [owner for owner, _ in last.before.row]


def _war(all_: Sequence[Auction]) -> list[Moment]:
    """The auction with the most bids."""
    wars = [auction for auction in all_ if len({bid.seat for _, bid in auction.bids}) > 1]
    if not wars:
        return []
    longest = max(wars, key=lambda auction: (len(auction.bids), auction.version))
    # Whoever bids last and highest buys.
    seats = tuple(dict.fromkeys(bid.seat for _, bid in reversed(longest.bids)))
    count, price = len(longest.bids), longest.bids[-1][1].amount
    facts: dict[str, Value] = {"count": count, "price": price}
    return [Moment("war", longest.round, longest.version, seats, count, "war", facts)]


def _leads(story: Story, all_: Sequence[Auction]) -> Iterator[Moment]:
    """The changes of lead, round by round."""
    leader: int | None = None
    for auction in all_:
        scores = _scores(story, auction.version)
        first, *shared = winners(scores)
        if shared or first == leader:
            continue
        if leader is not None:
            new, old = _total(scores[first]), _total(scores[leader])
            facts: dict[str, Value] = {"new": new}
            yield Moment("lead", auction.round, auction.version, (first, leader), new - old, "lead", facts)
        leader = first


def _decider(story: Story, all_: Sequence[Auction]) -> Iterator[Moment]:
    """The pass that decided the game, if there is one."""
    for auction in reversed(all_):
        (step, passed), sale = auction.passes[-1], auction.sale
        seat, price = passed.seat, 1 if sale is None else sale.price + 1
        spent = price + passed.mice
        scores = list(story.game.scores)
        scores[seat] = _changed(scores[seat], auction.worth, -spent)
        if sale is not None:
            scores[sale.seat] = _changed(scores[sale.seat], -auction.worth, sale.price + passed.mice)
        is_won = winners(scores) == [seat] and seat not in story.game.winners
        if is_won and _could_pay(story, step.version, seat, price, spent):
            gained, facts = auction.worth - spent, {"price": price}
            yield Moment("decider", auction.round, step.version, (seat,), gained, "decider", facts)
            return


def _could_pay(story: Story, version: int, seat: int, price: int, spent: int) -> bool:
    """Return True if the seat had the price at this pass, and `spent` mice less at each of its later bids."""
    later = [
        (step.version, step.event.amount + spent)
        for step in story.steps[version:]
        if isinstance(step.event, BidPlaced) and step.event.seat == seat
    ]
    return all(_purses(story, at - 1)[seat].mice >= mice for at, mice in [(version, price), *later])


def _purses(story: Story, version: int) -> dict[int, Purse]:
    return purses((step.event for step in story.steps[:version]), story.game.players)


def _scores(story: Story, version: int) -> list[Score | None]:
    """The scores by seat, had the game ended with this version."""
    counted = _purses(story, version)
    seats = range(len(story.game.seats))
    return [score(counted[seat].won, counted[seat].mice) if seat in counted else None for seat in seats]


def _changed(before: Score | None, cats: int, mice: int) -> Score:
    """The score of a seat with so many points in cats, and so many mice, more."""
    assert before is not None, "who passes plays"
    # Not validated: a seat that has spent more than it had is found out later.
    total = before.total + cats + mice
    return before.model_copy(update={"cats": before.cats + cats, "mice": before.mice + mice, "total": total})


def _total(one: Score | None) -> int:
    assert one is not None, "who leads plays"
    return one.total
