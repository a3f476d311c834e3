"""From the HTML of a message to lines: what is a quote or a signature there is known by its elements.

Blocks and `<br>` end a line, cells stand side by side, no-break spaces are blanks. What nobody sees (styles,
scripts, and whatever `unseen` knows) says nothing, nor does what is struck out. Mail programs name their
quotes: `blockquote`, ids and classes with "quote" in them, Outlook's header below a grey line, behind which
everything is the older mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from felix_async.reading.budget import go_on
from felix_async.reading.line import MAX_LINES, Line, Place
from felix_async.reading.unseen import (
    MAX_SHEET,
    STRUCK_TAGS,
    Paint,
    declared,
    is_unseen,
    painted,
    unseen_names,
)

MAX_HTML: Final = 100_000
"""How many characters of a mail are parsed; the attributes of an element take the square of their number."""
MAX_TAGS: Final = 10_000
"""How many tags of a mail are parsed; ever deeper ones take the parser ever longer."""
MAX_ATTRIBUTE: Final = 1000
"""How many characters of an attribute are looked at; mail programs write some hundred."""
MAX_LOOK: Final = 30
"""How many nodes are looked at for the word of a header, and how much of each."""

_UNSEEN_TAGS: Final = frozenset(
    {"style", "script", "title", "template", "noscript", "object", "svg", "math", "select", "textarea"}
    | {"button", "iframe", "audio", "video", "canvas", "map", "datalist", "dialog", "noembed", "noframes"}
    | STRUCK_TAGS
)
_PARAGRAPHS: Final = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "blockquote", "pre", "hr"}
)
_BLOCKS: Final = _PARAGRAPHS | frozenset(
    {"html", "body", "div", "li", "dt", "dd", "tr", "tbody", "thead", "tfoot", "caption", "section"}
    | {"article", "header", "footer", "main", "aside", "nav", "address", "center", "form", "fieldset"}
    | {"figure", "figcaption", "details", "summary"}
)
_PRE: Final = frozenset(["pre", "listing", "xmp", "plaintext"])
_QUOTE_NAMES: Final = re.compile(
    r"quote|quotation|citation|moz-cite-prefix|moz-forward-container|gmail_attr|gmail_extra|hmmessage_old|"
    r"zmail_extra|reference-message|olk_src_body_section"
)
_SIGNATURE_NAMES: Final = re.compile(r"signature")
_PREVIEW_NAMES: Final = re.compile(r"fx-preview")
"""The first line of a message of ours, which is not to be seen in it; mail programs put more in front."""
_END_NAMES: Final = re.compile(
    r"divrplyfwdmsg|appendonsend|stopspelling|outlookmessageheader|mail-editor-reference-message"
)
"""Behind an element with such a name, the older mail begins, outside of any quote."""
_BLANKS: Final = re.compile(r"[\s\u00a0]+")
_RULE: Final = "_" * 32
_HEADER: Final = re.compile(r"[^\d:<>@]{1,28}[:\uff1a]\s*\S")


def bounded_pages(pages: Iterable[str]) -> Iterator[str]:
    """The HTML texts of a mail, together no longer than what is parsed of one."""
    chars, tags = MAX_HTML, MAX_TAGS
    for page in pages:
        html = page[:chars]
        end = next((tag.start() for tag in islice(re.finditer("<", html), tags, None)), None)
        html = html[:end]
        chars, tags = chars - len(html), tags - html.count("<")
        yield html


def hypertext_lines(html: str) -> list[Line]:
    """The lines of an HTML text; those that their elements tell to be somebody else's say so.

    Behind as many as are looked at there may be more, but not all.
    """
    root = LexborHTMLParser(next(bounded_pages([html]))).root
    page = _Page()
    if root is not None:
        _walk(root, page)
    page.end_line()
    return page.lines


class _Open(NamedTuple):
    """An element that has begun: the place and the paint of what stood before it, and whether it begins the
    older mail.
    """

    place: Place
    older: bool
    paint: Paint


class _Page:
    """The lines so far, and the one that is being written."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.words: list[str] = []
        self.place: Place = "written"
        self.paint = Paint()
        self.older_begun = False
        self.unseen_names: set[str] = set()

    def end_line(self) -> None:
        """Put what was written into a line of its own."""
        text = "".join(self.words)
        self.words.clear()
        if text.strip():
            self.lines.append(Line(text.strip(), self.place))

    def break_line(self) -> None:
        """A `<br>`: it ends a line, and an empty one too."""
        if "".join(self.words).strip():
            self.end_line()
        else:
            self.blank()

    def blank(self) -> None:
        """An empty line, once."""
        self.end_line()
        if self.lines and self.lines[-1].text:
            self.lines.append(Line("", self.place))


def _walk(root: LexborNode, page: _Page) -> None:
    """All nodes in their order, without recursion: a mail may be as deep as it likes."""
    open_elements: list[_Open] = []
    pre = 0
    node: LexborNode | None = root
    entering = True
    while node is not None and len(page.lines) < MAX_LINES:
        if entering:
            go_on()
            if node.is_text_node:
                if page.paint.shows:
                    _write(page, node.text_content or "", bool(pre))
            elif node.is_element_node and not _is_unseen(node, page):
                open_elements.append(_enter(node, page))
                pre += node.tag in _PRE
                child = node.first_child
                if child is not None:
                    node = child
                    continue
                pre -= _leave(node, page, open_elements)
        if node.mem_id == root.mem_id:
            return
        sibling = node.next
        if sibling is not None:
            node, entering = sibling, True
            continue
        node, entering = node.parent, False
        if node is not None:
            pre -= _leave(node, page, open_elements)


def _enter(node: LexborNode, page: _Page) -> _Open:
    """Begin an element; what it changes, to be undone where it ends."""
    tag = node.tag or ""
    older = page.place != "quoted" and _begins_older_mail(node)
    place = "quoted" if older else _place_of(node)
    before = _Open(page.place, older, page.paint)
    if node.attributes:
        style = declared(_attribute(node, "style"))
        colour = _attribute(node, "text" if tag == "body" else "color")
        page.paint = painted(page.paint, style, colour, _attribute(node, "bgcolor"))
    if place is not None or tag in _BLOCKS:
        page.end_line()
    if place is not None and page.place != "quoted":
        page.place = place
    if tag in _PARAGRAPHS:
        page.blank()
    if tag == "hr":
        page.lines.append(Line(_RULE, page.place))
    elif tag == "br":
        page.break_line()
    elif tag in ("td", "th"):
        page.words.append(" ")
    return before


def _leave(node: LexborNode, page: _Page, open_elements: list[_Open]) -> bool:
    """End an element; whether its blanks counted."""
    tag = node.tag or ""
    before = open_elements.pop()
    if tag in _BLOCKS or before.place != page.place:
        page.end_line()
    if tag in _PARAGRAPHS:
        page.blank()
    # Everything behind the older mail's beginning is the older mail too, wherever that element ends.
    page.older_begun = page.older_begun or before.older
    page.place = "quoted" if page.older_begun else before.place
    page.paint = before.paint
    return tag in _PRE


def _write(page: _Page, text: str, pre: bool) -> None:
    if not pre:
        text = _BLANKS.sub(" ", text)
        if page.words or text != " ":
            page.words.append(text)
        return
    first, *more = text.replace("\r\n", "\n").split("\n")
    page.words.append(first)
    for line in more:
        page.break_line()
        page.words.append(line)


def _names(node: LexborNode) -> Iterator[str]:
    for key in ("id", "class", "name", "data-marker"):
        value = _attribute(node, key)
        if value:
            yield value


def _style(node: LexborNode) -> str:
    return _BLANKS.sub("", _attribute(node, "style"))


def _attribute(node: LexborNode, key: str) -> str:
    """The beginning of an attribute in small letters, '' if there is none; nothing else looks at one."""
    return (node.attributes.get(key) or "")[:MAX_ATTRIBUTE].lower()


def _place_of(node: LexborNode) -> Place | None:
    if node.tag == "blockquote":
        return "quoted"
    for name in _names(node):
        if _QUOTE_NAMES.search(name):
            return "quoted"
        if _SIGNATURE_NAMES.search(name):
            return "signature"
        if _PREVIEW_NAMES.search(name):
            return "preview"
    return None


def _begins_older_mail(node: LexborNode) -> bool:
    """Outlook's way to begin the mail that is answered, in the browser, on the phone, on the desk."""
    if any(_END_NAMES.search(name) for name in _names(node)):
        return True
    style = _style(node) if node.tag == "div" else ""
    # A grey line: `border-top:solid #b5c4df 1.0pt`.
    if "solid" not in style.partition("border-top")[2]:
        return False
    return bool(_HEADER.match("".join(_first_words(node)).strip()))


def _first_words(node: LexborNode) -> Iterator[str]:
    for inner in islice(node.traverse(include_text=True), MAX_LOOK):
        if inner.is_text_node:
            yield (inner.text_content or "")[:MAX_LOOK]


def _is_unseen(node: LexborNode, page: _Page) -> bool:
    tag = node.tag or ""
    if tag in _UNSEEN_TAGS:
        if tag == "style":
            sheet = node.first_child
            page.unseen_names |= unseen_names((sheet.text_content or "")[:MAX_SHEET] if sheet else "")
        return True
    if page.unseen_names and not page.unseen_names.isdisjoint(_selected(node)):
        return True
    if not node.attributes:
        return False
    if "hidden" in node.attributes or _attribute(node, "aria-hidden") == "true":
        return True
    return is_unseen(declared(_attribute(node, "style")), is_cell=tag in ("td", "th"))


def _selected(node: LexborNode) -> Iterator[str]:
    """The names by which a style sheet may select an element."""
    yield node.tag or ""
    yield f"#{_attribute(node, 'id')}"
    yield from (f".{name}" for name in _attribute(node, "class").split())
