"""Finds what cannot be seen in an HTML mail: struck out, without a size, out of the window, white on white.

Whoever writes a mail reads what they send; what cannot be seen there is not what they say. A style is looked
at as far as `MAX_STYLE` goes, declaration by declaration, and nothing in it is searched twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from dataclasses import dataclass, replace
from typing import Final

Colour = tuple[int, int, int, float] | str
"""Red, green, blue and opacity; or a name that is not known here, which equals itself alone."""
MAX_STYLE: Final = 1000
MAX_SHEET: Final = 20_000
"""Characters of a style sheet that are looked at."""
STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})

_LENGTH: Final = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}))([a-z%]{0,4})")
_FONT: Final = re.compile(r"^(?:(?:\d00|[a-z-]{1,20}) ){0,5}([\d.]+[a-z%]{0,4}).*", re.DOTALL)
"""The size in a `font`, before the height of a line and the name."""
_PIXELS: Final = {
    "": 1.0, "px": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "in": 96.0,
    "cm": 37.8, "mm": 3.78, "q": 0.94, "vw": 10.0, "vh": 10.0, "%": 3.0,
}  # fmt: skip
_RELATIVE: Final = frozenset({"em", "rem", "ex", "ch", "%"})
_SMALLEST: Final = 3.0
"""Pixels of the smallest letters that anybody reads."""
_NARROWEST: Final = 2.0
_OUTSIDE, _FARTHEST = -200.0, 900.0
"""Pixels to the left, or up, and to the other sides by which nobody moves words that are to be seen."""
_PALEST: Final = 0.1
_SAME: Final = 16
"""How far apart two colours are, of 255, that eyes cannot tell apart."""
_SHIFTS: Final = ("left", "top", "text-indent", "margin-left", "margin-top", "margin")
_GONE: Final = {
    "display": ("none",),
    "visibility": ("hidden", "collapse"),
    "content-visibility": ("hidden",),
    "mso-hide": ("all",),
}
_COLOUR: Final = re.compile(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([^()]{0,60}\)|[a-z]+")
_NUMBER: Final = re.compile(r"\d{1,9}(?:\.\d{0,9})?%?|\.\d{1,9}")
_NAMED: Final[Mapping[str, Colour]] = {
    "white": (255, 255, 255, 1.0), "snow": (255, 250, 250, 1.0), "ivory": (255, 255, 240, 1.0),
    "black": (0, 0, 0, 1.0), "transparent": (0, 0, 0, 0.0),
}  # fmt: skip
_KEPT: Final = frozenset({"inherit", "currentcolor", "unset", "initial", "revert", "none", "auto"})


@dataclass(frozen=True, slots=True)
class Paint:
    """How text is painted: its colour on which other, and whether its letters are too small."""

    colour: Colour = (0, 0, 0, 1.0)
    paper: Colour | None = (255, 255, 255, 1.0)
    tiny: bool = False

    @property
    def shows(self) -> bool:
        """Return True if text painted so can be seen; on a picture, it can."""
        if self.tiny or (isinstance(self.colour, tuple) and self.colour[3] < _PALEST):
            return False
        if isinstance(self.colour, str) or isinstance(self.paper, str) or self.paper is None:
            return self.colour != self.paper
        return any(abs(self.colour[part] - self.paper[part]) > _SAME for part in (0, 1, 2))


def declared(style: str) -> dict[str, str]:
    """The declarations of a style; of two of the same property the last counts."""
    pairs = (part.partition(":") for part in style[:MAX_STYLE].lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def is_unseen(style: Mapping[str, str], *, is_cell: bool = False) -> bool:
    """Return True if nothing in an element with these declarations is seen. A cell is as wide as its text.

    >>> is_unseen(declared("text-decoration: line-through")), is_unseen(declared("opacity: 0.5"))
    (True, False)
    """
    if any(style.get(name) in values for name, values in _GONE.items()):
        return True
    if "line-through" in f"{style.get('text-decoration')} {style.get('text-decoration-line')}":
        return True
    clearness = style.get("filter", "").partition("opacity")[2].lstrip("(=")
    if min(_number(style.get("opacity", ""), 1.0), _number(clearness, 1.0)) < _PALEST:
        return True
    if style.get("clip", "auto") != "auto" or style.get("clip-path", "none") != "none":
        return True
    sizes = ("height", "max-height", *(() if is_cell else ("width", "max-width")))
    if any(_pixels(style.get(name, "")) < _NARROWEST for name in sizes if style.get(name)):
        return True
    moved = style.get("transform", "")
    if "scale" in moved and _number(moved.partition("(")[2], 1.0) < _PALEST:
        return True
    shifts = ",".join([*(style.get(name, "") for name in _SHIFTS), moved.partition("(")[2]])
    return any(not _OUTSIDE < _pixels(shift, 0) < _FARTHEST for shift in re.split("[ ,]", shifts) if shift)


def painted(on: Paint, style: Mapping[str, str], colour: str = "", paper: str = "") -> Paint:
    """How text is painted in an element with these declarations, and the colours of its attributes."""
    paint = on
    for value in (paper, style.get("background", ""), style.get("background-color", "")):
        if "url(" in value or "gradient(" in value:
            paint = replace(paint, paper=None)
        else:
            new = _colour(value)
            paint = paint if new is None or _is_clear(new) else replace(paint, paper=new)
    for value in (colour, style.get("color", ""), style.get("-webkit-text-fill-color", "")):
        new = _colour(value)
        paint = paint if new is None else replace(paint, colour=new)
    value = style.get("font-size", _FONT.sub(r"\1", style.get("font", "")))
    size = _LENGTH.match(value)
    if size is None or size[2] not in _PIXELS:
        return replace(paint, tiny=False) if value else paint
    is_tiny = float(size[1]) * (0.16 if size[2] == "%" else _PIXELS[size[2]]) < _SMALLEST
    return replace(paint, tiny=is_tiny or (paint.tiny and size[2] in _RELATIVE))


def unseen_names(sheet: str) -> set[str]:
    """The elements, `.classes` and `#ids` that a style sheet hides, by the last name of each selector.

    Rules for some windows only (`@media`) hide nothing. Nor does a colour or a size that elements have
    within others only: their paper may be a dark one, their neighbours set in another size.
    """
    names: set[str] = set()
    around = 0
    for rule in sheet[:MAX_SHEET].lower().split("}"):
        around = max(around + rule.count("{") - 1, 0)
        selectors, _, style = rule.rpartition("{")
        if around or "@" in selectors:
            continue
        is_gone = is_unseen(declared(style))
        if not is_gone and painted(Paint(), declared(style)).shows:
            continue
        for selector in selectors.replace("<!--", "").split(","):
            *parents, last = selector.split() or [""]
            last = last.partition(":")[0]
            mark = max(last.rfind("."), last.rfind("#"), 0)
            if is_gone or mark or last[:1] in (".", "#") or not parents:
                names.add(last[mark:])
    return names - {"", "*"}


def _pixels(value: str, otherwise: float = 1e9) -> float:
    """About how many pixels a length is."""
    found = _LENGTH.match(value)
    return float(found[1]) * _PIXELS[found[2]] if found and found[2] in _PIXELS else otherwise


def _number(value: str, otherwise: float) -> float:
    found = _LENGTH.match(value)
    return otherwise if found is None else float(found[1]) / (100 if found[2] == "%" else 1)


def _is_clear(colour: Colour) -> bool:
    return isinstance(colour, tuple) and colour[3] < _PALEST


def _colour(value: str) -> Colour | None:
    """The first colour in a value, None if there is none, or it is that of what is around."""
    found = _COLOUR.search(value[:200])
    if found is None or found[0] in _KEPT:
        return None
    name = found[0]
    if name.startswith("#"):
        digits = name[1:]
        if len(digits) < 6:
            digits = "".join(2 * digit for digit in digits)
        red, green, blue, alpha = (int(digits[at : at + 2] or "ff", 16) for at in (0, 2, 4, 6))
        return (red, green, blue, alpha / 255)
    if name.startswith("hsl"):
        return _from_hue([_share(part) for part in _NUMBER.findall(name)[:4]])
    if "(" in name:
        parts = [_share(part) for part in _NUMBER.findall(name)[:4]]
        if len(parts) < 3:
            return None
        return (int(parts[0]), int(parts[1]), int(parts[2]), parts[3] if len(parts) > 3 else 1.0)
    return _NAMED.get(name, name)


def _from_hue(parts: Sequence[float]) -> Colour | None:
    """Red, green and blue of a hue, with a saturation and a lightness in parts of 255."""
    if len(parts) < 3:
        return None
    red, green, blue = hls_to_rgb(parts[0] / 360, min(parts[2] / 255, 1), min(parts[1] / 255, 1))
    return (round(red * 255), round(green * 255), round(blue * 255), parts[3] if len(parts) > 3 else 1.0)


def _share(part: str) -> float:
    return float(part[:-1]) * 2.55 if part.endswith("%") else float(part)
