"""A bounce of one of our letters counts against the address that it went to, once."""

from __future__ import annotations

from felix_async.deliverability import note_bounce
from felix_async.reading.reports import Bounce, Report, forms_of
from felix_async.settings import Bounces
from felix_events.store.base import Reader, Tx
from felix_events.store.rows import Letter, SeatRow


def handle_bounce(tx: Tx, report: Report, seat: SeatRow, now: str, limits: Bounces) -> str:
    """Deal with a mail that came to the bounce address of this seat; what came of it, for `settle_mail`.

    Only an address of this seat's player counts: the one that the report names, or the one that the letter
    went to whose Message-ID it brings back. Whoever forges a report can hurt nobody else by it.
    """
    bounces = report.bounces
    if not bounces:
        return "came to the address for bounces and is none"
    failures = [bounce for bounce in bounces if bounce.failure is not None]
    if not failures:
        return f"a report that counts against nobody: {bounces[0].diagnostic}"
    letter = _letter_in(tx, report, seat)
    name = report.body_sha256 if letter is None else str(letter.letter_id)
    if not tx.count_bounce(seat.game_id, seat.seat, name):
        return "this bounce was counted before"
    if letter is not None and letter.state == "sent":
        tx.end_letter(letter.letter_id, "failed", f"came back: {failures[0].diagnostic}")
    return "; ".join(
        dict.fromkeys(_count(tx, bounce, seat, letter, now, limits) for bounce in _by_address(failures))
    )


def _by_address(failures: list[Bounce]) -> list[Bounce]:
    """One failure for each address: a report may name it twice."""
    return list({bounce.address.lower(): bounce for bounce in reversed(failures)}.values())


def _count(tx: Tx, bounce: Bounce, seat: SeatRow, letter: Letter | None, now: str, limits: Bounces) -> str:
    own = {address.lower() for address in seat.addresses}
    named = [*forms_of(bounce.address), letter.recipient if letter is not None else ""]
    address = next((one for one in named if one.lower() in own), None)
    if address is None or bounce.failure is None:
        return "a bounce for an address that is not this player's: not counted"
    why = bounce.diagnostic or bounce.status
    return note_bounce(tx, seat, address, bounce.failure, why, now=now, limits=limits)


def _letter_in(reader: Reader, report: Report, seat: SeatRow) -> Letter | None:
    """The letter to this seat that came back."""
    found = (reader.letter_with(message_id) for message_id in report.returned)
    return next(
        (one for one in found if one is not None and (one.game_id, one.seat) == (seat.game_id, seat.seat)),
        None,
    )
