"""SAY: a line for the table. Its text is kept beside the log, which holds a salted hash of it and no more.

The last event of a game closes its log. Later sayings are passed on all the same, as no part of it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

import orjson

from felix_async.clock import DAY, later
from felix_async.follow_up.kinds import Talk
from felix_async.follow_up.notices import hears_at
from felix_async.game.commands import Say
from felix_async.game.rules import Refusal
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import MARKER, WORD_OF
from felix_async.orders.context import Effect, OrderContext, ReceivedOrder, Reply, done, refused
from felix_async.orders.preferences import hear, hears_said
from felix_async.orders.quotas import A_DAY
from felix_async.text import MAX_LINE, Harmless, plain
from felix_events.envelope import MAX_SAYING, words_hash
from felix_events.store.rows import Saying

MAX_AFTER: Final = 10
"""Sayings of one seat after the end."""
_TAGS: Final = (
    "a|abbr|area|article|aside|audio|b|base|big|blink|blockquote|body|br|button|canvas|center|cite|"
    "code|col|data|dd|del|details|dialog|dir|div|dl|dt|em|embed|fieldset|figure|font|footer|form|"
    "frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|"
    "main|map|mark|marquee|math|menu|meta|nav|noscript|object|ol|option|p|param|picture|plaintext|"
    "pre|q|s|samp|script|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|"
    "svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|track|tt|u|ul|var|video|wbr|xmp"
)
"""Names behind a `<` in a page; anything else there is a sign, as in `a < b`."""
_MARKUP: Final = re.compile(
    rf"<(?:{_TAGS})(?:[\s/][^<>]*)?>|<\s*(?:{_TAGS})\s[^<>]*=|<\s*/\s*[a-z]|<[!?][a-z-]|"
    r"&(?:#\d+|#x[0-9a-f]+|[a-z]{2,8});",
    re.IGNORECASE,
)
_OUR_LINE: Final = MARKER.strip("- ").lower()


def say(ctx: OrderContext, received: ReceivedOrder) -> Reply:
    """Pass a line on to everybody else at the table; SAY ON and SAY OFF choose whether to hear such lines."""
    hears = hears_said(received)
    if hears is not None:
        return hear(ctx, received, hears=hears)
    text = plain(received.order.text, MAX_SAYING + 1)
    refusal = _why_unsaid(received.order.text, text)
    if refusal is None:
        refusal = _too_late(ctx, received) if ctx.game.is_over else _too_often(ctx)
    if refusal is not None:
        return refused(received, refusal)
    if ctx.game.is_over:
        return _say_after_the_end(ctx, received, text)
    salt = ctx.service.entropy(16)
    command = Say(seat=ctx.seat, text_hash=words_hash(salt, text))
    outcome = ctx.command(command, received, order=WORD_OF["SAY"])
    if outcome.refusal is not None:
        return refused(received, outcome.refusal)
    if not outcome.repeated:
        ctx.tx.keep_saying(Saying(ctx.game_id, outcome.version, ctx.seat, salt, text))
    return _said(ctx, received, is_new=outcome.events > 0)


def sayable(ctx: OrderContext, words: str) -> Harmless:
    """Return the words as the writer could say them now, '' if they could not."""
    text = plain(words, MAX_SAYING + 1)
    may_say = ctx.game.is_in(ctx.seat) and (ctx.game.is_over or _too_often(ctx) is None)
    return text if may_say and _why_unsaid(words, text) is None else plain("")


def _say_after_the_end(ctx: OrderContext, received: ReceivedOrder, text: str) -> Reply:
    """Pass a line on that is in no log: the others are told of it by a letter, and it has no hash."""
    tx, game = ctx.tx, ctx.game
    is_new, notices = tx.outcome(received.command_id) is None, list[Talk]()
    if is_new:
        outcome = {"game_id": ctx.game_id, "version": game.version, "events": 0}
        tx.remember(received.command_id, ctx.game_id, orjson.dumps(outcome).decode())
        place = 1 + max([game.version, *(saying.version for saying in tx.sayings(ctx.game_id))])
        tx.keep_saying(Saying(ctx.game_id, place, ctx.seat, b"", text))
        choices = tx.choices_at(ctx.game_id)
        for seat in _listeners(ctx):
            if seat not in choices or choices[seat].hears:
                talk = Talk(
                    game_id=ctx.game_id,
                    version=game.version,
                    seat=seat,
                    due_at=hears_at(seat, choices, ctx.now, ctx.service.hours),
                    turn=game.seats[seat].turn,
                    saying=place,
                )
                notices.append(talk)
    return replace(_said(ctx, received, is_new=is_new), notices=tuple(notices))


def _said(ctx: OrderContext, received: ReceivedOrder, *, is_new: bool) -> Reply:
    """Tell how many hear it; that is plain if somebody does, and the writer has said just this."""
    is_exact = not received.words and not received.is_confirmed
    effects: tuple[Effect, ...] = ("plain",) if is_new and is_exact and _listeners(ctx) else ()
    return done(received, _passed_on(ctx), changed=is_new, effects=effects)


def _too_late(ctx: OrderContext, received: ReceivedOrder) -> Refusal | None:
    """Why this cannot be said any more, now that the game is over."""
    state = ctx.game.seats[ctx.seat]
    if state.gone:
        return Refusal("seat/gone")
    if state.answer not in ("invited", "joined"):
        return Refusal("seat/not_playing")
    after = [
        saying
        for saying in ctx.tx.sayings(ctx.game_id)
        if saying.seat == ctx.seat and saying.version > ctx.game.version
    ]
    if len(after) >= MAX_AFTER and ctx.tx.outcome(received.command_id) is None:
        return Refusal("say/enough", {"most": MAX_AFTER})
    return None


def _why_unsaid(written: str, text: str) -> Refusal | None:
    """Why this is not for others to read."""
    if not text:
        return Refusal("say/nothing")
    if len(written) > MAX_SAYING or len(text) > MAX_SAYING:
        return Refusal("say/too_long", {"most": MAX_SAYING})
    if _MARKUP.search(written) or _OUR_LINE in text.lower():
        return Refusal("say/plain_text_only")
    order = read_line(text)
    if isinstance(order, Order):
        return Refusal("say/is_an_order", {"order": plain(str(order), MAX_LINE)})
    return None


def _too_often(ctx: OrderContext) -> Refusal | None:
    said = [saying.version for saying in ctx.tx.sayings(ctx.game_id) if saying.seat == ctx.seat]
    most = A_DAY["sayings"]
    if len(said) < most:
        return None
    at: str = orjson.loads(ctx.tx.bodies(ctx.game_id, after=said[-most] - 1)[0])["at"]
    return Refusal("say/too_often", {"most": most}) if at > later(ctx.now, -DAY) else None


def _listeners(ctx: OrderContext) -> list[int]:
    """The others who have joined: anybody may invite anybody, so nobody else is written to with words."""
    return [
        seat
        for seat, state in enumerate(ctx.game.seats)
        if seat != ctx.seat and state.answer == "joined" and not (state.gone or state.computer)
    ]


def _passed_on(ctx: OrderContext) -> str:
    """How many that are. Nobody is told which of them want to hear what is said."""
    there = len(_listeners(ctx))
    if not there:
        return phrase("people.said.to_nobody")
    if ctx.game.is_over:
        return phrase("people.said.after", count=there)
    return phrase("people.said.to", count=there)
