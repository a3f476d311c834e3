"""The inbox and the commands against a log: each record has its mail and its command, and they fit.

Of a running game nothing that a mail says is told, only which mail it is. A line of a mail that answered a
question of felix stands in another mail, and is not looked for.
"""

from __future__ import annotations

import re
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, Final

import orjson

from felix_async.address import Token, decode_token
from felix_async.audit.beside import Looks, Named
from felix_async.audit.redacted import OWN_DEEDS
from felix_async.audit.unwritten import HERE, NAMELESS, names_then, stands_among, word_without_line
from felix_async.clock import later
from felix_async.game.names import Names
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.meaning.replies import reply_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import text_of
from felix_async.provenance import dealt_with
from felix_events import model as m
from felix_events.envelope import MOST_OF_ID, PrivateV2, lines_of
from felix_events.store.naming import field_of, holds
from felix_events.store.rows import Mail, Question, games_of_cut

if TYPE_CHECKING:
    from felix_async.reading.reader import Opened

_KEY: Final = re.compile(r"[0-9a-f]{64}")
_CLOCK_SET: Final = 86400
"""Seconds by which a clock may have been set back between the receipt of a mail and what came of it."""
_REPLIES: Final = "mails that say yes or no to what another one says"
_NO_COMMAND: Final = ("computer/", "order/")
"""How the causes of steps begin that nobody commanded: they follow from others."""


def look_at_mails(looks: Looks) -> None:
    """Hold the mail of each record to it."""
    for named in looks.named:
        digest = named.record.mail_sha256
        if digest is None:
            continue
        version = named.envelope.version
        mails = looks.reader.mails(sha256=digest)
        looks.expect(mails, version, "a mail in the inbox with the hash in its record", "none", named.seat)
        mail = dealt_with(mails)
        if mail is not None:
            _look_at(looks, named, mail, {one.key for one in mails})


def _look_at(looks: Looks, named: Named, mail: Mail, keys: set[str | None]) -> None:
    version, at, record, seat = named.envelope.version, named.envelope.at, named.record, named.seat
    which = f"mail {mail.mail_id}"
    token_text = _token_text(mail)
    token = decode_token(token_text)
    looks.expect(mail.state == "done", version, f"{which} as one that was dealt with", mail.state, seat)
    by = later(at, _CLOCK_SET)
    # NEW and REMATCH came before there was a game; clocks of machines are set.
    is_own = token is not None and token.game_id == looks.game_id and version > 1
    since = later(looks.envelopes[0].at, -_CLOCK_SET) if is_own else mail.received_at
    is_then = since <= mail.received_at <= by and mail.received_at
    expected = f"{which} received by {by}, and not before there was a game"
    looks.expect(is_then, version, expected, mail.received_at or "never", seat)
    first = record.cause.partition("/")[0]
    if _KEY.fullmatch(first):
        looks.expect(first in keys, version, f"{which} under the key in its cause", "another one", seat)
    if token is None:
        looks.not_checked["mails to an address without a token"] += 1
    else:
        _look_at_token(looks, named, mail, token)
    if not mail.raw and games_of_cut(mail.note):
        looks.not_checked["mails cut down because they named who was forgotten"] += 1
    elif looks.has_text(mail.raw, "inbox_bytes", mail.mail_id, version, seat):
        _look_at_bytes(looks, named, mail, token, token_text)


def _look_at_token(looks: Looks, named: Named, mail: Mail, token: Token) -> None:
    """Hold the address of a mail, and whose it is, to the seat and the decision of the event."""
    envelope, event, own = named.envelope, named.envelope.data, named.seat
    which, version = f"mail {mail.mail_id}", envelope.version
    is_deed = envelope.actor == "seat" and isinstance(event, OWN_DEEDS)
    is_hosts = own is None and envelope.actor == "host" and version > 1
    if token.game_id != looks.game_id:
        # NEW, REMATCH and STOP are written to the address of another table.
        is_order = own is not None or is_hosts or isinstance(event, (*m.PLAYED, *HERE))
        looks.expect(not is_order, version, f"{which} to an address of this game", "one of another", own)
        return
    seat = own if own is not None else getattr(event, "seat", None) if is_deed else None
    seat = looks.hosts[version - 1] if is_hosts else seat
    if seat is not None:
        looks.expect(token.seat == seat, version, f"{which} to seat {seat}", f"seat {token.seat}", own)
    if own is None and is_deed and isinstance(event, m.PLAYED) and token.purpose == "move":
        turn = looks.turns[version - 1][event.seat]
        looks.expect(token.turn == turn, version, f"{which} for decision {turn}", f"{token.turn}")
    sat = looks.sat[named.until]
    if token.seat >= len(sat) or mail.player_id is None or looks.reader.is_confirmed(mail.mail_id):
        return
    looks.expect(mail.player_id == sat[token.seat], version, f"{which} by who sat there", "another", own)


def _look_at_bytes(looks: Looks, named: Named, mail: Mail, token: Token | None, token_text: str) -> None:
    """Hold what a mail says to its row and to the record."""
    record, version, seat = named.record, named.envelope.version, named.seat
    which = f"mail {mail.mail_id}"
    is_same = sha256(mail.raw).hexdigest() == mail.sha256
    looks.expect(is_same, version, f"{which} with the bytes that its hash is of", "others", seat)
    if not is_same:
        return
    message_id = _message_id(mail.raw)
    if token is not None and mail.key is not None and message_id:
        key = sha256(f"{token_text}\n{message_id}".encode()).hexdigest()
        looks.expect(key == mail.key, version, f"{which} under the key of its address", "another", seat)
    if not isinstance(record, PrivateV2):
        return
    if record.message_id is not None:
        is_named = message_id[:MOST_OF_ID] == record.message_id
        looks.expect(is_named, version, f"{which} with the Message-ID in its record", "another one", seat)
    if token is not None and token.purpose == "question":
        return
    word = word_without_line(named.envelope.data, record)
    if word:
        _look_at_order(looks, named, mail, token, word)
    if not record.line:
        return
    there = stands(record.line, mail)
    if there is None:
        looks.not_checked[_REPLIES] += 1
    else:
        looks.expect(there, version, f"{which} with the line in its record", "no such line", seat)


def _look_at_order(looks: Looks, named: Named, mail: Mail, token: Token | None, word: str) -> None:
    """Hold an order of which its record keeps no line to those in its mail."""
    version, reader, game_id = named.envelope.version, looks.reader, looks.game_id
    former = [(row.version, row.seat, row.name) for row in reader.former(game_id)]
    names = Names([row.name for row in reader.seats(game_id)], former)
    then = names_then(names, looks.envelopes, version)
    there = stands_among(named.record.order or "", orders_in(mail.raw), then)
    seats = range(len(looks.game.seats)) if token is None else [token.seat]
    asked = chain.from_iterable(reader.questions(game_id, seat) for seat in seats)
    # In which words a question was answered, cannot always be told from them alone.
    if not there and (is_reply(mail.raw) or any(_is_about(word, one) for one in asked)):
        looks.not_checked[_REPLIES] += 1
    elif there is None and word not in NAMELESS:
        looks.not_checked["mails with an order in no line of theirs"] += 1
    else:
        looks.expect(there, version, f"mail {mail.mail_id} with the order in its record", "no such order")


def _is_about(word: str, question: Question) -> bool:
    """Return True if an order with this word may have been done by a yes to a question."""
    read = read_line(question.text)
    is_it = not question.text or (isinstance(read, Order) and read.word == word)
    return is_it and (question.kind, question.state) == ("order", "yes")


def _token_text(mail: Mail) -> str:
    return mail.recipient.lower().rpartition("@")[0].partition("+")[2]


def stands(line: str, mail: Mail) -> bool | None:
    """Return True if the line of a record stands in a mail; None if that is gone, or says yes or no to
    another one.
    """
    token = decode_token(_token_text(mail))
    if not mail.raw or (token is not None and token.purpose == "question"):
        return None
    return says(mail.raw, line) or (None if is_reply(mail.raw) else False)


def _message_id(raw: bytes) -> str:
    simple = field_of(raw, b"message-id")
    if simple.isascii() and simple.startswith(b"<") and simple.endswith(b">") and b"=?" not in simple:
        return simple.decode().strip("<>").strip()
    return _opened(raw).reading.message_id


def says(raw: bytes, line: str) -> bool:
    """Return True if the line of a record stands in a mail, as a line of its writer's, or as several.

    >>> mail = b"Subject: x\\n\\nBID 3\\n> BID 4\\n"
    >>> says(mail, "BID 3"), says(mail, "BID 4")
    (True, False)
    """
    lines = lines_of(line)
    _, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    if {one.encode() for one in lines} <= {one.strip() for one in body.split(b"\n")}:
        return True
    own = "\n".join(["", *_own_lines(raw)]).encode()
    return all(holds(own, one) for one in lines)


def is_reply(raw: bytes) -> bool:
    r"""Return True if a mail says yes or no, in whatever words: what it is done for, it need not say itself.

    >>> is_reply(b"Subject: x\n\nyes, please\n"), is_reply(b"Subject: x\n\nBID 4\n")
    (True, False)
    """
    anything = Situation("bidding", waiting=Order("PASS"))
    return reply_in(text_of(_own_lines(raw)), anything) in ("YES", "NO")


def orders_in(raw: bytes) -> list[Order]:
    r"""Return the orders that the lines of a mail may give, each alone and all together.

    >>> [str(order) for order in orders_in(b"Subject: x\n\nHAND OVER Ben\nPASS\n> PAUSE\n")]
    ['HAND OVER Ben', 'PASS']
    """
    from felix_async.reading.reader import read_mail

    alone = [read_line(line) for line in _own_lines(raw)]
    found = [one if isinstance(one, Order) else one.meant for one in alone]
    found += [one for misread in alone if isinstance(misread, Misread) for one in misread.choices]
    found += [one for line in read_mail(raw).said for one in (line.order, *line.choices)]
    return list(dict.fromkeys(filter(None, found)))


def _own_lines(raw: bytes) -> list[str]:
    """The subject of a mail, and its lines but for those that are marked as quotes."""
    opened = _opened(raw)
    lines = opened.reading.lines or opened.unplaced
    return [opened.reading.own_subject, *(one.text for one in lines if one.place != "quoted")]


def look_at_commands(looks: Looks) -> None:
    """Hold the outcome of the command of each record to it."""
    for named in looks.named:
        cause, version, seat = named.record.cause, named.envelope.version, named.seat
        is_dropped = seat is not None and not isinstance(named.envelope.data, m.OrderGiven)
        if is_dropped or cause.startswith(_NO_COMMAND):
            continue
        kept = looks.reader.command(cause)
        is_here = kept is not None and kept[0] == looks.game_id
        looks.expect(is_here, version, "a command of this game under the cause in its record", "none", seat)
        if kept is None or not is_here:
            continue
        until, events = _outcome(kept[1], looks.game_id)
        # Of an order in advance only the moves count that it made at once.
        fits = 0 <= until <= looks.size if seat is not None else until - events + 1 == version
        looks.expect(fits, version, "an outcome of its command that begins with it", "another one", seat)


def _outcome(text: str, game_id: str) -> tuple[int, int]:
    """Return the version and the number of events of an outcome; (-1, 0) if it is none."""
    try:
        fields = orjson.loads(text)
    except ValueError:
        return -1, 0
    if not isinstance(fields, dict) or fields.get("game_id", game_id) != game_id or "code" in fields:
        return -1, 0
    version, events = fields.get("version"), fields.get("events")
    return (version, events) if isinstance(version, int) and isinstance(events, int) else (-1, 0)


def _opened(raw: bytes) -> Opened:
    # Loaded only where there are mails: an audit of a file reads none.
    from felix_async.reading.reader import open_bytes

    return open_bytes(raw)
