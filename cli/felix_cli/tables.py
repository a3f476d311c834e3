"""A table as text for a terminal and as JSON for a script, from a view and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from felix_async.game.cards import ROUNDS, card_text
from felix_async.game.ledger import Purse, purses
from felix_async.game.moments import best, moments
from felix_async.game.names import Names
from felix_async.game.narrate import card_list, mice_text
from felix_async.game.scoring import ranked
from felix_async.game.state import Game
from felix_async.game.story import Story
from felix_async.game.views import OwnView, RowCard, SeatView, View, Viewer, view
from felix_async.game.votes import about
from felix_async.language.clock_terms import terms_text
from felix_async.language.phrases import joined, phrase, signed
from felix_async.time.times import span
from felix_cli.local import moment, until, zones
from felix_cli.output import MOST_WIDTH, fitted, table_lines, text_width, wrapped
from felix_cli.wiring import Subject
from felix_events.model import DEFAULT_PACE, Event, Score

_BALLOTS: Final = {"pause": "to pause", "abandon": "to call it off", "seat": "the computer to play on for"}
MASKED: Final = "-"
"""Stands where --mask-hashes has blanked a hash."""


def table_json(subject: Subject, game: Game, viewer: Viewer, root: str) -> dict[str, object]:
    """All that the viewer may see."""
    table = view(game, viewer)
    return {
        "game_id": subject.game_id,
        "table": subject.table,
        "names": subject.for_scripts().names,
        "version": game.version,
        "state": game.standing,
        "clock": terms_text(game.clock),
        "root": root,
        "view": {
            **asdict(table),
            "clock": table.clock and table.clock.model_dump(),
            "options": table.options.model_dump(),
            "commitment": table.commitment if root != MASKED else MASKED,
            "scores": [score and score.model_dump() for score in table.scores],
            "own": {str(seat): asdict(own) for seat, own in table.own.items()},
        },
    }


def table_text(subject: Subject, game: Game, viewer: Viewer, root: str) -> list[str]:
    """The table as lines."""
    table = view(game, viewer)
    title = f"{subject.title}, rules {table.ruleset}"
    lines = [title, "", *standing(subject.names, table, text_width())]
    if table.row:
        lines += ["", f"The row: {', '.join(_place(subject, place) for place in table.row)}"]
        lines += [f"{_mouse_cards(table)}; bank {table.bank}"]
        lines += ["", *_seats(subject, table)]
    lines += _time(subject, table, is_now=game.version == len(subject.evidence.bodies))
    for own in table.own.values():
        lines += ["", *_own(subject, own)]
    return [*lines, "", f"Log: {game.version} events, root", f"  {root}"]


def score_lines(
    names: Sequence[str], scores: Sequence[Score | None], winners: Sequence[int], width: int
) -> list[str]:
    """The result as a table, the best first; long names are cut to so many columns of a terminal."""
    head = ["", *(phrase(f"replay.total.{name}") for name in ("cats", "mice", "total"))]
    best, won = ranked(scores), f"  {phrase('replay.total.won')}"
    rows = [[names[seat], *map(signed, (one.cats, one.mice, one.total))] for seat, one in best.items()]
    first, *lines = table_lines(*fitted(head, rows, width - len(won), (), head[:1]), right=head[1:])
    return [first, *(line + won * (seat in winners) for seat, line in zip(best, lines, strict=True))]


def moment_lines(story: Story, names: Names, width: int) -> list[str]:
    """The three best moments of a game that is over, below a line that says so; of another one nothing."""
    told = [moment.text(names.at(moment.version)) for moment in best(moments(story))]
    lines = [line for text in told for line in wrapped(text, width, "  ", "    ")]
    return ["The best moments:", *lines] if lines else []


def tally(events: Iterable[Event], players: Sequence[int], names: Sequence[str]) -> str:
    """Return the players' mice and cats after these events; '' until there is something to tell."""
    owned = purses(events, players)
    if all(purse == Purse() for purse in owned.values()):
        return ""

    def told(values: Iterable[object]) -> str:
        pairs = (f"{names[seat]} {value}" for seat, value in zip(owned, values, strict=True))
        return ", ".join(pair.replace(" ", "\N{NO-BREAK SPACE}") for pair in pairs)

    mice = told(purse.mice for purse in owned.values())
    cats = told(signed(purse.cats) for purse in owned.values())
    return f"Mice: {mice}. Cats: {cats}."


def standing(names: Sequence[str], table: View, width: int = MOST_WIDTH) -> list[str]:
    """The result, or who is waited for."""
    if table.scores:
        best = next(score.total for seat in table.winners if (score := table.scores[seat]) is not None)
        shared = "share the win" if len(table.winners) > 1 else "won"
        won = f"{joined([names[seat] for seat in table.winners])} {shared} with {signed(best)}."
        return [won, "", *score_lines(names, table.scores, table.winners, width)]
    if table.is_over:
        is_begun = table.reason in ("left", "voted", "deserted")
        return ["The game ended without a result." if is_begun else "The game did not take place."]
    waiting = joined([names[seat] for seat in table.asked])
    what = {"inviting": "an answer to the invitation", "placing": "a card"}.get(
        table.phase, "a bid or a pass"
    )
    where = f"Round {table.round} of {ROUNDS}. " if table.round else ""
    return [f"{where}Waiting for {what} from {waiting}."]


def _mouse_cards(table: View) -> str:
    """The mouse cards that are left, and what the next to pass takes."""
    left = [card for card in table.mouse_cards if not card.taken]
    if not left:
        return "Mouse cards: all taken"
    if not any(card.mice for card in left):
        return "Mouse cards: empty"
    return (
        f"Mouse cards: {joined([str(card.number) for card in left])} (the next to pass takes {left[0].mice})"
    )


def _place(subject: Subject, place: RowCard) -> str:
    owner = "dummy" if place.owner is None else subject.names[place.owner]
    if place.card is not None:
        return f"{card_text(place.card)} ({owner})"
    return f"face down ({owner})" if place.placed else f"nothing yet ({owner})"


def _seats(subject: Subject, table: View) -> list[str]:
    rows = []
    for seat in table.seats:
        bid = "passed" if seat.passed else (str(seat.bid) if seat.bid else "")
        notes = [
            "starts" if seat.seat == table.start_seat else "",
            "to move" if seat.seat == table.to_move else "",
        ]
        rows.append((subject.names[seat.seat], bid, ", ".join(filter(None, notes))))
    return table_lines(("player", "bid", ""), rows)


def _time(subject: Subject, table: View, *, is_now: bool) -> list[str]:
    """Until when there is time, and who is asked; nothing if all is as usual and nobody is away.

    What is left of reserves is told of now alone: of a running game nobody is told when they were spent.
    """
    if table.is_over:
        return []
    lines: list[str] = []
    if table.clock is not None:
        lines.append(f"Clock: {terms_text(table.clock)}.")
    if table.options.pace != DEFAULT_PACE:
        lines.append("In the auction players are asked one after the other.")
    if table.paused_until:
        lines.append(f"Paused until {until(table.paused_until)}.")
    due: dict[str, list[str]] = {}
    for seat in table.seats:
        if seat.time.deadline is not None:
            due.setdefault(seat.time.deadline.at, []).append(subject.names[seat.seat])
    for at, names in due.items():
        lines.append(f"{joined(names)} {'has' if len(names) == 1 else 'have'} until {until(at)}.")
    for seat in table.seats:
        lines += [f"{subject.names[seat.seat]}: {what}" for what in _seat_time(table, seat, is_now=is_now)]
    if table.paused_until or any(seat.time.deadline or seat.time.absence for seat in table.seats):
        lines.append(f"Times: {zones()}.")
    for vote in table.votes:
        voters = joined([subject.names[seat] for seat in vote.seats])
        want = "wants" if len(vote.seats) == 1 else "want"
        what, whom = about(vote.on)
        on = _BALLOTS[what] if whom is None else f"{_BALLOTS[what]} {subject.names[whom]}"
        lines.append(f"{voters} {want} {on} ({len(vote.seats)} of {vote.needed} votes).")
    return ["", *lines] if lines else []


def _seat_time(table: View, seat: SeatView, *, is_now: bool) -> Iterator[str]:
    time, clock = seat.time, table.clock
    if is_now and clock is not None and clock.reserve and seat.seat in table.players and table.row:
        yield f"{span(time.reserve)} of the reserve left"
    if time.absence is not None:
        yield f"away from {moment(time.absence.start)} until {until(time.absence.back)}"
    if seat.computer:
        yield "the computer plays"
    elif time.absence is not None and time.absence.computer:
        yield "the computer will play meanwhile"


def _own(subject: Subject, own: OwnView) -> list[str]:
    lines = [f"{subject.names[own.seat]}: {mice_text(own.mice)}"]
    lines.append(f"  hand: {card_list(own.hand)}")
    if own.placed is not None:
        lines.append(f"  face down: {card_text(own.placed)}")
    lines.append(f"  won: {card_list(own.won)}")
    if own.boxed is not None:
        lines.append(f"  in the box: {card_text(own.boxed)}")
    return lines
