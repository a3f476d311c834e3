"""The worth of a sack, the chased cat, the winners. The rulesets differ in one line, and it is here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.cards import DOGS, cat_points, is_cat
from felix_events.model import Card, Ruleset, Score

DEFAULT_RULESET: Ruleset = "felicity-2017"


@dataclass(frozen=True, slots=True)
class Sack:
    """A row after the dogs' work: the cat that was chased, if any, and what the buyer keeps."""

    chased: Card | None
    prize: list[Card]

    @property
    def worth(self) -> int:
        """The points that the prize counts at the end."""
        return cat_points(self.prize)


def open_sack(row: Sequence[Card], ruleset: Ruleset) -> Sack:
    """The sack in a fully open row.

    Exactly one dog chases one cat, and both leave. Two or more dogs chase nothing and leave
    (rule sheets: "If exactly one dog …", "more than one dog of any type").
    """
    dogs = [card for card in row if card in DOGS]
    prize = [card for card in row if card not in DOGS]
    chased = chased_cat(dogs[0], prize, ruleset) if len(dogs) == 1 else None
    if chased is not None:
        prize.remove(chased)
    return Sack(chased, prize)


def chased_cat(dog: Card, row: Sequence[Card], ruleset: Ruleset) -> Card | None:
    """Return the cat that a single dog drives out of a row, None if there is no cat."""
    cats = [card for card in row if isinstance(card, int) and is_cat(card)]
    positive = [cat for cat in cats if cat > 0]
    negative = [cat for cat in cats if cat < 0]
    if not cats:
        return None
    if dog == "small_dog":
        return min(negative) if negative else min(positive)
    if positive:
        return max(positive)
    # The one point in which the editions differ: −5 before −8 in 2017, −8 before −5 in 2007.
    return max(negative) if ruleset == "felicity-2017" else min(negative)


def score(won: Sequence[Card], mice: int) -> Score:
    """A seat's result: the cats that it won, and one point for each mouse."""
    cats = cat_points(won)
    return Score(cats=cats, mice=mice, total=cats + mice)


def ranked(scores: Sequence[Score | None]) -> dict[int, Score]:
    """The scores of those who played by seat, the best first: by total, then by cats, then by seat."""
    played = {seat: score for seat, score in enumerate(scores) if score is not None}
    return dict(sorted(played.items(), key=lambda one: (-one[1].total, -one[1].cats)))


def ranks(scores: Sequence[Score | None]) -> list[tuple[int, int, Score]]:
    """The rank, seat and score of those who played, the best first; equal totals and cats share a rank."""
    best = ranked(scores)
    worth = [(score.total, score.cats) for score in best.values()]
    return [(1 + worth.index((score.total, score.cats)), seat, score) for seat, score in best.items()]


def winners(scores: Sequence[Score | None]) -> list[int]:
    """The seats with the highest total; of these, those with the most points in cats; a tie is shared.

    A seat that did not play has no score.
    """
    ranks = {seat: (score.total, score.cats) for seat, score in enumerate(scores) if score is not None}
    best = max(ranks.values())
    return [seat for seat, rank in ranks.items() if rank == best]
