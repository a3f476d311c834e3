"""Knows the first lines of our messages by their form, also where nobody knows which message it was.

A preview stands above the line above which an answer is written, so it comes back in answers: below the
writer's words, in front of them, wrapped anew, with a sign of quoting before a part of it or none, and out of
the HTML, where it was not to be seen. It speaks of cards and bids. A line, or a few that make one sentence,
whose form is that of a preview from `glance.toml` is ours, whichever names, cards and numbers stand in it.

A program may run it together with the line that says who wrote it, or with the marker: those are lines of
their own here. Where it is cut off, `...` says so; without that, nobody can tell whose the words are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any, Final

from felix_async.game.cards import PET_CARDS, card_text
from felix_async.language.data import any_of, table
from felix_async.language.phrases import pieces_of, placeholders
from felix_async.language.words import MARKER
from felix_async.reading import signs
from felix_async.reading.budget import go_on
from felix_async.reading.line import Line, Place
from felix_async.text import MAX_LINE, clean

MOST_LINES: Final = 8
"""Lines over which a mail program spreads one sentence."""
_FIRM: Final = 3
"""A form with fewer words, and more to be filled in, is ours right above the marker alone."""
_ANYTHING: Final = r"\S.{0,199}?"
"""A saying of somebody, the longest of all that is filled in."""
_NAME: Final = r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,2}(?:\.\.\.)?"
_NUMBER: Final = r"-?\d+"
_MOMENT: Final = r"[\w(][\w :,()+-]{0,59}"
_TABLE: Final = r"[^\s.,;:?!][^.,;:?!]{0,24}(?:\.\.\.)?"
"""The name of a table: of a stranger's words what a player's own seldom are."""
_FIRST_HOLE: Final = 0xE000
"""Characters from here on have no meaning of their own: they stand for what is filled in."""
_HOLE: Final = re.compile("([\ue000-\ue0ff])")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SPACED: Final = re.compile(r" ?[^ ]+| $")
_COLON: Final = re.compile(r":[>*]? ")
_MOST_COLONS: Final = 4
_DOTS: Final = re.compile(r" ?\[?\.{2,}\]?$")
_CUT: Final = 5
"""Words of a preview that somebody may have written, if no dots say that it is cut off."""
_PART: Final = r",? ?[^\s.,:;?!]{0,14}"
"""A part of what is filled in, behind whole ones."""
_ENDS: Final = (".", "?", "!", ":")
_PARTS: Final = {_NUMBER: r"-?\d*"}
_SIGNS: Final = re.compile(r"^(?:[>|»›¦\s]|[a-z]{1,4}>)+")
_EMPHASIS: Final = str.maketrans("", "", "*_")


_Piece = tuple[str, str, str]
"""A text; or '', the regular expression of what is filled in, and that of its beginnings."""
_Token = tuple[str, str]
"""Regular expressions of a word, or of what is filled in, and of its beginnings."""


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence with holes in it, as pieces of regular expressions.

    `anchor` is the longest text between two holes, `head` and `tail` are the first word and the last;
    `begun` are its words and holes, each with the beginnings of it. Some begin with several names.
    """

    pattern: re.Pattern[str]
    anchor: str
    head: str
    tail: str
    begun: tuple[_Token, ...]
    is_firm: bool
    has_names: bool

    def fits(self, text: str) -> bool:
        """Return True if a text is this sentence, filled in."""
        return self.anchor in text and self.pattern.fullmatch(text) is not None

    def behind(self, text: str) -> str | None:
        """Return what stands behind this sentence in a text that begins with it; None if it does not."""
        found = self.pattern.match(text) if self.anchor in text else None
        return None if found is None else text[found.end() :].strip()

    def begun_by(self, text: str) -> int:
        """Return how many words of a text are this sentence's, if that begins so; a name counts as one."""
        if self.head not in text or _beginning(self.begun).match(text) is None:
            return 0
        name, _, others = text.partition(self.head)
        return bool(name.strip()) + 1 + len(others.split())


def forms_of(words: Mapping[str, Any]) -> tuple[Form, ...]:
    """Return the forms of all sentences in a table, and in the tables within it."""
    sentences = dict.fromkeys(told for one in _sentences(words) for told in _with_moves(one))
    of_tables = [one for one in sentences if "table" in placeholders(one)]
    typed = [_form(one, _holes()) for one in sentences]
    return (*typed, *(replace(_form(one, {"table": _ANYTHING}), is_firm=False) for one in of_tables))


@cache
def our_forms() -> tuple[Form, ...]:
    """Return the forms of our previews, in the language that felix speaks."""
    words = table("glance.toml")
    return forms_of({name: words[name] for name in ("preview", "preheader")})


@cache
def _holes() -> Mapping[str, str]:
    """Return what may be filled in, by its name; whatever has another name is a number."""
    pieces = table("glance.toml")["glance"]
    between, last = map(re.escape, _joints())
    names = dict.fromkeys(("who", "whom", "before", "next"), _NAME)
    card = any_of(_cards())
    sale = "|".join(
        [_pattern(_pieces(pieces[name], names)) for name in ("sale_other", "sale_you", "sale_none")]
    )
    score = _pattern(_pieces(pieces["score"], names))
    return {
        **names,
        "names": f"{_NAME}(?:(?:{between}|{last}){_NAME}){{0,5}}",
        "table": _TABLE,
        "cards": f"{card}(?:{between}{card}){{0,5}}",
        "sale": f"(?:(?:{sale}) )?",
        **dict.fromkeys(("start", "moment"), _MOMENT),
        "rest": f"{score}(?:{between}{score}){{0,4}}",
        "words": _ANYTHING,
    }


@cache
def _cards() -> list[str]:
    return [_small(clean(card_text(card))) for card in PET_CARDS]


def _with_moves(sentence: str) -> list[str]:
    """Return a sentence once for each kind of move that it may tell of; else itself."""
    moves = table("people.toml")["dispute"]["move"].values() if "{move}" in sentence else [""]
    return [sentence.replace("{move}", move) for move in moves]


def is_our_subject(subject: str) -> bool:
    """Return True for the subject of a message of ours: the name of a table in it may be any word.

    >>> is_our_subject("JOIN is open"), is_our_subject("JOIN")
    (True, False)
    """
    text = _small(clean(subject))
    return any(form.fits(text) for form in _subjects())


@cache
def _subjects() -> tuple[Form, ...]:
    anything = dict.fromkeys(("who", "table", "day"), _ANYTHING)
    return tuple(_form(one, anything) for one in table("glance.toml")["subject"].values())


def apart(lines: Sequence[Line], forms: Sequence[Form]) -> list[Line]:
    """Return the lines, previews among them placed; what stands on a line with one is a line of its own."""
    told: list[list[Line]] = [[line] for line in lines]
    texts = [_small(line.clean) if len(line.text) <= MAX_LINE else "" for line in lines]
    whole = " ".join(filter(None, texts))
    found = {number for number, line in enumerate(lines) if line.place == "preview"}
    for one in _whole_ones(lines, texts, [form for form in forms if form.anchor in whole]):
        found.update(range(one.first, one.last + 1))
        for number in range(one.first, one.last + 1):
            if _is_open(lines[number]):
                told[number] = one.pieces(lines[number], number)
    starting = [form for form in forms if form.head in whole]
    for number, place in chain(
        _names_above(lines, texts, found, forms), _cut_ones(lines, texts, found, starting)
    ):
        if _is_open(lines[number]):
            told[number] = [lines[number].at(place)]
    return [*chain.from_iterable(told)]


@dataclass(frozen=True, slots=True)
class _Found:
    """A whole preview: its lines, what says on the first who wrote it, and what is left of the last."""

    first: int
    last: int
    lead: str = ""
    behind: str = ""

    def pieces(self, line: Line, number: int) -> list[Line]:
        """Return one of its lines in pieces."""
        before = [Line(self.lead)] if self.lead and number == self.first else []
        after = [Line(self.behind)] if self.behind and number == self.last else []
        # Somebody is named who wrote it: that makes it a quote, and what is below it may go on with that.
        return [*before, line.at("quoted" if self.lead else "preview"), *after]


def _whole_ones(lines: Sequence[Line], texts: Sequence[str], likely: Sequence[Form]) -> Iterator[_Found]:
    """Yield the whole previews, from the top."""
    first = 0
    for last, text in enumerate(texts):
        go_on()
        ending = [form for form in likely if form.tail in text]
        # The fewest lines first: words of the writer's right above a preview would pass for a name in it.
        for start in range(last, max(first, last - MOST_LINES + 1) - 1, -1) if ending else ():
            if not texts[start]:
                break
            found = _one_in(lines, texts, start, last, ending)
            # Somebody may say to the others what we say in such words.
            if found is not None and not lines[start].is_order:
                yield found
                first = last + 1
                break


def _one_in(
    lines: Sequence[Line], texts: Sequence[str], start: int, last: int, forms: Sequence[Form]
) -> _Found | None:
    """Return the preview that these lines are, with what stands before it and behind."""
    below = " ".join(texts[start + 1 : last + 1])
    for lead, text in (("", texts[start]), *_leads(lines[start])):
        whole = f"{text} {below}" if below else text
        if len(whole) > MAX_LINE:
            continue
        rests = [(form, rest) for form in forms if (rest := form.behind(whole)) is not None]
        for form, rest in rests:
            if rest and not (_begins_marker(rest) or signs.may_attribute(f"{rest} {_next(texts, last)}")):
                continue
            if form.is_firm or _begins_marker(rest) or (not rest and _is_above_marker(lines, last)):
                return _Found(start, last, lead, rest)
    return None


def _leads(line: Line) -> Iterator[tuple[str, str]]:
    """Yield the beginnings of a line that may say who wrote the rest of it, each with that rest."""
    if len(line.text) > MAX_LINE or not _is_open(line):
        return
    for colon in list(_COLON.finditer(line.clean))[:_MOST_COLONS]:
        lead = line.clean[: colon.end()].strip()
        if signs.may_attribute(lead):
            yield lead, _small(line.clean[colon.end() :])


def _names_above(
    lines: Sequence[Line], texts: Sequence[str], found: set[int], forms: Sequence[Form]
) -> Iterator[tuple[int, Place]]:
    """Yield the lines above a preview that the names with which it begins were broken over."""
    ends = tuple(joint.rstrip() for joint in _joints())
    for number in sorted(found):
        above = number - 1
        while above >= 0 and above not in found and _some_names().fullmatch(texts[above]):
            whole = " ".join(texts[above : above + MOST_LINES])
            is_one = any(form.has_names and form.behind(whole) is not None for form in forms)
            if not is_one or lines[above].is_order:
                break
            is_list = texts[above].endswith(ends) or texts[above + 1].startswith(f"{ends[1].strip()} ")
            yield above, "preview" if is_list else "doubtful"
            above -= 1


@cache
def _joints() -> tuple[str, str]:
    """Return what stands between two names in a list, and before the last."""
    lists = table("events.toml")["lists"]
    return lists["between"], lists["last"]


@cache
def _some_names() -> re.Pattern[str]:
    between, last = _joints()
    ends = any_of([between.rstrip(), last.rstrip()])
    return re.compile(f"{_NAME}(?:{any_of([between, last])}{_NAME}){{0,5}}(?:{ends})?")


def _cut_ones(
    lines: Sequence[Line], texts: Sequence[str], found: set[int], forms: Sequence[Form]
) -> Iterator[tuple[int, Place]]:
    """Yield the lines of previews that are cut off: they are doubtful if no dots say so."""
    number = 0
    while forms and number < len(texts):
        go_on()
        first, begun = number, ""
        place: Place | None = None
        beginning: Sequence[Form] = () if lines[first].is_order else forms
        while number < min(len(texts), first + MOST_LINES) and texts[number] and number not in found:
            dots = _DOTS.search(texts[number])
            begun = f"{begun} {texts[number][: dots.start()] if dots else texts[number]}".strip()
            beginning = [form for form in beginning if form.begun_by(begun)]
            if not beginning:
                break
            number += 1
            words = max(form.begun_by(begun) for form in beginning)
            if dots:
                place = "preview" if words >= _FIRM else None
                break
            # People end where a sentence of ours may end, too.
            is_whole = begun.endswith(_ENDS) or any(
                form.begun_by(begun + end) for form in beginning for end in _ENDS
            )
            place = None if is_whole or words < _CUT else "doubtful"
        if place is not None:
            yield from ((line, place) for line in range(first, number))
        number = max(number, first + 1)


def _is_open(line: Line) -> bool:
    """Return True if nobody has marked a line as a quote."""
    return line.place == "written" and not signs.is_quoted(line.bare)


def _is_above_marker(lines: Sequence[Line], last: int) -> bool:
    return signs.is_marker(next((line.bare for line in lines[last + 1 : last + 4] if line.bare), ""))


def _begins_marker(text: str) -> bool:
    """Return True if a text begins with the marker, or is its beginning."""
    marker = MARKER.lower()
    return bool(text) and (text.startswith(marker) or marker.startswith(text))


def _next(texts: Sequence[str], number: int) -> str:
    return texts[number + 1] if number + 1 < len(texts) else ""


def _small(text: str) -> str:
    return _SIGNS.sub("", text.lower().translate(_EMPHASIS)).strip()


def _sentences(words: Mapping[str, Any]) -> Iterator[str]:
    for value in words.values():
        if isinstance(value, Mapping):
            yield from _sentences(value)
        else:
            yield value


def _form(sentence: str, holes: Mapping[str, str]) -> Form:
    pieces = _pieces(sentence, holes)
    texts = [text for text, hole, _ in pieces if not hole]
    words = [word for text in texts for word in text.split()]
    needed = placeholders(sentence)
    letters = sum(len(_WORD.findall(text)) for text in texts)
    return Form(
        re.compile(_pattern(pieces)),
        max(texts, key=len),
        words[0] if words else "",
        ("", *texts[-1].split())[-1],
        _tokens(pieces),
        "words" not in needed and (len(texts) == 1 or letters >= _FIRM),
        not texts[0] and "names" in needed,
    )


def _pattern(pieces: Sequence[_Piece]) -> str:
    """Return a sentence in pieces as a regular expression."""
    return "".join(hole or re.escape(text) for text, hole, _ in pieces)


def _pieces(sentence: str, holes: Mapping[str, str]) -> list[_Piece]:
    """Return the texts and the holes of a sentence in turns, a text first and last."""
    filled: list[_Piece] = []
    written = ""
    for text, name, forms in pieces_of(sentence):
        written += text if name is None else chr(_FIRST_HOLE + len(filled))
        if name is None:
            continue
        inflected = [*map(_inflected, forms)]
        given = _cards() if name == "card" else inflected
        hole = any_of(given) if given else holes.get(name, _NUMBER)
        part = _beginnings(given) if given else _PARTS.get(hole, f"(?:{hole})?{_PART}")
        filled.append(("", hole, part))
    pieces = _HOLE.split(_small(clean(written)))
    return [filled[ord(one) - _FIRST_HOLE] if _HOLE.match(one) else (one, "", "") for one in pieces]


def _tokens(pieces: Sequence[_Piece]) -> tuple[_Token, ...]:
    """Return the words and the holes of a sentence."""
    tokens: list[_Token] = []
    for text, hole, part in pieces:
        words = [] if hole else _SPACED.findall(text)
        tokens += [(hole, part)] if hole else [(re.escape(word), _beginnings([word])) for word in words]
    return tuple(tokens)


def _beginnings(words: Sequence[str]) -> str:
    return any_of(list(dict.fromkeys(word[:end] for word in words for end in range(len(word)))))


@cache
def _beginning(tokens: tuple[_Token, ...]) -> re.Pattern[str]:
    """Return the regular expression of all beginnings of a sentence that have a word of its own."""
    first = next((number for number, (whole, _) in enumerate(tokens) if whole[-1:].isalpha()), 0)
    pattern = "$"
    for number, (whole, part) in reversed([*enumerate(tokens)]):
        pattern = f"{whole}{pattern}" if number <= max(first, 1) else f"(?:{whole}{pattern}|(?:{part})$)"
    return re.compile(pattern)


def _inflected(form: str) -> str:
    return _small(clean(form))
