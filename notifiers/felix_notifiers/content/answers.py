"""The answers that a message offers, to type or to tap, and the questions that felix asks back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from felix_async.follow_up.answer import AnsweredLine
from felix_async.language.grammar import Order
from felix_async.language.phrases import phrase
from felix_async.language.words import MOVES, WORD_OF
from felix_notifiers.content import ahead, deadline, layout, lobby, standing, wording
from felix_notifiers.content.moves import Option, ReplyTo, exchanges, likely_orders, may_exchange
from felix_notifiers.content.occasion import Occasion
from felix_notifiers.content.snapshot import Snapshot
from felix_notifiers.content.suggestions import asked_again, is_welcome, stands_of


@dataclass(frozen=True, slots=True)
class Question:
    """A question that felix asks back, and its answers; `is_for_good` if a YES cannot be taken back.

    It is about the `lines` of the reader's mail, whose `words` it repeats last. Above it stands what was made
    of them: `told`, which is set off, `more` about that, and `points`. It may ask nothing, and tell only
    that. If `is_aside`, it need not be answered, and so takes less space; if `is_big`, more.
    """

    asked: str
    options: Sequence[Option] = ()
    intro: wording.Intro = field(default_factory=wording.Intro)
    is_for_good: bool = False
    lines: Sequence[AnsweredLine] = ()
    words: Sequence[str] = ()
    told: str = ""
    more: str = ""
    points: Sequence[str] = ()
    is_aside: bool = False
    is_big: bool = False

    @property
    def wrote(self) -> str:
        """Tell the reader's own words; '' if they are not repeated."""
        quoted = ", ".join(f'"{words}"' for words in self.words)
        return phrase("mails.heard.wrote", words=quoted) if quoted else ""

    def text(self) -> str:
        told = layout.paragraph(f"{self.told} {self.more}")
        above = layout.stacked(told, layout.bullets(self.points))
        return layout.stacked(above, self._asked(), layout.paragraph(self.wrote))

    def _asked(self) -> str:
        """The question with its answers: in a sentence if it need not be answered."""
        if not self.options:
            return layout.paragraph(self.asked)
        if self.is_aside:
            typed = ", ".join(option.words for option in self.options)
            return layout.paragraph(f"{self.asked} {self.intro.write} {typed}")
        listed = "\n".join(f"{layout.INDENT}{option.typed or option.words}" for option in self.options)
        return layout.stacked(layout.paragraph(f"{self.asked} {self.intro.write}"), listed)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The players for whom the table waits."""

    told: str = ""

    def text(self) -> str:
        return layout.paragraph(self.told)


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers on offer, with the lines right above them; `limits` are other ways to say one of the
    `options`; `words` are short ones that stand below.
    """

    before: Sequence[str] = ()
    words: Sequence[Option] = ()
    options: Sequence[Option] = ()
    intro: wording.Intro = field(default_factory=wording.Intro)
    limits: Sequence[Option] = ()

    def text(self) -> str:
        before = layout.paragraphs(self.before)
        offered = [option for option in (*self.options, *self.limits, *self.words) if not option.is_blank]
        if not offered:
            return before
        listed = [self._line(list(alike)) for _, alike in groupby(offered, key=_kind)]
        note = layout.paragraph(self.intro.note)
        return layout.stacked(before, layout.paragraph(self.intro.write), "\n".join(listed), note)

    @property
    def has_limits(self) -> bool:
        return any(option.is_limit for option in (*self.options, *self.limits))

    def _line(self, alike: Sequence[Option]) -> str:
        """Answers of one kind, with the word of the order once."""
        first, *rest = alike
        if not _kind(first):
            return "\n".join(_typed(option) for option in alike)
        # No order is broken into two lines.
        more = (option.words.removeprefix(_kind(first)).strip().replace(" ", "\u00a0") for option in rest)
        told = ", ".join([first.words.replace(" ", "\u00a0"), *more])
        limits = f"({self.intro.limits})" if self.intro.limits else ""
        beside = limits if first.is_limit else self.intro.other if first.is_bid else ""
        return layout.fill(f"{told} {beside}", layout.INDENT, layout.INDENT * 2)

    def bare(self) -> Answers:
        """Without drawings."""
        return replace(
            self,
            options=[
                option if option.face is None else replace(option, face=option.face.bare())
                for option in self.options
            ],
        )


def _kind(option: Option) -> str:
    """The word that the answers of a kind share; '' for those that stand alone."""
    if option.is_limit or option.is_bid or (option.face is not None and option.words == option.order):
        return next(word for word in (WORD_OF["UPTO"], *MOVES) if option.words.startswith(f"{word} "))
    return ""


def _typed(option: Option) -> str:
    """An answer that stands alone, with what it brings."""
    note = f" ({option.note})" if option.note else ""
    return f"{layout.INDENT}{option.words}{note}".replace("\n", f"\n{layout.INDENT}")


def options_of(occasion: Occasion, to: ReplyTo, *, is_end: bool, is_for_host: bool) -> list[Option]:
    """Return the answers on offer, the most likely first.

    `is_end` says that the mail tells the end of a game, `is_for_host` that it tells who has answered.
    """
    game = occasion.game
    renewed = wording.is_renewed(occasion)
    if game.is_early and ("early" in occasion.kinds or occasion.is_behind):
        return [_with_note(game, option) for option in ahead.early_options(game, to)]
    orders = likely_orders(game.table, game.seat)
    if "timed_out" in occasion.kinds and may_exchange(game):
        orders += exchanges(game)
    if is_end and not renewed and asked_again(game.table, game.seat, game.unasked):
        orders.append(Order("REMATCH"))
    if is_end and is_welcome(game.table, game.seat, Order("REPLAY")):
        orders.append(Order("REPLAY"))
    if is_for_host:
        orders += lobby.host_orders(game)
    if game.table.phase == "inviting" and game.is_asked:
        orders.append(Order("RULES"))
    options = [to.option(order) for order in orders]
    options = sorted(map(partial(_with_note, game), options), key=lambda option: not option.note)
    if renewed:
        options.append(to.option(lobby.new_game(game)))
    return options


def _with_note(game: Snapshot, option: Option) -> Option:
    """Say behind a PASS what it brings."""
    return replace(option, note=standing.passing(game)) if option.order == WORD_OF["PASS"] else option


def words_of(occasion: Occasion, to: ReplyTo) -> list[Option]:
    """Return the answers if players vote or deny moves, if the game pauses, or if the computer plays for the
    reader.
    """
    game = occasion.game
    words: list[Order | str] = []
    if "vote" in occasion.kinds:
        words += [deadline.voting(game, vote) for vote in deadline.asked_of(game)]
    if "disputed" in occasion.kinds or (occasion.answer is not None and "status" in occasion.answer.show):
        words += map(str, stands_of(game.table, game.seat, game.names))
    if deadline.is_paused(game) and not words and not is_asking(occasion):
        words.append(deadline.RESUME)
    if occasion.timeouts and game.table.seats[game.seat].computer and not game.table.is_over:
        words.append(WORD_OF["STATUS"])
    return [to.option(word) for word in words]


def is_asking(occasion: Occasion) -> bool:
    """Return True if the answer to a mail asks for a YES."""
    answer = occasion.answer
    return (
        answer is not None
        and bool(answer.asks_text)
        and all(line.verdict != "taken" for line in answer.lines)
    )


def is_for_good(occasion: Occasion) -> bool:
    """Return True if it asks about something that cannot be taken back."""
    return (
        occasion.answer is not None and is_asking(occasion) and wording.is_for_good(occasion.answer.asks_text)
    )


def intro_of(game: Snapshot, options: Sequence[Option], words: Sequence[Option]) -> wording.Intro:
    """Return how to answer; an answer of several lines is the only one."""
    intro = wording.intro(game, len(options), len(words))
    is_long = any("\n" in option.words for option in options)
    return replace(intro, write=wording.WRITE_ALL, tap=wording.TAP_ALL) if is_long else intro
