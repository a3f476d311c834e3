"""Messages as programs keep them: a folder, a Maildir, an mbox, a file, one attached to another.

The bytes of a mail are taken as they are, as its signature needs them. An mbox is split at its `From ` lines,
and by Content-Length where it fits: neomutt relies on it, and quotes nothing in a body.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final

from felix_async.reading.mime import MAX_HEADER_BYTES, bounded, head_of, message_of
from felix_async.text import plain

MOST_OF_MAIL: Final = 1 << 25
"""Bytes of a mail that are read; no mail server takes longer ones."""
_DEEPEST: Final = 4
"""Mails within mails that are opened."""
_DAY: Final = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ 0-3]?\d \d\d:\d\d[^\r\n]{0,40} \d{4}"
_FROM: Final = re.compile(
    rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\r\n]{0,200}?" + _DAY + rb"[^\r\n]{0,40}\r?\n"
)
"""The line before each mail of an mbox; nothing but a date makes it one."""
_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
_MOST_ATTACHED: Final = 200
_ABOVE: Final = 100
"""Bytes in which blank lines may stand above a mail."""
_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d{1,12})[ \t\r]*$", re.I | re.M)
_HEADER: Final = re.compile(rb"[!-9;-~]+[ \t]*:")
_MAIL: Final = re.compile(rb"^(?:from|date|message-id|received|return-path)[ \t]*:", re.I | re.M)
_BOM: Final = b"\xef\xbb\xbf"
_OUTLOOK: Final = bytes.fromhex("D0CF11E0A1B11AE1")
_LOG: Final = b'{"felix":'
_APPLE: Final = re.compile(rb"(\d{1,9})[ \t]*\r?\n")
_RFC822: Final = re.compile(rb"^content-type:[ \t]*message/rfc822\b", re.I | re.M)
_QUOTED: Final = re.compile(rb"^>(>*From )", re.M)
_QUOTED_ONCE: Final = re.compile(rb"^>(From )", re.M)


class NotAMailbox(Exception):
    """There is nothing to read; `str()` is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A mail in the bytes that it was kept in, and the file that it stands in."""

    place: str
    raw: bytes
    in_mbox: bool = False

    @property
    def ways(self) -> list[bytes]:
        """The bytes that it may have come in: the lines that an mbox quotes, nobody can tell afterwards."""
        if not self.in_mbox:
            return [self.raw]
        ways = [self.raw, _QUOTED.sub(rb"\1", self.raw), _QUOTED_ONCE.sub(rb"\1", self.raw)]
        return list(dict.fromkeys(ways))


@dataclass(frozen=True, slots=True)
class NotUsable:
    """A file or a mail that nothing can be told from, and why."""

    place: str
    why: str


def mails_in(path: Path) -> Iterator[KeptMail | NotUsable]:
    """Read all mails of a folder or a file, with those forwarded in them as attachments.

    Raises NotAMailbox.
    """
    found = False
    name = plain(str(path))
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise NotAMailbox(f"{name}: there is no such folder or file.") from None
    except OSError as error:
        raise NotAMailbox(f"{name}: {_unread(error)}.") from None
    is_folder = S_ISDIR(mode)
    if not is_folder and not S_ISREG(mode):
        raise NotAMailbox(f"{name}: this is no plain file and no folder.")
    for one in _files(path) if is_folder else [path]:
        mails = [one] if isinstance(one, NotUsable) else _mails_of(one, _place(one, path))
        for mail in mails:
            found = True
            yield from _opened(mail) if isinstance(mail, KeptMail) else [mail]
    if not found:
        no_mail = "neither a message nor a mailbox" if path.stat().st_size else "empty"
        what = "folder holds no messages" if is_folder else f"file is {no_mail}"
        raise NotAMailbox(f"{name}: this {what}.")


def _files(path: Path) -> Iterator[Path | NotUsable]:
    """The files below a folder by name; a Maildir's `tmp` holds what has not come yet."""
    unread: list[OSError] = []
    for folder, folders, names in os.walk(path, onerror=unread.append):
        folders[:] = sorted(one for one in folders if one != "tmp" or "cur" not in folders)
        for link in filter(Path.is_symlink, (Path(folder, one) for one in folders)):
            yield NotUsable(_place(link, path), "it is a link to a folder: name it by itself")
        yield from (Path(folder, name) for name in sorted(names))
    yield from (NotUsable(_place(Path(error.filename), path), _unread(error)) for error in unread)


def _place(file: Path, path: Path) -> str:
    """The name of a file in what was given."""
    return file.name if file == path else str(file.relative_to(path))


def _unread(error: OSError | ValueError) -> str:
    return f"it cannot be read ({getattr(error, 'strerror', None) or 'no such name'})"


def _mails_of(path: Path, place: str) -> Iterator[KeptMail | NotUsable]:
    try:
        if not path.is_file():
            yield NotUsable(place, "it is no plain file")
            return
        with path.open("rb") as file:
            if not file.read(1):
                return
            with closing(mmap(file.fileno(), 0, access=ACCESS_READ)) as data:
                yield from _split(data, place)
    except (OSError, ValueError) as error:
        yield NotUsable(place, _unread(error))


def _split(data: mmap, place: str) -> Iterator[KeptMail | NotUsable]:
    above = data[:_ABOVE]
    start = len(above) - len(above.removeprefix(_BOM).lstrip(b"\r\n"))
    if data[: len(_OUTLOOK)] == _OUTLOOK:
        yield NotUsable(place, "Outlook's own format has not the bytes that came: save the message as .eml")
        return
    apple = _APPLE.match(data[:20])
    if apple is not None:
        # Apple Mail: the mail's length, the mail, and what the program notes of it.
        yield _mail(data, place, apple.end(), apple.end() + int(apple[1]))
        return
    if _FROM.match(data[start : start + 1000]) is None:
        if _is_mail(data[start : start + MAX_HEADER_BYTES]):
            yield _mail(data, place, start, len(data))
        elif data[start : start + len(_LOG)] == _LOG:
            yield NotUsable(place, "it is a log, no message: give it as FILE, or save the message it came in")
        return
    for number, (begin, end) in enumerate(_places(data, start), 1):
        yield _mail(data, f"{place}, message {number}", begin, end, in_mbox=True)


def _places(data: mmap, start: int) -> Iterator[tuple[int, int]]:
    """The place of each mail in an mbox, without the line before it."""
    line = _FROM.match(data[start : start + 1000])
    assert line is not None, "it is an mbox"
    begin = start + line.end()
    while begin < len(data):
        following = _after_length(data, begin) or _FROM.search(data, begin)
        if following is None:
            yield begin, len(data)
            return
        yield begin, following.start()
        begin = following.end()


def _after_length(data: mmap, begin: int) -> re.Match[bytes] | None:
    """The line before the next mail, if it stands where the length of this one says."""
    head = _HEAD_END.search(data, begin, begin + MAX_HEADER_BYTES)
    said = None if head is None else _LENGTH.search(data[begin : head.start()])
    if head is None or said is None:
        return None
    # Most programs count the blank line that ends a mail, some do not.
    end = head.end() + int(said[1])
    found = _FROM.search(data, end, end + 1000)
    return found if found is not None and data[end : found.start()].strip() == b"" else None


def _mail(data: mmap, place: str, begin: int, end: int, *, in_mbox: bool = False) -> KeptMail | NotUsable:
    if end - begin > MOST_OF_MAIL:
        return NotUsable(place, f"it is longer than {MOST_OF_MAIL >> 20} MiB")
    return KeptMail(place, data[begin:end], in_mbox)


def _is_mail(start: bytes) -> bool:
    return _HEADER.match(start) is not None and _MAIL.search(head_of(start)) is not None


def _opened(mail: KeptMail, depth: int = 0) -> Iterator[KeptMail | NotUsable]:
    """A mail, and those that were forwarded in it as attachments."""
    yield mail
    for number, raw in enumerate(_forwarded(mail.raw), 1):
        if depth == _DEEPEST:
            yield NotUsable(mail.place, f"what is attached to it, {depth + 1} messages deep, was not read")
            return
        if number > _MOST_ATTACHED:
            yield NotUsable(mail.place, f"only the first {_MOST_ATTACHED} messages attached to it were read")
            return
        yield from _opened(KeptMail(f"{mail.place}, attached {number}", raw, mail.in_mbox), depth + 1)


def _forwarded(raw: bytes) -> Iterator[bytes]:
    """The mails attached to a mail, cut out of its bytes as they stand there."""
    boundary = message_of(bounded(head_of(raw))).get_boundary()
    if _RFC822.search(raw) is None:
        return
    between = b"\n--" + (boundary or "").encode("utf-8", "surrogateescape")
    for part in [raw] if boundary is None else raw.split(between)[1:]:
        own, *rest = _HEAD_END.split(part, 1)
        if rest and _RFC822.search(own) and _is_mail(rest[0][:MAX_HEADER_BYTES]):
            yield rest[0].removesuffix(b"\r") + b"\r\n"
