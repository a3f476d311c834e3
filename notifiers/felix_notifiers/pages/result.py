"""A result, to be laid out: who came where, and what became of each sack."""

from __future__ import annotations

from dataclasses import dataclass

from felix_async.language.phrases import first_capital
from felix_notifiers.content import standing
from felix_notifiers.content.ending import (
    Hand,
    Sack,
    hand_owner,
    hand_text,
    sack_outcome,
    sack_row,
    sack_title,
)
from felix_notifiers.content.scene import Scene
from felix_notifiers.pages.drawing import Face, Place, face_of


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A line of the result; those who share a rank have the same."""

    rank: str
    name: str
    cats: str
    mice: str
    total: str
    is_winner: bool
    is_reader: bool


@dataclass(frozen=True, slots=True)
class SackLine:
    """What became of the row of a round: its cards to be drawn, the same as text, and how it ended."""

    title: str
    row: list[Place]
    text: str
    outcome: str


@dataclass(frozen=True, slots=True)
class HandLine:
    """Whose cards these were, the cards and the boxed one to be drawn, and the same as text."""

    who: str
    cards: list[Face]
    boxed: Face
    text: str


def hand_line(hand: Hand, scene: Scene) -> HandLine:
    cards = [face_of(card) for card in hand.cards]
    return HandLine(hand_owner(hand, scene), cards, face_of(hand.boxed), hand_text(hand, scene))


def sack_line(sack: Sack, scene: Scene) -> SackLine:
    return SackLine(
        sack_title(sack),
        [Place(face_of(card), scene.who(owner), "") for owner, card in sack.row],
        sack_row(sack, scene),
        sack_outcome(sack, scene),
    )


def score_lines(scene: Scene) -> list[ScoreLine]:
    """The result, the winners first, then by total and by cats."""
    scores = {seat: score for seat, score in enumerate(scene.table.scores) if score is not None}
    worth = {seat: (score.total, score.cats) for seat, score in scores.items()}
    ranked = sorted(
        scores,
        key=lambda seat: (seat not in scene.table.winners, -scores[seat].total, -scores[seat].cats, seat),
    )
    return [
        ScoreLine(
            f"{1 + sum(other > worth[seat] for other in worth.values())}.",
            first_capital(scene.who(seat)) if seat == scene.seat else scene.who(seat),
            standing.points(scores[seat].cats),
            str(scores[seat].mice),
            standing.points(scores[seat].total),
            seat in scene.table.winners,
            seat == scene.seat,
        )
        for seat in ranked
    ]
