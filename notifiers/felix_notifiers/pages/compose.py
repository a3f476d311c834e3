"""A sheet as a mail: subject, text and HTML, the same words in both. Pure: no clock, no store, no network.

The look is in `templates/`, the sentences are in `felix_notifiers.content.wording`, and what is shown at all
is decided in `felix_notifiers.pages.page`, from the reader's own view of the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from felix_notifiers.content import wording
from felix_notifiers.content.sheet import Composed, Sheet
from felix_notifiers.pages import layout
from felix_notifiers.pages.page import Page, page_of

__all__ = ["Composed", "Sheet", "compose"]

_LOOK: Final = "look.html.j2"
_LOOKS: Final = re.compile(r"\{\{ look\.(\w+) \}\}")
_MODULES: Final = {
    "look": _LOOK,
    "part": "parts.html.j2",
    "asked": "asked.html.j2",
    "forward": "forward.html.j2",
}
"""Templates of pieces, by the names that the others have for them; each uses those before it."""
_KEPT: Final = 512
"""Drawn cards and mouse cards that are remembered; there are fewer than that."""


def compose(sheet: Sheet) -> Composed:
    """The mail for this sheet."""
    return rendered(page_of(sheet))


def rendered(page: Page) -> Composed:
    """A page in both forms."""
    templates = _templates()
    text = templates.get_template("mail.txt.j2").render(page=page)
    html = templates.get_template("mail.html.j2").render(page=page)
    return Composed(page.subject, layout.finished(text), html)


class _Loader(PackageLoader):
    """Reads templates with what `look.html.j2` says filled in already: that is the same in every mail."""

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool] | None]:
        source, file, is_fresh = super().get_source(environment, template)
        if template != _LOOK:
            look = environment.get_template(_LOOK).module
            source = _LOOKS.sub(lambda found: escape(getattr(look, found[1])), source)
        return source, file, is_fresh


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=_Loader("felix_notifiers.pages"),
        autoescape=lambda name: name is None or name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    templates.globals["kept"] = _kept
    templates.globals["wording"] = wording
    templates.filters.update(
        paragraph=layout.paragraph,
        bullet=layout.bullet,
        below=layout.below,
        sentence=layout.sentence,
        quoted=layout.quoted,
        row_lines=layout.row_lines,
        ledger_lines=layout.ledger_lines,
        score_lines=layout.score_lines,
        told_line=layout.told_line,
        sack_lines=layout.sack_lines,
        title_line=layout.title_line,
    )
    templates.globals["order_line"] = layout.order_line
    # Imported by each other, they would be looked through for every mail.
    for name, file in _MODULES.items():
        templates.globals[name] = templates.get_template(file).module
    return templates


@lru_cache(_KEPT)
def _kept(macro: str, thing: object) -> Markup:
    """A piece of `parts.html.j2` that follows from what it shows alone, drawn once."""
    drawn: Markup = getattr(_templates().globals["part"], macro)(thing)
    return drawn
