"""Recognise mail that a machine wrote, by header fields, or by a subject that says so in some language.

The marks are in `language/machines.toml`. A person's answer carries our own subject, with no more in
front of it than a `Re:`.

>>> is_away_subject("Automatische Antwort: [Thursday club k7m2p] Your turn")
True
>>> is_away_subject("AW: [Out of office k7m2p] Your turn")
False
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from felix_async.language.data import in_every_language
from felix_async.language.words import LOOP_HEADER

_MAX_SUBJECT: Final = 300
_MARKS: Final[Mapping[str, Any]] = in_every_language("machines.toml")
_PRESENT: Final[tuple[str, ...]] = (*_MARKS["headers"]["present"], LOOP_HEADER.lower())
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    name: tuple(values) for name, values in _MARKS["headers"]["values"].items()
}
_LABEL: Final = re.compile(r"\[[^\]]{0,60}\]")
"""A table's name, as it stands in our subjects; a host may have called it anything."""
_BEFORE_OURS: Final = re.compile(r".+\[[^\]]{1,60} [a-z0-9]{5}\]")
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
_AWAY_IN_ANSWERS: Final = tuple({_plain(one) for one in _MARKS["in_answers"]["all"]})


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
    for name, values in _VALUES.items():
        if headers.get(name, "").strip().lower().startswith(values):
            return name
    present = next((name for name in _PRESENT if name in headers), None)
    if present is not None:
        return present
    is_answer = "in-reply-to" in headers or "references" in headers
    subject = headers.get("subject", "")
    is_report = subject.lower().startswith(_REPORTS)
    return "Subject" if is_report or is_away_subject(subject, is_answer=is_answer) else None


def is_away_subject(subject: str, *, is_answer: bool = False) -> bool:
    """Return True if a subject (decoded) is that of an automatic answer.

    In a mail that answers another one (`is_answer`) people leave the subject alone: there it may say so
    anywhere, and in a single word that somebody might write as well.
    """
    plain = _plain(subject)
    # Words before a subject of ours answer it, too.
    is_answer = is_answer or _BEFORE_OURS.match(plain) is not None
    text = _LABEL.sub(" ", plain)
    for _ in range(_MAX_REPLIES):
        text = text.lstrip(_AROUND)
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
