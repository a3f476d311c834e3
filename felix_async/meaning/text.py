"""A text as sentences and clauses of tokens: what everything that understands plain language reads.

`text_of(lines)` is made once for a mail. A sentence ends with `.`, `!`, `?`, `…`, a row of emojis or the
end of its line, unless the line was broken by a mail program; a clause ends with a comma, a dash, a colon,
a slash, a bracket and before words as `but` (`joints` in the language's table). Both are spans `[start,
end)` of `text.tokens`. Tokens between quotation marks are `quoted`, those in brackets are `aside`.

Phrases of the language's table (`felix_async.meaning.phrases`) are looked for at a position, within a
sentence:

>>> text = text_of(["Hi! I'll bid 7, pls. Whose turn", "is it?"])
>>> [text.said(sentence) for sentence in text.sentences]
['Hi!', "I'll bid 7, pls.", 'Whose turn', 'is it?']
>>> [text.words(clause) for clause in text.clauses]
[('hi',), ('i', 'will', 'bid', '7'), ('please',), ('whose', 'turn'), ('is', 'it')]
>>> [clause.behind for clause in text.clauses]
['!', ',', '.', '', '?']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from felix_async.language.data import table
from felix_async.meaning.tokens import Token, tokens_of, typed
from felix_async.text import without_struck

MAX_LINES: Final = 80
MAX_CHARACTERS: Final = 4000
MAX_TOKENS: Final = 600
_MAX_LINE: Final = 1000
_BROKEN: Final = 60
"""A line that is as long as this and ends with no mark was broken by a mail program."""
_ENDS: Final = frozenset(".!?…")
_BREAKS: Final = frozenset(',;:—()/[]{}|=<>→\\*_"~#')
_JOINS: Final = frozenset("-'&+^%@\ufffd")
"""Marks within a clause."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A span of words and numbers without a break; `before` and `behind` are the marks around it, if any.

    `sentence` is the number of its sentence.
    """

    start: int
    end: int
    sentence: int
    before: str = ""
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of tokens with its last mark; `clauses` are the numbers of its clauses.

    `is_question` is True if it ends with a question mark. `line` is the number of the line where it begins.
    """

    start: int
    end: int
    line: int
    clauses: range
    is_question: bool


@dataclass(frozen=True, slots=True)
class Text:
    """What somebody wrote. `is_cut` is True if it was longer than what is read: then nothing is done by it.

    `said_words` are all that its tokens read as. `sentence_of` and `clause_of` are, for each token, the
    number of its sentence and of its clause; a mark between clauses has -1 for its clause.
    """

    lines: tuple[str, ...]
    tokens: tuple[Token, ...]
    sentences: tuple[Sentence, ...]
    clauses: tuple[Clause, ...]
    sentence_of: tuple[int, ...]
    clause_of: tuple[int, ...]
    said_words: frozenset[str]
    has_number: bool
    quoted: frozenset[int]
    aside: frozenset[int]
    is_cut: bool
    looked_up: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was found out about it once, by who looked."""

    def words(self, span: Clause | Sentence) -> tuple[str, ...]:
        """The words and numbers of a span as they read, without marks and emojis."""
        return tuple(token.word for token in self.tokens[span.start : span.end] if token.kind in _SAID)

    def said(self, span: Clause | Sentence) -> str:
        """A span as it was written, its lines joined by blanks."""
        return self.between(span.start, span.end)

    def between(self, start: int, end: int) -> str:
        """The tokens from `start` to before `end` as they were written; '' if there are none."""
        if start >= end:
            return ""
        first, last = self.tokens[start], self.tokens[end - 1]
        if first.line == last.line:
            return self.lines[first.line][first.start : last.end]
        middle = self.lines[first.line + 1 : last.line]
        parts = (self.lines[first.line][first.start :], *middle, self.lines[last.line][: last.end])
        return " ".join(part.strip() for part in parts)


_SAID: Final = ("word", "number", "figure")


def text_of(lines: Sequence[str]) -> Text:
    """Return the text of these lines, as far as texts are read."""
    kept: list[str] = []
    tokens: list[Token] = []
    left = MAX_CHARACTERS
    is_cut = len(lines) > MAX_LINES
    for number, line in enumerate(lines[:MAX_LINES]):
        is_cut = is_cut or len(line) > min(left, _MAX_LINE)
        struck = without_struck(line) if len(line) < 400 else line
        shown = " ".join(struck[: min(left, _MAX_LINE)].split())
        left -= len(shown) + 1
        kept.append(typed(shown))
        tokens += tokens_of(kept[-1], number)
        if left <= 0 or len(tokens) > MAX_TOKENS:
            is_cut = is_cut or number + 1 < len(lines) or len(tokens) > MAX_TOKENS
            break
    del tokens[MAX_TOKENS:]
    sentences, clauses = _spans(tuple(kept), tokens)
    quoted, aside = _within(tokens, sentences)
    sentence_of = [number for number, found in enumerate(sentences) for _ in range(found.start, found.end)]
    clause_of = [-1] * len(tokens)
    for number, clause in enumerate(clauses):
        clause_of[clause.start : clause.end] = [number] * (clause.end - clause.start)
    return Text(
        tuple(kept),
        tuple(tokens),
        sentences,
        clauses,
        tuple(sentence_of),
        tuple(clause_of),
        frozenset(token.word for token in tokens),
        any(token.value is not None for token in tokens),
        quoted,
        aside,
        is_cut,
    )


@cache
def _joints() -> frozenset[str]:
    return frozenset(table("meaning.toml")["joints"])


@cache
def _no_joints() -> frozenset[str]:
    return frozenset(table("meaning.toml")["no_joints"])


def _spans(lines: tuple[str, ...], tokens: list[Token]) -> tuple[tuple[Sentence, ...], tuple[Clause, ...]]:
    sentences: list[Sentence] = []
    clauses: list[Clause] = []
    for start, end in _sentences(lines, tokens):
        first = len(clauses)
        clauses += _clauses(tokens, start, end, len(sentences))
        question = any(token.word == "?" for token in tokens[start:end] if token.kind == "mark")
        span = Sentence(start, end, tokens[start].line, range(first, len(clauses)), question)
        sentences.append(span)
    return tuple(sentences), tuple(clauses)


def _sentences(lines: tuple[str, ...], tokens: list[Token]) -> Iterator[tuple[int, int]]:
    start = 0
    for at, token in enumerate(tokens):
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if following is None:
            yield start, at + 1
        elif token.line != following.line:
            if not _is_broken(lines, token, following):
                yield start, at + 1
                start = at + 1
        elif token.kind == "mark" and token.word in _ENDS:
            closes = following.kind == "mark" and (following.word in _ENDS or following.word in ')"')
            # A full stop with no blank behind it ends nothing: `e.g.`, `p.m.`.
            glued = token.word == "." and following.start == token.end and following.kind == "word"
            glued = glued and not following.capital and len(following.raw) == 1
            if not closes and not glued and not _is_abbreviation(tokens, start, at):
                yield start, at + 1
                start = at + 1
        elif token.kind == "mark" and token.word in ')"' and at > start:
            before = tokens[at - 1]
            if before.kind == "mark" and before.word in _ENDS and following.word not in _ENDS:
                yield start, at + 1
                start = at + 1
        elif token.kind == "emoji" and following.kind != "emoji" and following.raw[:1].isupper():
            yield start, at + 1
            start = at + 1


def _is_abbreviation(tokens: list[Token], start: int, at: int) -> bool:
    """Return True for the full stop in `house no. 5` and in `Mrs. Okafor`."""
    if tokens[at].word != "." or at <= start + 1 or tokens[at - 1].word not in _abbreviations():
        return False
    if tokens[at - 1].raw.casefold() != tokens[at - 1].word:
        return False  # `nah. 5` is no number five
    # `no` is one only before a number: else it is the last word of `My purse says no. Pass.`
    is_name = tokens[at + 1].capital and tokens[at - 1].word not in table("meaning.toml")["numbered"]["no"]
    return tokens[at + 1].value is not None or is_name


@cache
def _abbreviations() -> frozenset[str]:
    return frozenset(table("meaning.toml")["numbered"]["abbreviations"])


def _is_broken(lines: tuple[str, ...], token: Token, following: Token) -> bool:
    line = lines[token.line]
    is_next = following.line == token.line + 1
    open_end = token.kind in _SAID or token.word == ","
    return is_next and open_end and len(line) >= _BROKEN and not following.raw[:1].isupper()


def _clauses(tokens: list[Token], start: int, end: int, sentence: int) -> Iterator[Clause]:
    first, before = start, ""
    for at in range(start, end):
        token = tokens[at]
        is_break = token.kind == "emoji" or (token.kind == "mark" and token.word not in _JOINS)
        is_break = is_break and not (at + 1 < end and _is_abbreviation(tokens, start, at))
        spaced = token.word == "-" and token.kind == "mark" and _is_spaced(tokens, at)
        if is_break or spaced:
            if first < at:
                yield Clause(first, at, sentence, before, token.word)
            first, before = at + 1, token.word
        elif token.word in _joints() and first < at and tokens[at - 1].word not in _no_joints():
            yield Clause(first, at, sentence, before, "")
            first, before = at, ""
    if first < end:
        yield Clause(first, end, sentence, before, "")


def _is_spaced(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    after = at + 1 >= len(tokens) or tokens[at + 1].start > token.end or tokens[at + 1].line != token.line
    before = at == 0 or tokens[at - 1].end < token.start or tokens[at - 1].line != token.line
    return after and before


def _within(tokens: list[Token], sentences: tuple[Sentence, ...]) -> tuple[frozenset[int], frozenset[int]]:
    """The tokens between quotation marks of one line, and those in brackets."""
    quoted: set[int] = set()
    aside: set[int] = set()
    quote: int | None = None
    bracket: int | None = None
    for at, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.word == '"':
            if quote is None or tokens[quote].line != token.line:
                quote = at
            else:
                quoted.update(range(quote + 1, at))
                quote = None
        elif token.word == "(":
            bracket = at
        elif token.word == ")" and bracket is not None:
            aside.update(range(bracket + 1, at))
            bracket = None
    return frozenset(quoted), frozenset(aside)
