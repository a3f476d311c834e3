"""Words that a shell may complete: games, seats, messages, letters and addresses of the database.

Nothing is said if there is nothing to offer: no database, settings that cannot be read, a game that is not
there. What a stranger chose is offered only if a shell can do nothing with it but show it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

import click
from click.shell_completion import CompletionItem, split_arg_string

if TYPE_CHECKING:
    from felix_events.store.base import Reader

MOST: Final = 50
_HARMLESS: Final = re.compile(r"[\w.@+-]+").fullmatch
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completed(find: Callable[[click.Context, Reader], Iterable[str]]) -> Complete:
    """Return what click asks for completions: those of the words found that begin as what was typed."""

    def complete(ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
        from felix_cli.output import problem_of
        from felix_cli.wiring import read_database

        try:
            with ctx.scope(cleanup=False), read_database(ctx.params.get("db")) as reader:
                begun = (word for word in find(ctx, reader) if word.lower().startswith(typed.lower()))
                return [CompletionItem(word) for word in islice(filter(_HARMLESS, begun), MOST)]
        except click.ClickException:
            return []
        except Exception as error:
            if problem_of(error) is None:
                raise
            return []

    return complete


def _games(_ctx: click.Context, reader: Reader) -> Iterator[str]:
    return (line.game_id for line in reversed(reader.game_lines()))


def _seats(ctx: click.Context, reader: Reader) -> Iterator[str]:
    from felix_cli.naming import games_called

    named = next((ctx.params[name] for name in ("target", "game_id", "game") if ctx.params.get(name)), None)
    # While an option has no value yet, click knows no arguments.
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))[2:] if named is None else [named]
    found = (games_called(reader, word) for word in words)
    game_id = next((one for one, *more in filter(None, found) if not more), "")
    return (seat.name for seat in reader.seats(game_id))


def _viewers(ctx: click.Context, reader: Reader) -> Iterator[str]:
    yield from ("spectator", "all")
    yield from _seats(ctx, reader)


def _ids(ctx: click.Context, reader: Reader) -> Iterator[str]:
    match ctx.parent and ctx.parent.info_name:
        case "letters":
            return (str(line.letter_id) for line in reader.letter_lines(MOST))
        case "quarantine":
            return (str(line.mail_id) for line in reader.mail_lines(MOST, "quarantined"))
        case _:
            return (str(line.mail_id) for line in reader.mail_lines(MOST))


complete_game = _completed(_games)
complete_seat = _completed(_seats)
complete_viewer = _completed(_viewers)
complete_id = _completed(_ids)
complete_address = _completed(lambda _, reader: (row.address for row in reader.addresses()))


def complete_target(ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
    """Offer games, or files where no game begins so."""
    return complete_game(ctx, param, typed) or [CompletionItem(typed, type="file")]
