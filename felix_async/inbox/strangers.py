"""A message from somebody who plays nowhere here: one answer, or a table, if the operator lets strangers in.

Anybody can write such a mail, and felix does not know who reads the answer. So our own mail server must
vouch for the sender, nothing may look like a machine, no address gets a second answer, and there are so many
a day for all. It is decided and counted in the transaction that settles the mail, and the letter is frozen
there: a crash neither doubles nor loses it. Whoever is not answered is told of to the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from email.utils import getaddresses, parseaddr
from typing import Final

from felix_async.address import Token, token_in
from felix_async.clock import DAY, later
from felix_async.inbox.answers import AT_A_NEW_TABLE, answer_to
from felix_async.inbox.arrival import Arrival, Greeter, Handled, Told
from felix_async.inbox.lines import orders_for_a_table, received_in, source_of
from felix_async.language.phrases import phrase
from felix_async.language.words import REFUSALS
from felix_async.orders.context import OrderContext
from felix_async.orders.hosting import open_table
from felix_async.orders.listed import gathered
from felix_async.orders.preferences import note_offset
from felix_async.orders.quotas import is_used_up
from felix_async.people import Named, is_address, mailbox_of, name_for
from felix_async.reading.machines import is_robot, stranger_mark
from felix_async.reading.reader import decoded
from felix_async.reading.sender import Writer
from felix_async.reading.verdicts import settled
from felix_async.text import plain
from felix_async.time.times import moment
from felix_async.time.zones import DEFAULT_ZONE
from felix_events.store.rows import Greeting, SeatRow

STRANGER: Final = "from nobody who plays here"
"""How the note of a stranger's mail begins that was not answered."""
MOST_A_DAY: Final = 50
"""Strangers who are answered, or open a table, within a day: all of them together."""
MOST_OF_A_DOMAIN: Final = 10
"""Those of them whose addresses are of one domain: nobody with a domain of their own uses up the rest."""
MAX_REFUSALS: Final = 3
"""Answers within a day to mails for a table of which nobody knows who wrote them, and which were not done."""
_MAX_HEADER: Final = 4000
"""Characters of To and Cc together that are read."""
_ADVICE: Final = "If they are to play, open a table for them with `felix new`; else drop this."


def meet_stranger(arrival: Arrival) -> Handled:
    """Open the table that a stranger asks for, or answer what felix is, once; else leave the mail aside."""
    reading, greeter = arrival.reading, arrival.greeter
    if token_in(arrival.mail.recipient, arrival.mailbox):
        return Handled("quarantined", "the address holds no valid token")
    sent_by = parseaddr(reading.headers.get("sender", ""))[1]
    if is_robot(reading.sender) or is_robot(sent_by) or _is_ours(reading.sender, arrival.mailbox):
        return Handled("ignored", f"{STRANGER}, and no person writes from there")
    if greeter is None or not arrival.service.is_open:
        return _left("no answer, because invitations.open is off")
    address = mailbox_of(reading.sender)
    known, domain = greeter.digest("stranger", address), greeter.digest("domain", address.rpartition("@")[2])
    if why := _why_not(arrival, domain):
        return _left(f"no answer, because {why}")
    before = arrival.tx.greetings(known)
    greeting = Greeting(known, domain, arrival.mail.mail_id, "told", arrival.now)
    if orders_for_a_table(reading):
        return _table(arrival, greeter, greeting, before)
    if told := [one.at for one in before if one.what == "told"]:
        return _left(f"no answer, because they had theirs on {moment(told[0], DEFAULT_ZONE)}")
    arrival.tx.greet(greeting)
    _write(arrival, greeter)
    return Handled("ignored", f"{STRANGER}; told what felix is, and how to open a table")


def _left(why: str) -> Handled:
    """Nothing is done, and the operator is told what they can do."""
    return Handled("quarantined", f"{STRANGER}; {why}. {_ADVICE}")


def _why_not(arrival: Arrival, domain: bytes) -> str:
    """Why nobody writes back to this mail, whatever it asks for; '' if somebody may."""
    reading, mailbox = arrival.reading, arrival.mailbox
    if not is_address(reading.sender):
        return "it does not say clearly from whom it is"
    if not reading.vouching.is_given:
        return f"{reading.vouching.server or 'no mail server'} does not vouch for the sender"
    if mark := stranger_mark(reading.headers):
        return f"it is spam, or of a list, as {mark} says"
    if not _is_addressed(arrival):
        return f"{mailbox} is neither in To nor in Cc"
    if arrival.mail.received_at < later(arrival.now, -DAY):
        return "it came more than a day ago"
    counts = arrival.tx.greeted_since(later(arrival.now, -DAY))
    if sum(counts.values()) >= MOST_A_DAY:
        return f"{MOST_A_DAY} strangers were answered within a day"
    if counts.get(domain, 0) >= MOST_OF_A_DOMAIN:
        return f"{MOST_OF_A_DOMAIN} strangers of that domain were answered within a day"
    return ""


def _table(arrival: Arrival, greeter: Greeter, greeting: Greeting, before: Sequence[Greeting]) -> Handled:
    """Open the table of a NEW, hosted by its writer, who is a player from then on; or say why not."""
    tx, reading, service = arrival.tx, arrival.reading, arrival.service
    if is_used_up("tables", [one.at for one in before if one.what == "opened"], arrival.now):
        return _left("no table, because they opened enough within a day")
    since = later(arrival.now, -DAY)
    if sum(one.what == "refused" and one.at > since for one in before) >= MAX_REFUSALS:
        return _left("no table, and they were told why often enough today")
    name = name_for(decoded(parseaddr(reading.headers.get("from", ""))[0]), reading.sender)
    (host,) = service.identified(tx, [Named(name, reading.sender)])
    seat = SeatRow("", 0, host.player_id, host.name, reading.sender, b"", (reading.sender,))
    ctx = OrderContext(
        tx, service, Writer(seat, Token("", 0, "move", 0), ""), source_of(arrival), 0, arrival.mailbox
    )
    lines = gathered(ctx, settled(reading.said))
    line = next(line for _, line in lines if line.order == orders_for_a_table(reading)[0].order)
    reply = open_table(ctx, received_in(line, f"{arrival.key}/0"))
    if not reply.opened:
        code = reply.lines[0].code
        tx.greet(replace(greeting, what="refused"))
        _write(arrival, greeter, _in_our_words(code))
        return Handled("ignored", f"{STRANGER}; told why no table was opened ({code})")
    tx.greet(replace(greeting, what="opened"))
    tx.add_player(host.player_id, reading.sender)
    tx.attribute_mail(arrival.mail.mail_id, host.player_id)
    note_offset(tx, host.player_id, reading.headers.get("date", ""))
    answer = answer_to(reading, reply).model_copy(update={"show": AT_A_NEW_TABLE})
    return Handled("done", "from somebody new, who opened a table", (Told(reply.opened[0].seat, answer),))


def _in_our_words(code: str) -> str:
    """Why no table was opened, without a word of the writer's: others may read it who did not write."""
    sentence = REFUSALS[code]
    return phrase("mails.stranger.unclear") if "{" in sentence else plain(sentence)


def _write(arrival: Arrival, greeter: Greeter, why: str = "") -> None:
    mail_id, theirs = arrival.mail.mail_id, plain(arrival.reading.message_id)
    arrival.tx.freeze(greeter.to_stranger(arrival.reading.sender, why, mail_id, theirs, arrival.now))


def _is_addressed(arrival: Arrival) -> bool:
    """Return True if our address stands in To or Cc: a mail that hides it was sent to many."""
    values = [arrival.reading.headers.get(name, "") for name in ("to", "cc")]
    if sum(map(len, values)) > _MAX_HEADER:
        return False
    try:
        found = getaddresses(values)
    except (RecursionError, ValueError, IndexError):
        return False
    return any(token_in(address.strip(), arrival.mailbox) == "" for _, address in found)


def _is_ours(address: str, mailbox: str) -> bool:
    """Return True if somebody with our own domain wrote: felix itself, or a program beside it."""
    return address.rpartition("@")[2] == mailbox.rpartition("@")[2]
