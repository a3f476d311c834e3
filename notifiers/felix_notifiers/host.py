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
    phase: str,
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
    elif phase in ("inviting", "placing", "bidding"):
        order = {"inviting": "DECLINE", "placing": '"PLAY 3"'}.get(phase, "PASS")
        opening += [
            f"{who} has no other address, so the game will wait for {who}.",
            f"Please ask {who} by another way. An answer from {dead} to any mail of this game is enough to"
            " start again: it shows that the address is alive.",
            "Until then you can answer for this seat yourself, as in"
            f" `felix move {game_id} {seat} {order}`; everybody will see that it was you.",
        ]
        if phase == "inviting":
            opening.append("If the address is wrong, decline so, and open the table anew with `felix new`.")
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
