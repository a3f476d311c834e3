"""A message in its two forms, text and HTML, the same sections in both. Pure: no clock, no store, no network.

How a section looks is in `content/templates`, what it says in the modules of `content`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from felix_async.language.words import MARKER
from felix_notifiers.content import layout, wording
from felix_notifiers.content.mail import Composed, Mail
from felix_notifiers.content.moves import in_rows
from felix_notifiers.content.opening import Head

_LOOK: Final = "look.html.j2"
_LOOKS: Final = re.compile(r"\{\{ look\.(\w+) \}\}")
_HASH: Final = re.compile("[0-9a-f]{16}(?=[0-9a-f]{16})")
_MODULES: Final = {"look": _LOOK, "part": "parts.html.j2"}
"""Templates of pieces, by the names that the others have for them; each uses those before it."""
_KEPT: Final = 512
"""Drawn cards and mouse cards that are remembered; there are fewer than that."""


def rendered(mail: Mail) -> Composed:
    """A mail in both forms."""
    above = f"{mail.glance.preview}\n{MARKER}" if mail.is_answered else mail.glance.preview
    text = layout.stacked(
        above, *(section.text() for section in mail.sections), layout.paragraph(mail.footer)
    )
    html = _templates().get_template("mail.html.j2").render(mail=mail, body=_body(mail))
    return Composed(mail.subject, layout.finished(text), html)


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
        loader=_Loader("felix_notifiers.content"),
        autoescape=lambda name: name is None or name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    templates.globals["kept"] = _kept
    templates.filters["breakable"] = _breakable
    templates.globals["wording"] = wording
    templates.globals["marker"] = MARKER
    templates.globals["in_rows"] = in_rows
    # Imported by each other, they would be looked through for every mail.
    for name, file in _MODULES.items():
        templates.globals[name] = templates.get_template(file).module
    return templates


def _body(mail: Mail) -> Markup:
    """The sections as HTML; in a part of a digest, headings are a level deeper."""
    drawn: list[Markup] = []
    level = 2
    for section in mail.sections:
        if isinstance(section, Head) and section.title:
            level = 3
        drawn.append(_macro(type(section))(section, level))
    return Markup().join(drawn)


def _breakable(text: str) -> Markup:
    """A text whose hashes may go on in the next line, also where styles are dropped."""
    return Markup(_HASH.sub(r"\g<0><wbr>", str(escape(text))))


@cache
def _macro(kind: type) -> Callable[..., Markup]:
    """The macro that draws a kind of section, out of the template that is named as its module."""
    template = _templates().get_template(f"{kind.__module__.rpartition('.')[2]}.html.j2")
    macro: Callable[..., Markup] = getattr(template.module, kind.__name__.lower())
    return macro


@lru_cache(_KEPT)
def _kept(macro: str, thing: object) -> Markup:
    """A piece of `parts.html.j2` that follows from what it shows alone, drawn once."""
    drawn: Markup = getattr(_templates().globals["part"], macro)(thing)
    return drawn
