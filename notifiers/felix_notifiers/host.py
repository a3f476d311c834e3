"""Mails to the host, who runs the server: a player no longer gets mail. No secret of a game is in them."""

from __future__ import annotations

from typing import Final

from felix_notifiers.compose import rendered
from felix_notifiers.harmless import NAME_LIMIT, one_line, table_label
from felix_notifiers.page import Page
from felix_notifiers.sheet import Composed
from felix_notifiers.subjects import subject_of

UNREACHABLE: Final = "A player no longer gets mail"


def unreachable(
    *,
    game_id: str,
    table_name: str,
    seat: int,
    name: str,
    address: str,
    why: str,
    other: str | None,
    is_over: bool,
) -> Composed:
    """Whose mail comes back, what the last report said, and what to do; `other` is where mail goes now."""
    label = table_label(table_name, game_id)
    who = one_line(name, NAME_LIMIT) or f"seat {seat}"
    dead = one_line(address)
    opening = [
        f"Mail to {who} (seat {seat} of {label}) keeps coming back from {dead}. No more mail goes there.",
        f"The last report said: {one_line(why) or 'nothing that can be read'}",
    ]
    if other is not None:
        opening.append(f"From now on mail for {who} goes to {one_line(other)} instead.")
    elif not is_over:
        opening += [
            f"{who} has no other address, so the game waits for {who} as soon as it is that seat's turn.",
            f"Please ask {who} by another way. A mail to felix from {dead} is enough to start again: it shows"
            " that the address is alive.",
            "Until then you can make the moves of this seat yourself, as in"
            f" `felix move {game_id} {seat} PASS`; everybody will see that it was you.",
        ]
    opening.append("`felix mail letters list` shows the letters that came back.")
    return rendered(
        Page(
            subject=subject_of(label, UNREACHABLE),
            headline=UNREACHABLE,
            greeting="Hello,",
            opening=opening,
            footer=f"Felix, {label}.",
            marker="",
        )
    )
