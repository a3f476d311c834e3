"""Outlook on Windows, which shows HTML as Word does: no mail leans on what that leaves out.

Word sets widths, heights and paddings in tables, cells, headings and lists alone, and knows no rounded
corners, no greatest width and no drawing; it makes an empty cell as high as a line of text. It cannot be run
here, so the words of the templates are held to what is known of it
(https://www.hteumeuleu.com/2020/outlook-rendering-engine/).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

from each import each
from gallery.shown import mails

BOXES = {"table", "td", "th", "h1", "h2", "h3", "ul", "li", "blockquote"}
"""Elements that Word gives a width, a height, a padding and each border of its own."""
TEXTS = {"a", "b", "bdi", "br", "p", "s", "span", "strong", "wbr"}
FRAME = {"html", "head", "meta", "title", "style", "body", "div", "tr"}
FIRST_FONT = "Segoe UI"
"""It comes with Windows; Word looks at no other font of a list."""
OF_TEXTS = {
    "background",
    "border",
    "border-top",
    "color",
    "font-family",
    "font-size",
    "font-weight",
    "line-height",
    "margin",
    "mso-hide",
    "text-align",
    "text-decoration",
    "white-space",
}
OF_BOXES = {
    "border-collapse",
    "border-style",
    "border-width",
    "height",
    "padding",
    "table-layout",
    "width",
}
LEFT_OUT = {
    "border-radius": "the corner is a square one",
    "display": "a link is as wide as its words",
    "max-height": "`mso-hide` hides what it is on",
    "max-width": "a table around the sheet is as wide",
    "min-height": "the cell around it has a height",
    "min-width": "a link is as wide as its words",
    "opacity": "`mso-hide` hides what it is on",
    "overflow": "a long name is broken, or makes its column wider",
    "padding": "the cell around it has a height",
    "text-overflow": "a long name is broken, or makes its column wider",
    "word-break": "a long name makes its column wider",
}
"""Properties that Word does not know at all, or not there, and how the mail is shown without."""

for_every_mail = each("name", mails)


@dataclass
class Elements(HTMLParser):
    """The elements of a mail in order: the tag, the attributes, and the style by property."""

    html: str
    found: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        said = (part.partition(":") for part in values.get("style", "").split(";") if part)
        self.found.append((tag, values, {name.strip(): value.strip() for name, _, value in said}))


@cache
def elements(name: str) -> list[tuple[str, dict[str, str], dict[str, str]]]:
    """Those of the mail of that name."""
    return Elements(mails()[name].html).found


@for_every_mail
def test_every_element_is_one_that_word_shows(name: str) -> None:
    assert {tag for tag, _, _ in elements(name)} <= BOXES | TEXTS | FRAME


@for_every_mail
def test_every_property_is_known_to_word_or_known_to_be_left_out(name: str) -> None:
    for tag, _, style in elements(name):
        known = OF_TEXTS | OF_BOXES if tag in BOXES else OF_TEXTS
        assert set(style) - known <= set(LEFT_OUT)


@for_every_mail
def test_the_first_font_is_one_of_windows(name: str) -> None:
    """Else Word takes one with serifs."""
    fonts = [style["font-family"] for _, _, style in elements(name) if "font-family" in style]
    assert {font.partition(",")[0] for font in fonts} == {FIRST_FONT}


@for_every_mail
def test_only_tables_put_things_side_by_side_and_hold_a_width(name: str) -> None:
    for tag, _, style in elements(name):
        assert style.get("display", "none") in {"none", "block", "inline-block"}
        assert tag in {"a", "span"} or style.get("display", "none") == "none"
        assert "max-width" not in style or tag == "table" or style.get("display") == "none"


@for_every_mail
def test_what_is_hidden_is_hidden_from_word(name: str) -> None:
    """A drawing is so, too: its cells are empty, so that each would be as high as a line."""
    for _, attributes, style in elements(name):
        if style.get("display") == "none" or "aria-hidden" in attributes:
            assert style["mso-hide"] == "all"


@for_every_mail
def test_the_sheet_is_as_wide_in_word_as_elsewhere(name: str) -> None:
    html = mails()[name].html
    opened, closed = re.findall(r"<!--\[if mso\]>(.*?)<!\[endif\]-->", html)
    (around,) = [attrs["width"] for tag, attrs, _ in Elements(opened).found if tag == "table"]
    inside = html.partition(f"{opened}<![endif]-->")[2]
    sheet = next(style for tag, _, style in Elements(inside).found if tag == "table")
    assert sheet["max-width"] == f"{around}px"
    assert closed == "</td></tr></table>"
    assert opened.count("<") == closed.count("</")


@for_every_mail
def test_a_button_is_as_high_in_word_as_elsewhere(name: str) -> None:
    framed = [attrs for _, attrs, _ in elements(name) if "fx-other" in attrs.get("class", "").split()]
    assert [attrs["height"] for attrs in framed] == ["44"] * len(framed)


@each("named", sorted(OF_TEXTS | OF_BOXES | set(LEFT_OUT)))
def test_every_property_that_is_told_of_is_in_some_mail(named: str) -> None:
    styles = [style for name in mails() for _, _, style in elements(name)]
    assert any(named in style for style in styles)
