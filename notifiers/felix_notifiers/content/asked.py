"""The blocks of an answer that a player asked for: HISTORY, RULES, GAMES, and what may be done now.

Each is a few blocks: a title, paragraphs, points, links. All of it is made from the reader's own view.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from felix_async.game.cards import ROUNDS
from felix_async.game.story import Story
from felix_async.game.views import View
from felix_async.game.votes import about
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import RULES, RULESET_NAMES, WORD_OF
from felix_async.time.times import clock_text, until
from felix_async.time.zones import DEFAULT_ZONE, zones_like
from felix_events.model import PlayerSaid, RoundStarted
from felix_events.store.rows import Former, Saying
from felix_notifiers.content.block import Block
from felix_notifiers.content.deadline import asked_of, due_at, voting, whom
from felix_notifiers.content.harmless import one_line, seat_names
from felix_notifiers.content.history import (
    cards_by_seat,
    in_short,
    is_worth_telling,
    names_then,
    runs,
    sentence,
)
from felix_notifiers.content.moves import ReplyTo
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.subjects import reply_to_table

SAID_LIMIT: Final = 300
"""Characters of a saying that are shown."""
MOST_GAMES: Final = 20
"""Tables that one answer lists."""

_NO_HURRY: Final = "9999"
"""Sorts behind every time."""


# ---- HISTORY ----------------------------------------------------------------------------------------


def history(
    story: Story,
    sayings: Iterable[Saying],
    names: Sequence[str],
    seat: int,
    zone: str = DEFAULT_ZONE,
    former: Sequence[Former] = (),
) -> list[Block]:
    """All that happened so far, as the seat may know it, round by round, by the clocks of a zone.

    Who took a seat over from one of the `former` players reads what those did as somebody else's.
    """
    came = story.came(seat)
    said = list(sayings)
    texts = {saying.version: one_line(saying.text, SAID_LIMIT) for saying in said}
    blocks = [Block(phrase("people.history.heading"))]
    title, lines = phrase("people.history.before"), list[str]()
    told = [step for step in story.steps if is_worth_telling(step, seat) and not story.is_doubled(step)]
    for run in runs(cards_by_seat(told, seat), seat):
        step, event = run[0], run[0].event
        shown = names_then(names, former, step.version)
        you = seat if step.version >= came else None
        text = texts.get(step.version, "")
        if isinstance(event, RoundStarted):
            blocks.append(Block(title, lines=lines))
            title, lines = phrase("people.history.round", round=event.round), [_start(event, shown, you)]
            lines += [sentence(one, shown, seat, former, zone, you=you) for one in run[1:][-1:]]
        elif isinstance(event, PlayerSaid) and text:
            who = _speaker(event.seat, shown, you)
            lines.append(phrase("people.history.said", who=who, text=text))
        elif len(run) > 1:
            lines.append(in_short(run, shown, you=you))
        else:
            lines.append(sentence(step, shown, seat, former, zone, you=you))
    end = len(story.steps)
    after = [
        phrase(
            "people.history.said", who=_speaker(one.seat, seat_names(names), seat), text=texts[one.version]
        )
        for one in said
        if one.version > end and texts[one.version]
    ]
    later = [Block(phrase("people.history.after"), lines=after)] if after else []
    return [*blocks, Block(title, lines=lines), *later]


def _speaker(seat: int, names: Sequence[str], you: int | None) -> str:
    return phrase("events.words.You") if seat == you else names[seat]


def _start(event: RoundStarted, names: Sequence[str], you: int | None) -> str:
    """Say how a round began, below the number of it."""
    who = "you" if event.start_seat == you else "other"
    name = names[event.start_seat]
    if not any(event.mice_on_cards):
        return phrase(f"people.history.empty.{who}", who=name)
    return phrase(f"people.history.filled.{who}", who=name, mice=[str(mice) for mice in event.mice_on_cards])


# ---- RULES ------------------------------------------------------------------------------------------


def rules(table: View) -> list[Block]:
    """The rules for a player at this table; each paragraph below a title of its own."""
    paragraphs = [paragraph.partition("\n") for paragraph in RULES.strip().split("\n\n")]
    told = [Block(title, paragraphs=[text.strip()]) for title, _, text in paragraphs]
    here = phrase("people.rules.edition", edition=RULESET_NAMES[table.ruleset])
    return [Block(phrase("people.rules.heading"), paragraphs=[here]), *told]


# ---- GAMES ------------------------------------------------------------------------------------------


def games(tables: Sequence[Snapshot], more: int = 0) -> list[Block]:
    """The reader's tables, each with a link that asks how it stands; `more` are not shown."""
    blocks = [_table(game) for game in tables]
    if not blocks:
        return [Block(phrase("people.games.heading"), paragraphs=[phrase("people.games.none")])]
    rest = [Block(paragraphs=[phrase("people.games.more", count=more)])] if more else []
    return [Block(phrase("people.games.heading")), *blocks, *rest]


def urgency(game: Snapshot) -> tuple[bool, str]:
    """By what the tables of a reader are sorted: the own turn first, by when its time is up."""
    if game.seat not in game.table.asked or game.table.seats[game.seat].computer:
        return True, ""
    return False, _NO_HURRY if game.table.paused_until else due_at(game, game.seat) or _NO_HURRY


def standing_line(game: Snapshot) -> str:
    """The state of a table, and who is waited for: `Thursday club k7m2p: round 2 of 9, waiting for Ben`."""
    return phrase("people.games.table", table=game.label, standing=", ".join(_standing(game)))


def _table(game: Snapshot) -> Block:
    status = WORD_OF["STATUS"]
    to = ReplyTo(game.reply_address, reply_to_table(game))
    typed = phrase("people.games.write", order=status, address=game.reply_address)
    link = to.option(status, shown=f"{status} {game.game_id}", typed=typed)
    return Block(paragraphs=[standing_line(game)], links=[link])


def _standing(game: Snapshot) -> list[str]:
    """The state of a table, and who is waited for."""
    table = game.table
    match table.phase:
        case "ended":
            return [phrase("people.games.over")]
        case "abandoned":
            return [phrase("people.games.called_off")]
        case "inviting":
            standing = [phrase("people.games.inviting")]
        case _:
            standing = [phrase("people.games.round", round=table.round, rounds=ROUNDS)]
    if table.paused_until:
        standing.append(phrase("people.games.paused", moment=until(table.paused_until, game.zone)))
    if table.seats[game.seat].computer:
        return [*standing, phrase("people.games.computer")]
    others = [game.who(seat) for seat in table.asked if seat != game.seat]
    if game.is_asked and table.phase == "inviting":
        standing.append(phrase("people.games.your_answer"))
    elif game.is_asked and (at := due_at(game, game.seat)):
        standing.append(phrase("people.games.your_turn_until", moment=until(at, game.zone)))
    elif game.is_asked:
        standing.append(phrase("people.games.your_turn"))
    elif others:
        standing.append(phrase("people.games.waits", names=others))
    return standing


# ---- TIMEZONE ---------------------------------------------------------------------------------------


def zone(offset: str, now: str, to: ReplyTo) -> Block:
    """Ask where the reader is, whose mails come from this offset: the zones that have it now."""
    orders = [str(Order("TIMEZONE", text=name)) for name in zones_like(offset, now)]
    time = clock_text(now, offset)
    question = phrase("people.zone.ask", time=time) if orders else phrase("people.zone.ask_open", time=time)
    return Block(
        phrase("people.zone.ask_title"),
        paragraphs=[question],
        links=[to.option(order, typed=order) for order in orders],
    )


# ---- HELP -------------------------------------------------------------------------------------------


def now(game: Snapshot, to: ReplyTo) -> Block:
    """Say what the reader may do now, with links; the moves themselves are offered below."""
    links = [to.option(one if isinstance(one, Order) else WORD_OF[one]) for one in _likely(game)]
    return Block(phrase("people.now.heading"), paragraphs=[_situation(game), *_besides(game)], links=links)


def _besides(game: Snapshot) -> list[str]:
    """A pause, and the votes in which the reader has said nothing yet."""
    table, me = game.table, game.table.seats[game.seat]
    if table.is_over or me.gone or me.computer or me.answer != "joined":
        return []
    paused = [phrase("people.now.paused")] if table.paused_until else []
    asked = (
        phrase(f"people.now.vote.{about(vote.on)[0]}", whom=whom(game, vote), order=str(voting(game, vote)))
        for vote in asked_of(game)
    )
    return [*paused, *asked]


def _situation(game: Snapshot) -> str:
    table, me = game.table, game.table.seats[game.seat]
    if table.is_over:
        is_played = table.phase == "ended"
        return phrase("people.now.over") if is_played else phrase("people.now.over_for_good")
    if me.gone:
        return phrase("people.now.gone")
    if me.answer == "declined" and table.phase == "inviting":
        return phrase("people.now.after_all")
    if not table.is_in(game.seat):
        return phrase("people.now.out")
    if table.phase == "inviting":
        return _before_the_start(game)
    if me.computer:
        return phrase("people.now.away")
    choices = game.own.choices
    if choices.plays:
        return phrase("people.now.play") if game.own.placed is None else phrase("people.now.exchange")
    if not choices.may_pass and me.passed:
        return phrase("people.now.passed")
    if not choices.may_pass:
        return phrase("people.now.wait_turn")
    if choices.bids is None:
        return phrase("people.now.only_pass")
    least, most = choices.bids
    if least == most:
        return phrase("people.now.bid_one", least=least)
    return phrase("people.now.bid", least=least, most=most)


def _before_the_start(game: Snapshot) -> str:
    if game.is_asked:
        is_host = game.table.host == game.seat
        return phrase("people.now.answer_host") if is_host else phrase("people.now.answer")
    if game.table.host != game.seat:
        return phrase("people.now.joined")
    return phrase("people.now.host_start") if game.may_start else phrase("people.now.host_wait")


def _likely(game: Snapshot) -> list[str | Order]:
    """Orders that make sense now, beside the moves that a mail offers anyway."""
    table, me = game.table, game.table.seats[game.seat]
    if table.phase == "ended":
        return ["REMATCH", "REPLAY", "GAMES"]
    if me.answer == "declined" and table.phase == "inviting":
        return ["JOIN", "STATUS"]
    if table.is_over or not table.is_in(game.seat):
        return ["STATUS", "HISTORY", "GAMES"]
    if table.phase != "inviting":
        besides: list[str | Order] = [
            *(["RESUME"] if table.paused_until else []),
            *(voting(game, vote) for vote in asked_of(game)),
        ]
        return [*([] if me.computer else besides), "STATUS", "HAND", "HISTORY"]
    if game.is_asked:
        return ["STATUS"]
    if table.host != game.seat:
        return ["STATUS", "DECLINE"]
    return ["START", "STATUS", "CANCEL"] if game.may_start else ["STATUS", "CANCEL"]
