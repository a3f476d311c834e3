"""Finds what a message asks for: each of its lines gets a verdict and a reason, and nothing is done.

A line that the writer surely wrote, alone on its line, is an order. If there is a doubt, felix asks: about
an order on a line that may be somebody else's, and about one that comes after text which was not understood,
where a signature or an older mail may have begun unseen. Questions change nothing and are always welcome.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from felix_async.language.clock_terms import mentions_clock
from felix_async.language.grammar import (
    MAX_LINE,
    Order,
    changes,
    continues,
    corrected,
)
from felix_async.language.words import (
    AHEAD,
    ANSWERS,
    ASKED,
    LEFT_ASIDE,
    MISUNDERSTOOD,
    MOVES,
    NOT_WRITTEN,
    QUESTIONS,
    REPLIES,
    UNDERSTOOD,
)
from felix_async.reading.budget import go_on
from felix_async.reading.line import Line, Place
from felix_async.reading.signs import is_greeting, is_sign_off
from felix_async.reading.together import together
from felix_async.reading.verdicts import Understood, is_stop, undecided, within_sentences

_NARROWEST: Final = 65
"""Columns that any mail program writes in a line before it breaks it; most take 72 or more."""
_SHORTEST_BREAK: Final = 45
"""A shorter line was ended by its writer, however long the next word is."""
_DASH: Final = re.compile(r"^[-–—−](\s+|(?=[^\W\d_]))")
"""A dash that marks an entry of a list, and is no minus."""
_GREETING_WORDS: Final = 4
"""A line of more words than these is no mere greeting."""
_NOT_IN_SUBJECT: Final = ("AWAY",)
"""Orders that a machine writes into the subject of an automatic answer."""
_WIDEST_GAP: Final = 2
"""Blank lines between two lines of a list; some mail programs write each of its lines as a paragraph."""
_MOST_WORDS: Final = 8
"""A line of more words than these lists nobody, unless there is an address or a clock in it."""
MAX_AFTER: Final = 12
"""Lines below a NEW that may belong to it; a table has fewer players and options."""
_FOREIGN: Final = ("doubtful", "signature", "forwarded", "below the marker", "next part")
"""Below such a line it is in doubt whose the text is."""
_ONCE: Final = (*MOVES, *AHEAD, *ANSWERS, *REPLIES)
"""Orders that mean the same when they are said twice."""
MAX_MISREAD: Final = 5
"""Lines not understood in a row that end the reading of a mail."""
MAX_WRITTEN: Final = 50
"""Lines of the writer's own that are read."""


def understand(lines: Sequence[Line], subject: str = "") -> list[Understood]:
    """The verdict on each line that says something; on the subject too, if that holds the only order."""
    joined = _joined(lines)
    understood = _Walk(joined).understood()
    if not subject or any(line.order or line.choices for line in understood):
        return understood
    heading = Line(subject)
    order = heading.read
    if not isinstance(order, Order) or order.is_said or order.word in _NOT_IN_SUBJECT:
        return understood
    in_subject = Understood(heading, "order", UNDERSTOOD["subject"], order)
    return _Walk(joined, in_subject).understood()


def is_unclear(line: Understood) -> bool:
    """Return True if the line was not understood, and is neither a greeting nor a name."""
    is_known = line.verdict in ("order", "ignored") or line.place != "written"
    return not (is_known or is_greeting(line.line.clean) or _is_name(line.line))


def is_nearly_new(line: Understood) -> bool:
    """Return True if this may open a table, and is not clear enough to do so."""
    if line.verdict == "asked":
        is_new = line.order is not None and line.order.word == "NEW"
    else:
        is_new = line.why == MISUNDERSTOOD["order/no_table_name"]
    return is_new and line.place == "written"


def _is_short(line: Line) -> bool:
    """Return True if a line may be one of a list: a few words, an address or a clock, and no question."""
    text = line.text
    is_list = "@" in text or mentions_clock(text) or len(text.split()) <= _MOST_WORDS
    return is_list and not line.clean.endswith("?")


@dataclass(slots=True)
class _Listing:
    """The players that a NEW lists below it, line by line, as long as the list goes on.

    `at` is where the NEW stands among the verdicts. A blank line ends the list, unless each of its lines is a
    paragraph, as some mail programs write them; the first one has an address then. Whether the short lines
    behind that belong to it, too, depends on who is known: they are counted in `after`. Below what is only
    nearly a NEW (`is_sure` is False) all lines are of that kind.
    """

    at: int
    paragraph: int
    is_sure: bool = True
    below: list[Line] = field(default_factory=list)
    spaced: bool = False
    after: list[int] = field(default_factory=list)

    def takes(self, line: _Joined) -> bool:
        """Return True if this line surely belongs to the list; if so it is entered."""
        gap = line.paragraph - self.paragraph
        if not self.is_sure or self.after:
            return False
        if not self.below and gap == 1:
            self.spaced = "@" in line.text
        elif gap == 0:
            self.spaced = False
        if gap > 1 or (gap == 1 and not self.spaced):
            return False
        self.paragraph = line.paragraph
        self.below.append(Line(_DASH.sub("", line.text), line.place))
        return True

    def may_take(self, line: _Joined) -> bool:
        """Return True if this line may belong to the list; if so it is counted."""
        gap = line.paragraph - self.paragraph
        if gap > _WIDEST_GAP or len(self.after) == MAX_AFTER or not _is_short(line.line):
            return False
        self.paragraph = line.paragraph
        self.after.append(line.paragraph)
        return True


class _Walk:
    """One reading from top to bottom: what was ordered, and what was not understood since.

    `heading` is an order in the subject, which stands above all lines.
    """

    def __init__(self, lines: Sequence[_Joined], heading: Understood | None = None) -> None:
        self._lines = lines
        self._heading = heading
        self._listing: _Listing | None = None
        self._lists: list[_Listing] = []
        self._quotes = [n for n, line in enumerate(lines) if line.line.place in ("quoted", "attribution")]
        self._stopped = False
        self._misread = 0
        self._written = 0
        self._orders: list[Order] = []
        self._begun = False
        self._interrupted = False
        self._doubt_above = False
        self._in_conflict: set[str] = set()

    def understood(self) -> list[Understood]:
        """The verdict on each line, once all of them are known."""
        said: list[tuple[int, Understood]] = []
        if self._heading is not None:
            said.append((-1, self._heading))
            self._begin_list(self._heading, 0, self._lines[0].paragraph if self._lines else 0)
        for number, line in enumerate(self._lines):
            go_on()
            place = line.line.place
            if place == "preview":
                said.append((number, Understood(line.line, "ignored", NOT_WRITTEN[place])))
            elif place == "next part":
                self._interrupted = self._begun
                self._listing = None
            elif self._is_own_or_entry(number, line) and self._belongs_to_list(line):
                self._written += 1
            elif place != "written":
                self._listing = None
                said.append((number, self._foreign(line)))
            else:
                self._written += 1
                begun = self._begun
                own = self._own(line)
                if self._may_belong_to_list(line, own):
                    self._misread, self._begun = 0, begun
                else:
                    self._begin_list(own, len(said), line.paragraph)
                said.append((number, own))
        for listing in self._lists:
            number, line_above = said[listing.at]
            below, after = tuple(listing.below), tuple(listing.after)
            said[listing.at] = number, replace(line_above, below=below, after=after)
        paragraphs = [line.paragraph for line in self._lines]
        within = within_sentences(said, paragraphs)
        loose = self._loose(said) | within
        lines = [
            _doubted(line, "conflict" if self._is_weak(number) else "meant")
            if number in loose or self._is_weak(number)
            else line
            for number, line in said
        ]
        places = [line.line.place for line in self._lines]
        foreign = next((n for n, place in enumerate(places) if place in _FOREIGN), len(places))
        marked = [
            replace(line, shaky=True)
            if number in within or number > foreign or self._may_be_quoted(number)
            else line
            for (number, _), line in zip(said, lines, strict=True)
        ]
        return undecided(together(marked))

    def _may_be_quoted(self, number: int) -> bool:
        """Return True if a line below a quote may go on with it, or with another mail.

        Whoever writes above all quotes, more than a greeting, writes nothing below one. A quoted line that
        was broken is long.
        """
        above = bisect_left(self._quotes, number)
        if not above:
            return False
        quote = self._lines[self._quotes[above - 1]]
        clings = quote.paragraph == self._lines[number].paragraph
        first = next(line for line in self._lines if line.place != "preview")
        is_on_top = first.place == "written" and not is_greeting(first.line.clean)
        return is_on_top or (clings and len(quote.last or quote.text) >= _SHORTEST_BREAK)

    def _is_by_quotes(self, number: int) -> bool:
        """Return True if a line stands between two quotes, or right below one."""
        above = bisect_left(self._quotes, number)
        clings = above > 0 and self._lines[self._quotes[above - 1]].paragraph == self._lines[number].paragraph
        return clings or 0 < above < len(self._quotes)

    def _loose(self, said: Sequence[tuple[int, Understood]]) -> set[int]:
        """Which of the orders in plain language share a paragraph with something that was not understood.

        They may be a part of that, as of a condition.
        """
        unclear = {
            self._lines[number].paragraph
            for number, line in said
            if line.verdict == "not understood" and is_unclear(line)
        }
        return {
            number
            for number, line in said
            if line.order is not None and line.order.is_said and self._lines[number].paragraph in unclear
        }

    def _begin_list(self, line: Understood, at: int, paragraph: int) -> None:
        """A NEW lists its players below it; any other line ends a list."""
        self._listing = None
        is_sure = line.verdict == "order" and line.order is not None and line.order.word == "NEW"
        if is_sure or is_nearly_new(line):
            self._listing = _Listing(at, paragraph, is_sure)
            self._lists.append(self._listing)

    def _belongs_to_list(self, line: _Joined) -> bool:
        if self._listing is None or self._written >= MAX_WRITTEN or self._takes_leave(line):
            return False
        if is_greeting(line.line.clean) or line.line.is_order:
            return False
        return self._listing.takes(line)

    def _may_belong_to_list(self, line: _Joined, read: Understood) -> bool:
        """Return True if a line that is no order may list somebody; it is no line that was misread then."""
        if self._listing is None or read.verdict != "not understood" or is_nearly_new(read):
            return False
        return not self._takes_leave(line) and self._listing.may_take(line)

    def _takes_leave(self, line: _Joined) -> bool:
        return is_stop(line.line.clean) or is_sign_off(line.line.bare)

    def _is_own_or_entry(self, number: int, line: _Joined) -> bool:
        """Return True if a list below a NEW may go on here, even if the line looks like somebody else's.

        A dash and a word look like somebody signing, a few options like the headers of an older mail. Left
        aside in silence, a friend would not be invited, or another clock would count.
        """
        if self._listing is None or line.place not in ("written", "doubtful"):
            return False
        if line.place == "written":
            return True
        if any(quote < number for quote in self._quotes):
            return False
        says_something = "@" in line.text or mentions_clock(line.text)
        is_dashed = says_something and _DASH.match(line.text) is not None
        return is_dashed or line.paragraph == self._listing.paragraph

    def _is_weak(self, number: int) -> bool:
        """Return True if an order there gives way if another one contradicts it: either may be foreign.

        Above all quotes and below them stands the writer's own. Between them, and right below one, a mail
        program may have broken a quoted line; and who knows how far down a server's warning goes?
        """
        if not self._in_conflict:
            return False
        if not (self._doubt_above or any(quote < number for quote in self._quotes)):
            return False
        return self._doubt_above or self._is_by_quotes(number) or "another" in self._in_conflict

    def _own(self, line: _Joined) -> Understood:
        if self._stopped or self._misread == MAX_MISREAD or self._written > MAX_WRITTEN:
            return Understood(line.line, "ignored", LEFT_ASIDE)
        if is_stop(line.line.clean):
            self._stopped = True
            return Understood(line.line, "ignored", UNDERSTOOD["stop"])
        read = line.line.read
        if isinstance(read, Order):
            self._misread = 0
            return self._ordered(line, read)
        self._misread += 1
        is_wrapped = line.first is not line.line
        first = line.first.read
        self._interrupted = self._begun or is_wrapped
        # A line that was meant as an order is among the orders; text below it is no place for more.
        self._begun |= is_wrapped or read.code != "order/unknown"
        meant = first if isinstance(first, Order) and not read.choices else read.meant
        if meant in self._orders:
            return self._again(line)
        if isinstance(meant, Order):
            return Understood(line.line, "asked", ASKED["meant"].format(order=meant), meant)
        choices = read.choices or corrected(line.line.clean)
        is_apart = any(choice.is_ahead for choice in read.choices)
        return Understood(line.line, read.kind, str(read), choices=choices, apart=is_apart)

    def _ordered(self, line: _Joined, order: Order) -> Understood:
        if order.word in QUESTIONS:
            return Understood(line.line, "order", UNDERSTOOD["order"], order)
        if self._interrupted:
            return self._again(line) if order in self._orders else self._contradicted(line, order, "after")
        if line.may_be_said:
            # The line above it says something to the others, and a mail program may have broken it here.
            return self._contradicted(line, order, "after")
        if order in self._orders and order.word in _ONCE:
            return self._again(line)
        others = [one for one in self._orders if one.word in MOVES and one != order]
        if others and order.word in MOVES:
            # One decision is asked at a time; another one below it may be an older mail's.
            return self._contradicted(line, order, "another")
        self._orders.append(order)
        self._begun = True
        return Understood(line.line, "order", UNDERSTOOD["order"], order)

    def _foreign(self, line: _Joined) -> Understood:
        self._interrupted = self._begun
        place = line.line.place
        doubtful = place == "doubtful"
        self._doubt_above |= not self._orders and place in ("doubtful", "signature")
        # If nothing was ordered yet, the thanks may be those of an older mail above the order.
        self._stopped |= doubtful and bool(self._orders) and is_stop(line.line.clean)
        order = line.line.read if doubtful else None
        if not isinstance(order, Order) or self._stopped:
            return Understood(line.line, "ignored", NOT_WRITTEN[place])
        return self._again(line) if order in self._orders else self._asked(line, order, "doubtful")

    def _again(self, line: _Joined) -> Understood:
        return Understood(line.line, "ignored", UNDERSTOOD["again"])

    def _contradicted(self, line: _Joined, order: Order, why: str) -> Understood:
        self._in_conflict.add(why)
        return self._asked(line, order, why)

    def _asked(self, line: _Joined, order: Order, why: str) -> Understood:
        return Understood(line.line, "asked", ASKED[why].format(order=order), order)


@dataclass(frozen=True, slots=True)
class _Joined:
    """A line, with those that go on with it; `first` is what stands before the first break.

    `last` is what stands behind the last one. An order that `may_be_said` could be the end of a SAY above.
    """

    line: Line
    first: Line
    paragraph: int
    last: str = ""
    may_be_said: bool = False

    @property
    def text(self) -> str:
        """The whole of it."""
        return self.line.text

    @property
    def place(self) -> Place:
        """Whose it is."""
        return self.line.place


def _joined(lines: Sequence[Line]) -> list[_Joined]:
    """The lines that say something; a hard wrap is undone if a line goes on with the one above it."""
    joined: list[_Joined] = []
    follows = False
    paragraph = 0
    for line in lines:
        go_on()
        text = line.clean
        goes_on = bool(text) and follows and joined[-1].place == line.place
        is_said = goes_on and _was_broken(joined[-1], line)
        if is_said and line.is_order:
            joined.append(_Joined(line, line, paragraph, may_be_said=True))
        elif is_said or (goes_on and not is_stop(text) and continues(text)):
            joined[-1] = _longer(joined[-1], line.text)
        elif text or line.place == "next part":
            joined.append(_Joined(line, line, paragraph))
        else:
            paragraph += 1
        follows = bool(text) and line.place in ("written", "doubtful") and not is_stop(text)
    return joined


def _longer(above: _Joined, text: str) -> _Joined:
    """A line with what goes on with it. Beyond what is read of any line, its length is all that matters."""
    if len(above.text) > MAX_LINE:
        return replace(above, last=text)
    return replace(above, line=Line(f"{above.text.rstrip()} {text.strip()}", above.place), last=text)


def _was_broken(above: _Joined, line: Line) -> bool:
    """Return True if a mail program broke a SAY before this line: its first word did not fit."""
    if above.place != "written" or is_stop(line.clean):
        return False
    last = (above.last or above.first.text).strip()
    if len(last) < _SHORTEST_BREAK or len(last) + 1 + len(line.text.split()[0]) <= _NARROWEST:
        return False
    said = above.first.read
    return isinstance(said, Order) and said.word == "SAY"


def _is_name(line: Line) -> bool:
    """Return True if somebody may only sign with their name here."""
    text = line.text
    is_short = len(text.split()) < _GREETING_WORDS - 1
    return is_short and text[:1].isupper() and "?" not in text and not changes(line.clean)


def _doubted(line: Understood, why: str) -> Understood:
    """The same line, asked about if it was to be obeyed and changes something."""
    if line.verdict != "order" or line.only_asks:
        return line
    return replace(line, verdict="asked", why=ASKED[why].format(order=line.order))
