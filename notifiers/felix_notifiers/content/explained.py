"""The short answers to questions in plain words: mice, time, the deal, taking back, a point of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.follow_up.answer import Section
from felix_async.game.cards import START_MICE, card_text
from felix_async.game.narrate import card_list
from felix_async.game.scoring import chased_cat
from felix_async.game.story import Story
from felix_async.game.timing import SILENCE
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase, signed
from felix_events.model import Card, PlayerPassed, Ruleset, SackSold
from felix_notifiers.content import deadline, standing
from felix_notifiers.content.block import Block
from felix_notifiers.content.moves import ReplyTo, exchanges, may_exchange
from felix_notifiers.content.snapshot import Snapshot

_RULES: Final = "rules/"
"""The beginning of a topic about one point of the rules; behind it is the name of its sentences."""
_DAY: Final = 24 * 3600


def short_answers(game: Snapshot, story: Story, show: Sequence[Section], to: ReplyTo) -> list[Block]:
    """Answer what was asked for, from the reader's own view and from what everybody saw."""
    blocks = []
    if "mice" in show:
        blocks.append(_mice(game, story))
    if "time" in show:
        blocks.append(_time(game))
    if "undo" in show:
        blocks.append(_undo(game, to))
    if "fairness" in show:
        sealed = phrase("people.short.fair.sealed", commitment=game.table.commitment)
        told = [sealed, phrase("people.short.fair.opened")]
        blocks.append(Block(phrase("people.short.fairness"), paragraphs=told))
    points = [point(topic, game.table.ruleset) for topic in dict.fromkeys(show) if is_point(topic)]
    if points and "rules" not in show:
        blocks.append(Block(phrase("people.short.rules"), paragraphs=points))
    return blocks


# ---- mice -------------------------------------------------------------------------------------------


def _mice(game: Snapshot, story: Story) -> Block:
    """The reader's own, and of everybody what came and went; the totals stand below in a line each."""
    title = phrase("people.short.mice")
    if game.table.phase in ("new", "inviting"):
        return Block(title, paragraphs=[point("rules/mice", game.table.ruleset)])
    own = " ".join(standing.belongings(game)) if game.seat in game.table.players else ""
    lines = [
        phrase("people.short.purse.you", line=_purse(story, seat))
        if seat == game.seat
        else phrase("people.short.purse.other", who=game.names[seat], line=_purse(story, seat))
        for seat in sorted(game.table.players, key=lambda seat: (seat - game.seat) % len(game.names))
    ]
    note = phrase("people.short.purse.note", mice=START_MICE)
    return Block(title, paragraphs=[*filter(None, [own]), note], lines=lines)


def _purse(story: Story, seat: int) -> str:
    """`15, +3 for passing in round 1, −6 in round 2, for 11 and −5`: passes and prices, as all saw them."""
    parts = [str(START_MICE)]
    for step in story.steps:
        event, number = step.event, step.before.round
        if isinstance(event, PlayerPassed) and event.seat == seat and event.mice:
            parts.append(phrase("people.short.purse.passed", mice=f"+{event.mice}", round=number))
        elif isinstance(event, SackSold) and event.seat == seat:
            paid, cards = signed(-event.price), card_list(event.prize)
            parts.append(phrase("people.short.purse.bought", mice=paid, round=number, cards=cards))
    return "; ".join(parts)


# ---- time, and taking back --------------------------------------------------------------------------


def _time(game: Snapshot) -> Block:
    """Until when the reader has time, if any time runs, and by which clock."""
    table = game.table
    told: list[str] = []
    if table.is_over:
        told.append(phrase("people.short.clock.over"))
    elif line := deadline.until_when(game):
        is_paused = bool(table.paused_until)
        told.append(phrase("people.short.paused" if is_paused else "people.short.until", until=line))
        told.append(deadline.afterwards(game))
    elif table.phase != "inviting" and not game.is_asked:
        told.append(phrase("people.short.clock.not_asked"))
    if not table.is_over:
        none = phrase("people.short.clock.none", days=SILENCE // _DAY)
        told += [deadline.terms(game) or none, deadline.reserves(game)]
    return Block(phrase("people.short.time"), paragraphs=[" ".join(filter(None, told))])


def _undo(game: Snapshot, to: ReplyTo) -> Block:
    """What can be taken back now: the card as long as the row is not complete, with the others on offer."""
    swaps: list[Order] = []
    if game.own.placed is not None and game.own.choices.plays:
        swaps = exchanges(game) if may_exchange(game) else []
        card = card_list([game.own.placed])
        told = phrase("people.short.back.exchange", card=card)
    else:
        told = phrase("people.short.back.alone")
    after = [phrase("people.short.back.stands"), phrase("people.short.back.wait")]
    return Block(
        phrase("people.short.undo"),
        paragraphs=[" ".join(after), told],
        links=[to.option(order, typed=str(order)) for order in swaps],
    )


# ---- the rules --------------------------------------------------------------------------------------


def is_point(topic: str) -> bool:
    """Return True for a topic that is one point of the rules."""
    return topic.startswith(_RULES)


def point(topic: str, ruleset: Ruleset) -> str:
    """Return two sentences about one point of the rules, by these rules."""
    row: list[Card] = [-8, -5]
    first = chased_cat("large_dog", row, ruleset)
    one, other = map(card_text, sorted(row, key=lambda card: card != first))
    return phrase(f"people.short.point.{topic.removeprefix(_RULES)}", first=one, second=other)
