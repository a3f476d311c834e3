"""What felix made of plain language: what it took and does soon, or what it asks, with the likely answers.

Whoever writes in their own words gets one short answer: these words, a sentence, and a few answers to tap.
Other lines of the mail are told of as those of any mail (`answered.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from felix_async.clock import seconds_between
from felix_async.follow_up.answer import CARD_TURNED, Answer, AnsweredLine
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import MOVES, WAIT, WORD_OF
from felix_async.time.times import clock_text, day_text, span, until
from felix_notifiers.content import layout, wording
from felix_notifiers.content.answers import Question, is_asking, is_for_good
from felix_notifiers.content.block import Block
from felix_notifiers.content.harmless import LINE_LIMIT, one_line
from felix_notifiers.content.moves import Option, ReplyTo, likely_orders
from felix_notifiers.content.occasion import BEHIND, Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.suggestions import ways_on, ways_out

FEW: Final = 4
"""Answers that are offered at once; all cards of a hand are more."""
_AGAIN: Final = 2
"""So many mails in a row that were not understood, and more words are no help."""
_SOON: Final = 600
"""Seconds that are told as a length of time; for more, the time of day is."""
_MINUTE: Final = 60
_REPEATED: Final = 2
"""Lines of the writer above the question."""
_WHY_LIMIT: Final = 2 * LINE_LIMIT
_LONG_WHY: Final = 5 * LINE_LIMIT
_SHOWN: Final = layout.WIDTH - 2 * len(layout.INDENT)
"""Letters of what may be passed on to the others: they fit on a line of the text part."""
_OF_AMOUNT: Final = ("bid/too_low", "bid/above_mice")
"""Refusals after which another bid would do, also before the reader's turn."""
_UNREAD: Final = ("not understood", "ambiguous")
"""How a line went that was no order and no move."""
_DOGS: Final = {"small_dog": 99, "large_dog": 100}
"""Where the dogs stand among the cards: behind the best cat."""


def heard_of(occasion: Occasion, to: ReplyTo) -> Question | None:
    """Return what felix made of the plain language in the reader's mail; None if there was none."""
    answer = occasion.answer
    if answer is None:
        return None
    for tell in (_taken, _undone, _asked, _talked, _unread, _turned, _refused, _said_ahead):
        question = tell(occasion, answer, to)
        if question is not None:
            return question
    return None


def talk_of(answer: Answer | None, to: ReplyTo) -> Block | None:
    """Offer to pass on what may be meant for the others; None if nothing is, or if felix asks about it."""
    if answer is None or any(line.verdict == "asked" for line in answer.lines) or answer.tries == 1:
        return None
    passing_on = _joined(phrase("mails.talk.offer"), _how(answer))
    return Block("", [passing_on], links=said) if (said := _sayings(answer, to)) else None


def turn_of(occasion: Occasion, heard: Question | None, to: ReplyTo) -> Question | None:
    """Return what is still asked of a reader whose words felix would pass on; None if nothing is."""
    game, answer = occasion.game, occasion.answer
    is_talk = heard is not None and any(_is_saying(option.order) for option in heard.options)
    if answer is None or not is_talk or not game.is_asked:
        return None
    options = _offered(occasion, answer, to) or _likely(game, to)
    return Question(_still_asked(game), options, _intro(options))


def _still_asked(game: Snapshot) -> str:
    step = game.table.phase if game.table.phase in ("inviting", "placing") else "bidding"
    return phrase(f"mails.heard.still.{step}")


def _how(answer: Answer) -> str:
    """Say how to have words passed on at once; '' if that was told before."""
    return phrase("mails.talk.how", say=WORD_OF["SAY"]) if "say" in answer.show else ""


def _sayings(answer: Answer, to: ReplyTo) -> list[Option]:
    """The first words that may be passed on, if there are any; shown short where they are long."""
    said = next(filter(_is_saying, answer.offers), None)
    if said is None:
        return []
    shown = one_line(said, _SHOWN)
    typed = shown if shown == said else phrase("mails.talk.typed", say=WORD_OF["SAY"])
    return [to.option(said, shown=shown, typed=typed)]


def is_about_hand(answer: Answer) -> bool:
    """Return True if a card was named that the reader does not have: then the hand is shown."""
    return answer.doubt == "not in hand" or any(line.code.endswith("/not_in_hand") for line in answer.lines)


# ---- what was taken ---------------------------------------------------------------------------------


def _taken(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Say what a mail was taken as, until when that waits, and what to answer if it was not meant."""
    line = next((line for line in reversed(answer.lines) if line.verdict == "taken"), None)
    if line is None:
        return None
    options = (_offered(occasion, answer, to) or [to.option(WAIT)]) if line.due_at else []
    # What may be passed on was heard, too.
    talk = [one for one in answer.lines if one.verdict in _UNREAD] if _sayings(answer, to) else []
    return Question(
        phrase("mails.heard.not_meant") if options else "",
        options,
        replace(_intro(options), tap=phrase("mails.heard.tapped_instead")),
        lines=[line, *talk],
        words=_words([line, *talk]),
        told=took(line),
        more=_when(occasion.game, line.due_at),
        is_aside=True,
    )


def took(line: AnsweredLine) -> str:
    """Say what a line was taken as, or that what an earlier mail was taken as still waits."""
    return phrase("mails.heard.took" if line.text else "mails.heard.waits", order=line.order)


def _when(game: Snapshot, due_at: str) -> str:
    """Say when it is done; '' if it is done, or is at once."""
    seconds = seconds_between(game.now, due_at) if due_at and game.now else 0
    if seconds <= 0:
        return ""
    if seconds < _MINUTE:
        return phrase("mails.heard.done_soon")
    if seconds <= _SOON:
        return phrase("mails.heard.done_in", span=span(-(-seconds // _MINUTE) * _MINUTE))
    is_today = day_text(due_at, game.zone) == day_text(game.now, game.zone)
    time = clock_text(due_at, game.zone) if is_today else until(due_at, game.zone)
    return phrase("mails.heard.done_at", time=time)


def _undone(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Say that what was taken is not done: its writer took it back, or the table was quicker."""
    line = _not_done(answer)
    if line is None or any(line.verdict == "asked" for line in answer.lines):
        return None
    told, more = phrase("mails.heard.undone", order=line.order), ""
    if line.verdict == "refused":
        told = phrase("mails.heard.dropped", order=line.order)
        more = one_line(line.why, _WHY_LIMIT) or phrase("mails.heard.moved_on")
    # What answers an older mail shows the whole table, with all that may be answered now.
    options = _offered(occasion, answer, to) or ([] if line.code in BEHIND else _likely(occasion.game, to))
    asked = phrase("mails.heard.what_now") if options else ""
    return Question(asked, options, _intro(options), lines=[line], words=_words([line]), told=told, more=more)


def _not_done(answer: Answer) -> AnsweredLine | None:
    """The line about what was taken and is not done."""
    undone = (line for line in reversed(answer.lines) if line.order and line.verdict in ("done", "refused"))
    return next(undone, None)


# ---- what felix asks --------------------------------------------------------------------------------


def _asked(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Ask for a YES, or which of several answers was meant."""
    lines = [line for line in answer.lines if line.verdict == "asked"]
    if is_asking(occasion):
        whys = [one_line(line.why, _WHY_LIMIT) for line in lines]
        asked = str(one_line(answer.asks_text, _WHY_LIMIT))
        more = _joined(*dict.fromkeys(why for why in whys if asked not in why))
        asked = next((why for why in whys if asked in why), asked)
        for_good = is_for_good(occasion)
        words = [wording.NO, wording.YES] if for_good else [wording.YES, wording.NO]
        options = [to.option(word) for word in words]
        return Question(asked, options, _intro(options), for_good, lines, _words(lines), more=more)
    options = _offered(occasion, answer, to)
    if lines and not options and (talk := _sayings(answer, to)):
        return _said(answer, lines, talk)
    if not lines or not options:
        return None
    asked = _doubt(occasion.game, answer)
    undone = _not_done(answer)
    told = phrase("mails.heard.undone", order=undone.order) if undone is not None else ""
    about = [*lines, undone] if undone is not None else lines
    return Question(asked, options, _intro(options), lines=about, words=_words(lines), told=told)


def _doubt(game: Snapshot, answer: Answer) -> str:
    """Return the question by the doubt that there is."""
    key = (answer.doubt or "unclear").replace(" ", "_")
    if key == "denied" and not any(offer.startswith(WORD_OF["DISPUTE"]) for offer in answer.offers):
        key = "denied_none"
    if key == "several" and len(answer.offers) == 1:
        key = "only"
    if key == "other_decision":
        has_placed = game.own.placed is not None
        asked = "other_early" if game.is_early else "other_bid"
        key = ("other_exchange" if has_placed else "other_card") if game.own.choices.plays else asked
    least, _ = game.own.choices.bids or (game.table.high_bid + 1, 0)
    return phrase(f"mails.doubts.{key}", least=least, mice=game.own.mice)


def _talked(_: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Offer to pass on what is no move; who writes so again is offered the moves first."""
    lines = [line for line in answer.lines if line.verdict == "not understood"]
    talk = _sayings(answer, to) if answer.tries == 1 else []
    return _said(answer, lines, talk) if talk else None


def _said(answer: Answer, lines: Sequence[AnsweredLine], talk: Sequence[Option]) -> Question:
    how, intro = _how(answer), _intro(talk)
    intro = replace(intro, write=_joined(how, intro.write), tap=_joined(how, intro.tap))
    return Question(phrase("mails.talk.offer"), talk, intro, lines=lines, words=_words(lines))


def _unread(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Offer what is most likely to somebody who was not understood; from the second time on, all of it."""
    if not answer.tries:
        return None
    game = occasion.game
    lines = [line for line in answer.lines if line.verdict in _UNREAD]
    options = _offered(occasion, answer, to) or _meant(game, lines, to)
    if answer.tries < _AGAIN:
        return Question(
            phrase("mails.heard.unread"), options, _intro(options), lines=lines, words=_words(lines)
        )
    options += [to.option(order) for order in likely_orders(game.table, game.seat)]
    options.append(to.option(WORD_OF["HELP"]))
    options = list({option.order: option for option in options}.values())
    asked = _still_asked(game) if _sayings(answer, to) else phrase("mails.heard.unread_again")
    return Question(asked, options, _intro(options), lines=lines, is_big=True)


def _meant(game: Snapshot, lines: Sequence[AnsweredLine], to: ReplyTo) -> list[Option]:
    """What may have been meant by the words themselves, else what the table waits for."""
    for line in lines:
        ways = ways_on(game.table, game.seat, line.text, game.names)
        if ways != [Order("HELP")]:
            return [to.option(way) for way in ways[:FEW]]
    return _likely(game, to) or [to.option(WORD_OF[word]) for word in ("STATUS", "HELP")]


def _refused(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Say why a move is not possible, and offer those that are."""
    lines = [line for line in answer.lines if line.verdict == "refused"]
    game = occasion.game
    if len(lines) != 1 or occasion.is_behind:
        return None
    ways = ways_out(game.table, game.seat, game.names, lines[0].code, has_next=game.has_next)
    moves = [way for way in ways if way.word in MOVES]
    offered = _offered(occasion, answer, to)
    is_ahead = any(map(_is_ahead, answer.offers)) or (lines[0].code in _OF_AMOUNT and bool(offered))
    if not is_ahead and (not moves or not game.is_asked):
        return None
    options = offered or [to.option(way) for way in _nearest(lines[0].text, moves)]
    why = one_line(lines[0].why, _WHY_LIMIT)
    return Question(why, options, _intro(options), lines=lines, words=_words(lines))


def _turned(_: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Say that a card has turned since; the same is offered once more among the answers to the row below."""
    lines = [line for line in answer.lines if line.code == CARD_TURNED and line.instead]
    if len(answer.lines) != 1 or not lines:
        return None
    why = one_line(lines[0].why, _LONG_WHY)
    return Question(why, lines=lines, words=_words(lines))


def once_more(answer: Answer | None, to: ReplyTo) -> list[Option]:
    """Return what was said for another row, to be said again for this one."""
    lines = () if answer is None or len(answer.lines) != 1 else answer.lines
    return [_option(line.instead, to) for line in lines if line.code == CARD_TURNED and line.instead]


def _said_ahead(occasion: Occasion, answer: Answer, to: ReplyTo) -> Question | None:
    """Say what an order in advance will do, and offer to change it; None if the table has moved on."""
    if occasion.kinds - {"answer"}:
        return None
    lines = [line for line in answer.lines if line.verdict == "done" and line.text and line.why]
    options = _offered(occasion, answer, to)
    if len(answer.lines) != 1 or not lines or not options:
        return None
    read = read_line(lines[0].text)
    is_asked_for = isinstance(read, Order) and read.word == "ORDERS"
    told = one_line(lines[0].why, _LONG_WHY)
    return Question(
        phrase("mails.heard.otherwise"),
        options,
        wording.Intro(tap=phrase("mails.heard.tapped_instead")),
        lines=lines,
        words=_words(lines),
        more=phrase("mails.heard.so_far") if is_asked_for else told,
        points=[one_line(why, _LONG_WHY) for why in lines[0].why.splitlines()] if is_asked_for else (),
        is_aside=True,
    )


def _nearest(text: str, moves: Sequence[Order]) -> list[Order]:
    """The moves that are most like the one of a line that was refused, the nearest first."""
    read = read_line(text)
    if not isinstance(read, Order) or read.card is None:
        return list(moves[:FEW])
    wanted = _place(read)
    return sorted(moves, key=lambda move: abs(_place(move) - wanted))[:FEW]


def _place(move: Order) -> int:
    """Where the card of a move stands among all cards."""
    return move.card if isinstance(move.card, int) else _DOGS.get(str(move.card), 0)


# ---- the pieces -------------------------------------------------------------------------------------


def _offered(occasion: Occasion, answer: Answer, to: ReplyTo) -> list[Option]:
    """The answers that are offered; words to pass on stand elsewhere. A host cannot give the seat back."""
    game = occasion.game
    never = str(Order("DECLINE")) if game.seat == game.table.host else ""
    return [_option(offer, to) for offer in answer.offers if not _is_saying(offer) and offer != never]


def _option(offer: str, to: ReplyTo) -> Option:
    read = read_line(offer)
    return to.option(read if isinstance(read, Order) and str(read) == offer else offer)


def _is_saying(offer: str) -> bool:
    return offer.startswith(f"{WORD_OF['SAY']} ")


def _is_ahead(offer: str) -> bool:
    """Return True if an offer says something in advance."""
    read = read_line(offer)
    return isinstance(read, Order) and (read.limit is not None or read.next is not None)


def _likely(game: Snapshot, to: ReplyTo) -> list[Option]:
    """The likeliest answers to the decision before the reader: every card, or a few bids and PASS."""
    orders = likely_orders(game.table, game.seat)
    if len(orders) > FEW and orders[-1] == Order("PASS"):
        orders = [*orders[: FEW - 1], orders[-1]]
    return [to.option(order) for order in orders]


def _words(lines: Iterable[AnsweredLine]) -> Sequence[str]:
    return [one_line(line.text) for line in lines if line.text][:_REPEATED]


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _intro(options: Sequence[Option]) -> wording.Intro:
    if len(options) == 1:
        return wording.Intro(phrase("mails.heard.typed_one"), phrase("mails.heard.tapped_one"))
    return wording.Intro(phrase("mails.heard.typed"), phrase("mails.heard.tapped"))
