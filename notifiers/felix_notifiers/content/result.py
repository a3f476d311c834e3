"""The end of a game: the winner's cat, the points, the best moments, and how each round went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from felix_async.game.auctions import Auction
from felix_async.game.cards import DOGS, card_text, cat_points
from felix_async.game.scoring import ranked, ranks
from felix_async.language.phrases import first_capital, phrase, plus, signed
from felix_async.language.words import WORD_OF
from felix_async.pictures.pictures import Face, Picture, face_of, shown
from felix_events.model import Card, SackDiscarded
from felix_notifiers.content import layout, lobby, standing, wording
from felix_notifiers.content.block import Block
from felix_notifiers.content.ending import Absence, Ending
from felix_notifiers.content.harmless import table_name
from felix_notifiers.content.history import names_then
from felix_notifiers.content.moves import Option, ReplyTo
from felix_notifiers.content.snapshot import Snapshot

_KING: Final = "king"
"""The drawing of the winner's cat."""


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
    """The end of a round in one line: who got how much, the cards, and which cat was chased."""

    number: str
    told: str
    cards: Sequence[Face]
    aside: str

    def text(self) -> str:
        cards = ", ".join(face.text for face in self.cards)
        beside = "; ".join(filter(None, (cards, self.aside)))
        return f"{self.told}: {beside}" if beside else self.told


@dataclass(frozen=True, slots=True)
class Scores:
    """The points, with the winner's cat; how a tie was decided, and for whom the computer played."""

    lines: Sequence[ScoreLine]
    notes: Sequence[str] = ()
    crown: Picture | None = None

    def text(self) -> str:
        """Each line a sum, the numbers under each other."""
        sums = [wording.SCORE_HEADS, *((line.cats, line.mice, line.total) for line in self.lines)]
        wide = [max(map(layout.width, column)) for column in zip(*sums, strict=True)]
        told = [f"{cats:>{wide[0]}} + {mice:>{wide[1]}} = {total:>{wide[2]}}" for cats, mice, total in sums]
        names = [("", ""), *((line.rank, line.name) for line in self.lines)]
        table = layout.columns([(*name, sum_) for name, sum_ in zip(names, told, strict=True)])
        return layout.stacked("\n".join(table), layout.paragraphs(self.notes))

    def bare(self) -> Scores:
        """Without the cat."""
        return replace(self, crown=None)


@dataclass(frozen=True, slots=True)
class Sacks:
    """The sale of each sack, round by round."""

    lines: Sequence[SackLine]

    def text(self) -> str:
        told = [layout.fill(f"{line.number} {line.text()}", layout.INDENT, " " * 5) for line in self.lines]
        return layout.titled(wording.SACKS, "\n".join(told))


@dataclass(frozen=True, slots=True)
class Moments:
    """The winners, the points, and the best moments: lines to copy or to send on, that tell of no hand."""

    lines: Sequence[str]
    share: Option

    def text(self) -> str:
        first = layout.INDENT * 2
        told = [layout.fill(line, first, first + layout.INDENT) for line in self.lines]
        return layout.titled(wording.MOMENTS, "\n".join(told))


def scores_of(game: Snapshot, ending: Ending | None) -> Scores:
    """The scores of a game that is over; who was away, only beside all else that it lays open."""
    absences = _absences(ending, game) if ending is not None else []
    edition = lobby.edition(game.table) if lobby.is_other_edition(game.table) else ""
    rules = [phrase("result.over.played_by", edition=edition)] if edition else []
    crown = shown(_KING) if ending is not None else None
    return Scores(_score_lines(game), [*filter(None, [standing.tie(game)]), *absences, *rules], crown)


def sacks_of(game: Snapshot, ending: Ending) -> Sacks:
    """The sacks as this reader tells them."""
    return Sacks([_sack_line(sack, game) for sack in ending.sacks])


def moments_of(game: Snapshot, ending: Ending) -> Moments:
    """The moments under the names of then, as they are told to somebody who was not there."""
    table, names = game.table, game.names
    named = table_name(game.table_name)
    title = phrase("result.share.title", table=named) if named else phrase("result.share.nameless")
    won = phrase(
        f"result.won.{'several' if len(table.winners) > 1 else 'other'}",
        names=[names[seat] for seat in table.winners],
    )
    scores = [
        phrase("result.share.score", who=names[seat], points=score.total)
        for seat, score in ranked(game.table.scores).items()
    ]
    told = [
        moment.text(names_then(game.kept_names, ending.former, moment.version)) for moment in ending.moments
    ]
    lines = [
        phrase("result.share.won", title=title, sentence=won),
        phrase("result.share.scores", scores=", ".join(scores)),
        *told,
    ]
    return Moments(lines, ReplyTo("", title).option("\n".join(lines), shown=phrase("result.share.tap")))


def afterwards(to: ReplyTo, *words: Literal["SAY", "NEW"]) -> Block:
    """Offer to say something once a game is over, or to open another table."""
    told = {word: phrase(f"result.offers.{word.lower()}") for word in words}
    typed = {word: phrase(f"result.typed.{word.lower()}", word=WORD_OF[word]) for word in words}
    return Block(
        links=[to.option(f"{WORD_OF[word]} ", shown=told[word], typed=typed[word]) for word in words]
    )


def _sack_line(sack: Auction, game: Snapshot) -> SackLine:
    """`Cara: −13 for 1 mouse (−14)`, with −5 and −8, and what the large dog chased."""
    number, event = phrase("result.sack.number", round=sack.round), sack.event
    if isinstance(event, SackDiscarded):
        return SackLine(number, phrase("result.sack.unsold"), [face_of(card) for card in sack.row], "")
    points = cat_points(event.prize)
    told = phrase(
        "result.sack.sold",
        who=first_capital(game.who(event.seat)) if event.seat == game.seat else game.who(event.seat),
        points=points,
        mice=event.price,
        profit=plus(points - event.price),
    )
    return SackLine(number, told, [face_of(card) for card in event.prize], _chase(event.chased, sack.row))


def _chase(chased: Card | None, row: Sequence[Card]) -> str:
    """Say which cat a dog chased, or that two dogs chased none; '' if there is nothing to tell of."""
    dogs = [card for card in row if card in DOGS]
    if len(dogs) > 1:
        return phrase("result.sack.dogs")
    if chased is None or not dogs:
        return ""
    return phrase("result.sack.chased", dog=card_text(dogs[0]), card=card_text(chased))


def _absences(ending: Ending, game: Snapshot) -> list[str]:
    """Return for whom the computer played, and who came instead of whom, under the names of then."""

    def who(seat: int, version: int) -> str:
        later = [row for row in ending.former if row.seat == seat and version < row.version]
        return names_then(game.kept_names, ending.former, version)[seat] if later else game.who(seat)

    told = [(one.version, _absence_text(one, who(one.seat, one.version))) for one in ending.absences]
    for version, seat, round_ in ending.arrivals:
        named, whom = who(seat, version), who(seat, version - 1)
        if named != whom:
            came = phrase("result.ending.came", who=first_capital(named), whom=whom, round=round_)
            told.append((version, came))
    return [text for _, text in sorted(told)]


def _absence_text(absence: Absence, who: str) -> str:
    """For whom the computer played, and in which rounds."""
    if absence.last is None:
        return phrase("result.ending.away", who=who, first=absence.first)
    if absence.last == absence.first:
        return phrase("result.ending.away_once", who=who, first=absence.first)
    return phrase("result.ending.away_until", who=who, first=absence.first, last=absence.last)


def _score_lines(game: Snapshot) -> list[ScoreLine]:
    """The result, line by line."""
    return [
        ScoreLine(
            f"{rank}.",
            first_capital(game.who(seat)) if seat == game.seat else game.who(seat),
            signed(score.cats),
            str(score.mice),
            signed(score.total),
            seat in game.table.winners,
            seat == game.seat,
        )
        for rank, seat, score in ranks(game.table.scores)
    ]
