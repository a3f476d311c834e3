"""The facts on a page beside the log: the story in HTML's terms, and all that its script needs to know.

Names stand between two marks of Unicode that isolate them, so that letters which run from right to left turn
nothing around them, wherever a sentence goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from felix_async.game.beats import SAID_LIMIT, Beat, Kind, beats
from felix_async.game.cards import PET_CARDS, card_text
from felix_async.game.commands import Bid, Move, Pass, Play
from felix_async.game.moments import Moment, best
from felix_async.game.names import Names
from felix_async.game.narrate import retell
from felix_async.game.scoring import ranks
from felix_async.game.views import Viewer
from felix_async.language.data import table
from felix_async.language.phrases import phrase, signed
from felix_async.people import FORMER
from felix_async.replay.decisions import Decision
from felix_async.replay.replay import Replay
from felix_async.text import one_line
from felix_events.model import BidPlaced

_ISOLATED: Final = "\u2068{}\u2069"
_MOMENTS: Final = 8
"""Moments that a page tells of; the rounds of the best ones have a star in the strip."""
_WHOLE: Final[tuple[Kind, ...]] = ("lobby", "deal", "talk", "result")
"""Kinds of beats that are told as a whole wherever one stands in them."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A beat of the story: the version at its end, and what it says.

    `open` is what it says to everybody, '' if that is the same: the page tells it to other eyes.
    """

    version: int
    kind: Kind
    round: int
    text: str
    open: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A line of the result."""

    rank: int
    seat: int
    name: str
    cats: str
    mice: int
    total: str


@dataclass(slots=True)
class _Texts:
    """Sentences, each once: a decision names them by their places."""

    texts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        """Return the place of a sentence, which may be a new one."""
        if text not in self.places:
            self.places[text] = len(self.texts)
            self.texts.append(text)
        return self.places[text]


def isolated(text: str) -> str:
    """Return a text that turns nothing around it."""
    return _ISOLATED.format(text)


def isolated_names(names: Names) -> Names:
    """Return the names as a page has them; the one of everybody who was forgotten is ours.

    `former` has those of all seats, so that a script need not know how names that are alike are told apart.
    """

    def apart(name: str) -> str:
        return name if name == FORMER else isolated(name)

    ends = sorted({until for until, _, _ in names.former})
    former = [(until, seat, apart(name)) for until in ends for seat, name in enumerate(names.at(until - 1))]
    return Names([apart(name) for name in names.at(ends[-1] if ends else 0)], former)


def story_of(replay: Replay) -> list[Paragraph]:
    """Return the beats of the story; what was said is no spectator's business."""
    mine, in_open = _told_to(replay, replay.viewer), _told_to(replay, "spectator")
    return [
        Paragraph(
            end,
            beat.kind,
            beat.round,
            mine[beat.first],
            other if other != beat.text else "",
        )
        for beat, end in zip(replay.beats, _ends(replay), strict=True)
        if beat.first is not None
        for other in (in_open.get(beat.first, ""),)
    ]


def _ends(replay: Replay) -> list[int]:
    """Return the last version of each beat as a page has it; the last beat of a running game ends now."""
    ends = [max((replay.numbers[version] for version in beat.versions), default=0) for beat in replay.beats]
    return ends if replay.game.is_over else [*ends[:-1], max(replay.numbers.values())]


def _told_to(replay: Replay, viewer: Viewer) -> dict[int, str]:
    """Return what a viewer is told in beats, by their first versions."""
    words = {} if viewer == "spectator" else replay.words
    mine = viewer == replay.viewer
    found = replay.beats if mine else beats(replay.envelopes, viewer, replay.names, words)
    return {beat.first: _quoted(beat, words) for beat in found if beat.first is not None}


def _told_by_seat(replay: Replay, texts: _Texts) -> Iterator[tuple[str, list[int | None]]]:
    """Yield the beats that tell some seat more than everybody: what each seat is told, None if that is all.

    They go by their last versions; a page that tells all has eyes of every seat, another one its own alone.
    """
    if replay.viewer != "all":
        return
    in_open, *by_seat = (_told_to(replay, one) for one in ("spectator", *range(len(replay.names.now))))
    whole = _told_to(replay, "all")
    for beat in replay.beats:
        if beat.first is not None and any(told[beat.first] != in_open[beat.first] for told in by_seat):
            told = [one[beat.first] for one in by_seat]
            yield str(beat.last), [None if text == whole[beat.first] else texts.place(text) for text in told]


def _quoted(beat: Beat, words: Mapping[int, str]) -> str:
    """Return the text of a beat; words to the table turn nothing around them."""
    said = one_line(words.get(beat.first or 0, ""), SAID_LIMIT) if beat.kind == "talk" else ""
    if not said or said not in beat.text:
        return beat.text
    before, found, after = beat.text.rpartition(said)
    return f"{before}{isolated(found)}{after}"


def ranking(replay: Replay) -> list[Ranked]:
    """Return the scores, the winners first; those who share a total and cats share a rank."""
    return [
        Ranked(rank, seat, replay.names.now[seat], signed(score.cats), score.mice, signed(score.total))
        for rank, seat, score in ranks(replay.game.scores)
    ]


def moments_of(replay: Replay) -> list[tuple[int, str]]:
    """Return the best moments in the order of the game, each with its version: one of each sack, the best."""
    first: dict[int, Moment] = {}
    for one in (*best(replay.moments), *replay.moments):
        first.setdefault(one.version, one)
    found = [*first.values()][:_MOMENTS]
    return sorted((one.version, one.text(replay.names.at(one.version))) for one in found)


def figures_of(replay: Replay) -> list[tuple[str, list[str]]]:
    """Return who played in the order of the result, each with the four figures."""
    return [
        (one.name, [signed(figure.values[one.seat]) for figure in replay.figures]) for one in ranking(replay)
    ]


def data_of(replay: Replay, *, at_end: bool) -> dict[str, Any]:
    """Return what the script needs, as JSON has it."""
    names, game, texts = replay.names, replay.game, _Texts()
    made = {str(replay.numbers[version]): _decision(one, texts) for version, one in replay.decisions.items()}
    inside, told = dict(_inside(replay, texts)), dict(_told_by_seat(replay, texts))
    sizes = {"seats": len(names.now), "versions": len(replay.numbers)}
    refused = table("stepper.toml")["refused"]
    return {
        "viewer": replay.viewer,
        "end": at_end,
        "dates": {name: table("mails.toml")["dates"][name] for name in ("short", "months")},
        "days": game.is_over,
        "names": names.now,
        "former": [
            (replay.numbers[until], seat, name)
            for until, seat, name in names.former
            if until in replay.numbers
        ],
        "decisions": made,
        "inside": inside,
        "told": told,
        "whole": _WHOLE,
        "texts": texts.texts,
        "ghosts": _ghosts(replay),
        "stars": [one.version for one in best(replay.moments)],
        "refused": {
            **{key: phrase(f"stepper.refused.{key}", **sizes) for key in refused},
            "no_goal": phrase("stepper.screen.no_goal"),
        },
        "words": {
            **table("page.toml")["words"],
            "step_of": table("stepper.toml")["screen"]["version"],
            "cards": {str(card): card_text(card) for card in PET_CARDS if isinstance(card, str) or card == 0},
        },
    }


def _inside(replay: Replay, texts: _Texts) -> Iterator[tuple[str, list[int]]]:
    """Yield by version what is told inside a beat, and what everybody is told there if it differs."""
    in_open = {line.version: line.text for line in retell(replay.envelopes, "spectator", replay.names)}
    for beat, end in zip(replay.beats, _ends(replay), strict=True):
        for line in (*beat.lines, *beat.below):
            number = end if line.version is None else replay.numbers[line.version]
            if number != end and beat.kind not in _WHOLE:
                told = dict.fromkeys((line.text, in_open[line.version]))
                yield str(number), [texts.place(text) for text in told]


def _decision(one: Decision, texts: _Texts) -> list[Any]:
    """Return the computer's move in place of the one that was made, what is told of that, and its reasons."""
    move = None if one.would is None else _move_text(one.would)
    return [
        move,
        [texts.place(text) for text in (*one.caused, *one.compared)],
        [texts.place(text) for text in one.reasons],
    ]


def _move_text(move: Move) -> str:
    match move:
        case Play():
            return card_text(move.card)
        case Bid():
            return phrase("page.words.bid", mice=move.amount)
        case Pass():
            return phrase("page.words.pass")


def _ghosts(replay: Replay) -> list[dict[str, int]]:
    """Return how far seats would have gone that never had to: the last word of each in a round."""
    # Of several bids of a seat in a round the last is the highest.
    bids = {
        (step.before.round, step.event.seat): step.event.amount
        for step in replay.story.steps
        if isinstance(step.event, BidPlaced)
    }
    limits = {
        (said.order.round, seat): said.order.limit
        for (seat, _), said in sorted(replay.told.orders.items())
        if said.dropped is None and said.order.limit is not None
    }
    return [
        {"round": round_, "seat": seat, "limit": limit}
        for (round_, seat), limit in sorted(limits.items())
        if limit > bids.get((round_, seat), 0)
    ]
