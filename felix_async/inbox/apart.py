"""A mail whose game cannot be read: it waits for that game, and its writer is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from felix_async.reading.sender import seat_of
from felix_async.trouble import is_new_trouble, tell, tell_all, waiting_for
from felix_events.store.base import Damaged, Tx

log = logging.getLogger(__name__)


class Stuck(Damaged):
    """What a mail needs cannot be read: nothing of it was done, and `put_by` lets the others go on.

    `quietly` says that nobody can be told either.
    """

    def __init__(self, mail_id: int, trouble: Damaged, *, quietly: bool = False) -> None:
        super().__init__(str(trouble), trouble.game_id)
        self.mail_id = mail_id
        self.quietly = quietly


def put_by(tx: Tx, stuck: Stuck, mailbox: str, now: str) -> bool:
    """Let a mail wait in quarantine until its game can be read; always True: there may be more mail.

    The seat that it is for, or its writer's if it is for none, is told, if the mail came from one of its
    player's addresses, and if that player sits in the game that cannot be read. Raises Stuck where what is
    needed for that cannot be read either; to be called with that one then.
    """
    mail = tx.mail(stuck.mail_id)
    if mail is None:
        return True
    if stuck.quietly:
        tx.settle_mail(mail.mail_id, "quarantined", note=_waiting(stuck.game_id))
        return True
    try:
        with tx.savepoint():
            addressed = seat_of(tx, mail.recipient, mailbox)
            home = "" if addressed is None else addressed.seat.game_id
            game_id = stuck.game_id or home
            if game_id and is_new_trouble(tx, game_id, now, str(stuck)):
                tell_all(tx, game_id, now)
                if game_id != home:
                    # Now that it is known, the mail may do without that game.
                    return True
            tx.settle_mail(mail.mail_id, "quarantined", note=_waiting(game_id))
            # The name of that table is for those alone who sit there.
            there, sender = tx.seats(game_id), mail.sender.lower()
            seats = there if addressed is None else [addressed.seat]
            seat = next((row for row in seats if sender in row.addresses), None)
            if seat is not None and seat.player_id in {row.player_id for row in there}:
                tell(tx, game_id, seat, now, str(mail.mail_id))
    except Damaged as trouble:
        raise Stuck(mail.mail_id, trouble, quietly=True) from trouble
    log.warning("mail %d: quarantined, %s", mail.mail_id, _waiting(game_id))
    return True


def put_aside(do: Callable[[Callable[[Tx], bool]], bool], stuck: Stuck, mailbox: str, now: str) -> bool:
    """`put_by`, in transactions that `do` opens."""
    try:
        return do(partial(put_by, stuck=stuck, mailbox=mailbox, now=now))
    except Stuck as quietly:
        return do(partial(put_by, stuck=quietly, mailbox=mailbox, now=now))


def _waiting(game_id: str) -> str:
    return waiting_for(game_id) if game_id else "waits: what it needs of the database is damaged"
