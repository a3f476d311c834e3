"""What eyes get of an HTML mail: each text with its colours, in a light and in a dark mail program."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import Final, Literal

Scheme = Literal["light", "dark"]
_VOID: Final = frozenset({"meta", "br", "wbr", "img", "hr"})
_SILENT: Final = frozenset({"style", "title"})
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")


@dataclass(frozen=True)
class Colours:
    """A text's colour and the one behind it, as `#rrggbb`."""

    ink: str = "#000000"
    paper: str = "#ffffff"

    @property
    def contrast(self) -> float:
        """From 1 to 21 (WCAG 2, contrast ratio)."""
        light, dark = sorted((_luminance(self.ink), _luminance(self.paper)), reverse=True)
        return (light + 0.05) / (dark + 0.05)


@dataclass(frozen=True)
class Element:
    """An open tag: its name, its classes, and the colours inside of it."""

    tag: str
    classes: frozenset[str]
    colours: Colours
    hidden: bool = False


class Looks(HTMLParser):
    """A mail as it is seen: `texts` with their colours, `headings` in order, every attribute."""

    def __init__(self, html: str, scheme: Scheme) -> None:
        super().__init__()
        self.rules = dark_rules(html) if scheme == "dark" else []
        self.open = [Element("", frozenset(), Colours())]
        self.texts: list[tuple[str, Colours]] = []
        self.headings: list[int] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.hidden_words = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.attributes += [(tag, name, value) for name, value in values.items()]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag in _VOID:
            return
        around = self.open[-1]
        classes = frozenset(values.get("class", "").split())
        style = f"background:{values['bgcolor']};" if "bgcolor" in values else ""
        colours = _painted(around.colours, style + values.get("style", ""))
        element = Element(tag, classes, colours, around.hidden or values.get("aria-hidden") == "true")
        for selector, declarations in self.rules:
            if _fits(selector, element, self.open):
                element = replace(element, colours=_painted(element.colours, declarations, around.colours))
        self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        here = self.open[-1]
        if data.strip() and here.tag not in _SILENT:
            self.texts.append((data.strip(), here.colours))
            self.hidden_words += data.strip() if here.hidden else ""


def dark_rules(html: str) -> list[tuple[list[str], str]]:
    """What the mail's style sheet says for dark mail programs: selectors, as lists of steps, and colours."""
    sheet = html.partition("(prefers-color-scheme: dark) {")[2].partition("</style>")[0]
    found = [(names, text) for names, text in _RULE.findall(sheet)]
    return [(name.split(), text) for names, text in found for name in names.split(",")]


def _fits(selector: list[str], element: Element, around: list[Element]) -> bool:
    *outer, last = selector
    return _is(last, element) and all(any(_is(step, parent) for parent in around) for step in outer)


def _is(step: str, element: Element) -> bool:
    return step.removeprefix(".") in element.classes if step.startswith(".") else step == element.tag


def _painted(colours: Colours, style: str, behind: Colours | None = None) -> Colours:
    """The colours after a style; `behind` is what a transparent background lets through."""
    for declaration in style.replace("!important", "").split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "color" and value != "inherit":
            colours = replace(colours, ink=_hex(value))
        if name == "background" and value == "transparent":
            colours = replace(colours, paper=(behind or colours).paper)
        elif name == "background":
            colours = replace(colours, paper=_hex(value))
    return colours


def _hex(value: str) -> str:
    assert re.fullmatch("#[0-9a-f]{6}", value), f"not a colour that this can read: {value!r}"
    return value


def _luminance(colour: str) -> float:
    """How bright a colour is (WCAG 2, relative luminance)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
