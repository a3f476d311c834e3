"""A result: the scores, the end of each round, and every hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from felix_async.game.cards import card_text
from felix_async.game.narrate import card_list, describe
from felix_async.game.story import Before
from felix_async.language.phrases import first_capital, phrase
from felix_notifiers.content import layout, standing, wording
from felix_notifiers.content.ending import Absence, Ending, Hand, Sack
from felix_notifiers.content.pictures import Face, face_of
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.table import Place


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
    """The end of a round: the cards of the row to be drawn, the same as text, and the sale."""

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


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores, how a tie was decided, and for whom the computer played."""

    lines: Sequence[ScoreLine]
    tie: str = ""
    absences: Sequence[str] = ()

    def text(self) -> str:
        """The numbers under each other."""
        heads = wording.SCORE_HEADS
        cells = [heads, *((line.rank, line.name, line.cats, line.mice, line.total) for line in self.lines)]
        ranks, names = (max(layout.width(cell[column]) for cell in cells) for column in (0, 1))
        table = "\n".join(
            f"{layout.INDENT}{layout.pad(rank, ranks)}  {layout.pad(name, names)}"
            + "".join(f"{number:>7}" for number in numbers)
            for rank, name, *numbers in cells
        )
        return layout.titled(wording.SCORES, table, layout.paragraph(self.tie), layout.bullets(self.absences))


@dataclass(frozen=True, slots=True)
class Sacks:
    """The sale of each sack, round by round."""

    lines: Sequence[SackLine]

    def text(self) -> str:
        return layout.titled(
            wording.SACKS, layout.bullets(f"{line.title}: {line.text} {line.outcome}" for line in self.lines)
        )


@dataclass(frozen=True, slots=True)
class Hands:
    """Every hand, as it was dealt."""

    lines: Sequence[HandLine]

    def text(self) -> str:
        return layout.titled(wording.HANDS, layout.bullets(line.text for line in self.lines))


def scores_of(game: Snapshot, ending: Ending | None) -> Scores:
    """The scores of a game that is over; who was away, only beside all else that it lays open."""
    absences = [_absence_text(one, game) for one in ending.absences] if ending is not None else []
    return Scores(_score_lines(game), standing.tie(game), absences)


def sacks_of(game: Snapshot, ending: Ending) -> Sacks:
    """The sacks as this reader tells them."""
    return Sacks(
        [
            SackLine(
                phrase("mails.ending.round", round=sack.round),
                [Place(face_of(card), game.who(owner), "") for owner, card in sack.row],
                _sack_row(sack, game),
                _sack_outcome(sack, game),
            )
            for sack in ending.sacks
        ]
    )


def hands_of(game: Snapshot, ending: Ending) -> Hands:
    """The hands, each with its boxed card."""
    return Hands(
        [
            HandLine(
                _hand_owner(hand, game),
                [face_of(card) for card in hand.cards],
                face_of(hand.boxed),
                _hand_text(hand, game),
            )
            for hand in ending.hands
        ]
    )


def _sack_row(sack: Sack, game: Snapshot) -> str:
    """`3 (the dummy), −5 (you) and large dog (Ben)`."""
    cards = [
        phrase("mails.ending.card", card=card_text(card), who=game.who(owner)) for owner, card in sack.row
    ]
    return phrase("mails.ending.row", cards=cards)


def _sack_outcome(sack: Sack, game: Snapshot) -> str:
    """Say what the dogs did, and who bought the sack for how much."""
    return describe(sack.event, game.names, you=game.seat, before=Before(row=sack.row))


def _hand_text(hand: Hand, game: Snapshot) -> str:
    """Whose cards these were, and which lay in the box."""
    return phrase(
        "mails.ending.hand",
        who=_hand_owner(hand, game),
        cards=card_list(hand.cards),
        boxed=card_text(hand.boxed),
    )


def _hand_owner(hand: Hand, game: Snapshot) -> str:
    """`You`, `Ben`, `The dummy`."""
    who = game.who(hand.seat)
    return who if hand.seat not in (None, game.seat) else first_capital(who)


def _absence_text(absence: Absence, game: Snapshot) -> str:
    """For whom the computer played, and in which rounds."""
    who = game.who(absence.seat)
    if absence.last is None:
        return phrase("mails.ending.away", who=who, first=absence.first)
    if absence.last == absence.first:
        return phrase("mails.ending.away_once", who=who, first=absence.first)
    return phrase("mails.ending.away_until", who=who, first=absence.first, last=absence.last)


def _score_lines(game: Snapshot) -> list[ScoreLine]:
    """The result, the winners first, then by total and by cats."""
    scores = {seat: score for seat, score in enumerate(game.table.scores) if score is not None}
    worth = {seat: (score.total, score.cats) for seat, score in scores.items()}
    ranked = sorted(
        scores,
        key=lambda seat: (seat not in game.table.winners, -scores[seat].total, -scores[seat].cats, seat),
    )
    return [
        ScoreLine(
            f"{1 + sum(other > worth[seat] for other in worth.values())}.",
            first_capital(game.who(seat)) if seat == game.seat else game.who(seat),
            standing.points(scores[seat].cats),
            str(scores[seat].mice),
            standing.points(scores[seat].total),
            seat in game.table.winners,
            seat == game.seat,
        )
        for seat in ranked
    ]
