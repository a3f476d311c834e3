"""Recognise mail that a machine wrote, by header fields, or by a subject that says so in some language.

The marks are in `language/machines.toml`. A person's answer carries our own subject, with no more in
front of it than a `Re:`; the table or the winner that it names may be called anything.

>>> is_away_subject("Automatische Antwort: Round 3 · Thursday club")
True
>>> is_away_subject("AW: Round 3 · Out of office"), is_away_subject("Re: Holiday: who is in", is_answer=True)
(False, False)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final, cast

from felix_async.language.data import in_every_language, table
from felix_async.language.phrases import pieces_of
from felix_async.language.words import LOOP_HEADER

_MAX_SUBJECT: Final = 300
_MARKS: Final[Mapping[str, Any]] = in_every_language("machines.toml")
_PRESENT: Final[tuple[str, ...]] = (*_MARKS["headers"]["present"], LOOP_HEADER.lower())
_Values = Mapping[str, tuple[str, ...]]
_VALUES, _OF_STRANGERS = (
    cast("_Values", {name: tuple(values) for name, values in _MARKS[part]["values"].items()})
    for part in ("headers", "strangers")
)
_LABEL: Final = re.compile(r"\[[^\]]{0,60}\]")
"""A table's name, as it stood in the subjects of older letters; a host may have called it anything."""
_BEFORE_OURS: Final = re.compile(r".+\[[^\]]{1,60} [a-z0-9]{5}\]")
_LONGEST_TABLE: Final = 25
"""Letters of a table's name in our subjects."""
_ANY_NAME: Final = "[^:]{1,75}"
"""A name in small letters: without its accents it may be three times as long."""
_AROUND: Final = "\"'(* -"
_REPLY: Final = re.compile(r"[^\W\d_]{1,6} ?(?:\[\d+\]|\(\d+\))? ?: ?|tra loi ?: ?")
"""`Re:`, `AW:`, `Odp:`, `回复：` and the like."""
_MAX_REPLIES: Final = 5
_ENDS: Final = re.compile(r"\s*(?:[:(–—!.-]|$)").match
_FIRST_HEBREW: Final = "\u0590"
"""The alphabets before it have blanks between words, and no letters that are joined to others."""


def _plain(text: str) -> str:
    """The text in small letters, without accents and with single blanks."""
    letters = unicodedata.normalize("NFKD", text[:_MAX_SUBJECT]).casefold().translate(_STROKES)
    if not letters.isascii():
        letters = "".join(one for one in letters if not unicodedata.combining(one))
    return " ".join(letters.split())


_STROKES: Final = str.maketrans("đłøı", "dloi")
_AWAY: Final = tuple({_plain(one) for said in _MARKS["subjects"].values() for one in said})
_REPORTS: Final = tuple(_MARKS["reports"]["all"])
_ROBOTS: Final = frozenset(_MARKS["robots"]["local"])
_IN_ROBOTS: Final = tuple(_MARKS["robots"]["within"])
_LISTS: Final = tuple(tuple(_MARKS["robots"][one]) for one in ("begins", "ends"))
_AWAY_IN_ANSWERS: Final = tuple({_plain(one) for one in _MARKS["in_answers"]["all"]})


def _of_tables() -> tuple[str, str]:
    """Return patterns of our subjects: what stands before the name that ends one, and those that begin with
    one, whole.
    """
    before, whole = [], []
    for sentence in table("glance.toml")["subject"].values():
        pieces = pieces_of(sentence)
        names = [name for _, name, _ in pieces if name is not None]
        if pieces[0][0] and names[-1:] == ["table"]:
            texts = [r"\d+" if name else _escaped(text) for text, name, _ in pieces[:-2]]
            before.append("".join(texts))
        elif not pieces[0][0]:
            texts = [_ANY_NAME if name else _escaped(_plain(f"x{text}x")[1:-1]) for text, name, _ in pieces]
            whole.append("".join(texts))
    return "|".join(before), "|".join(whole)


def _escaped(text: str) -> str:
    """Return a pattern of what we have written; some programs write the dot of it otherwise."""
    return re.escape(text).replace("·", r"\S{1,3}")


_BEFORE_TABLE, _FROM_TABLE = (re.compile(pattern, re.IGNORECASE) for pattern in _of_tables())


def _without_table(subject: str) -> str:
    """The subject without what we have written, if that is at its end but for a remark in brackets."""
    found = _BEFORE_TABLE.search(subject)
    if found is None:
        return subject
    behind = subject[found.end() :]
    remark = behind.find(" (") if len(behind) > _LONGEST_TABLE else -1
    return subject[: found.start()] + (behind[remark:] if remark >= 0 else behind[_LONGEST_TABLE:])


def _stands(phrase: str, text: str, at: int) -> bool:
    """Return True if a phrase that begins there is no part of a longer word, if words are apart there."""
    before, after = text[at - 1 : at], text[at + len(phrase) :][:1]
    joined = (phrase[0], before), (phrase[-1], after)
    return not any(own < _FIRST_HEBREW and own.isalpha() and other.isalnum() for own, other in joined)


def _begun(text: str, phrases: tuple[str, ...]) -> list[str]:
    """The phrases with which a text begins; most texts begin with none, and that is soon known."""
    return [one for one in phrases if text.startswith(one)] if text.startswith(phrases) else []


def machine_mark(headers: Mapping[str, str]) -> str | None:
    """The header by which a mail gives itself away as written by a machine, None if a person wrote it."""
    if headers.get("auto-submitted", "no").split(";")[0].strip().lower() != "no":
        return "Auto-Submitted"
    # A rule that forwards writes its own mailbox here, one that answers that of the one who is away.
    rule = headers.get("x-ms-exchange-inbox-rules-loop", "").strip().strip("<>").lower()
    if rule and ("x-auto-response-suppress" in headers or rule in headers.get("from", "").lower()):
        return "x-ms-exchange-inbox-rules-loop"
    value = _value_in(headers, _VALUES)
    if value is not None:
        return value
    present = next((name for name in _PRESENT if name in headers), None)
    if present is not None:
        return present
    is_answer = "in-reply-to" in headers or "references" in headers
    subject = headers.get("subject", "")
    is_report = subject.lower().startswith(_REPORTS)
    return "Subject" if is_report or is_away_subject(subject, is_answer=is_answer) else None


def stranger_mark(headers: Mapping[str, str]) -> str | None:
    """The header by which a filter calls a mail spam, or a list gives itself away, None if there is none.

    It stands against strangers alone: a player's mail is read.
    """
    present = next((name for name in _MARKS["strangers"]["present"] if name in headers), None)
    return present or _value_in(headers, _OF_STRANGERS)


def _value_in(headers: Mapping[str, str], marks: _Values) -> str | None:
    """The first header whose value begins with one of its marks."""
    said = ((name, headers.get(name, "").strip().lower()) for name in marks)
    return next((name for name, value in said if value.startswith(marks[name])), None)


def is_robot(address: str) -> bool:
    """Return True if no person writes from an address, as its part before the @ says.

    >>> [is_robot(f"{one}@shop.test") for one in ("No-Reply", "bounces+12=ben", "cats-owner", "noreen")]
    [True, True, True, False]
    """
    local = address.rpartition("@")[0].partition("+")[0].casefold()
    begins, ends = _LISTS
    if local.startswith(begins) or local.endswith(ends):
        return True
    letters = "".join(one for one in local if one.isalnum())
    return letters in _ROBOTS or any(one in letters for one in _IN_ROBOTS)


def is_away_subject(subject: str, *, is_answer: bool = False) -> bool:
    """Return True if a subject (decoded) is that of an automatic answer.

    In a mail that answers another one (`is_answer`) people leave the subject alone: there it may say so
    anywhere, and in a single word that somebody might write as well.
    """
    others = _without_table(subject[:_MAX_SUBJECT])
    plain = _plain(others)
    # Words before a subject of ours answer it, too.
    is_answer = (
        is_answer or len(others) < len(subject[:_MAX_SUBJECT]) or _BEFORE_OURS.match(plain) is not None
    )
    text = _LABEL.sub(" ", plain)
    for _ in range(_MAX_REPLIES):
        text = text.lstrip(_AROUND)
        if _FROM_TABLE.fullmatch(text):
            return False
        if any(_stands(one, text, 0) for one in _begun(text, _AWAY)):
            return True
        if is_answer and any(_ENDS(text, len(one)) for one in _begun(text, _AWAY_IN_ANSWERS)):
            return True
        reply = _REPLY.match(text)
        if reply is None:
            break
        text = text[reply.end() :]
    said = [one for one in _AWAY if one in text] if is_answer else []
    return any(_stands(one, text, text.index(one)) for one in said)
