"""`make gallery`: every kind of mail as HTML, as text and as pictures, and one page to look at them all.

    PYTHONPATH=tests python -m gallery OUTDIR

Pictures need Chromium; without it the folder holds the HTML and the text alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Final

from felix_notifiers.content.mail import Composed
from gallery.chromium import Scheme, chromium, find_chromium
from gallery.shown import mails

README_PICTURE: Final = Path(__file__).parents[2] / "docs" / "turn-mail.webp"
README_MAIL: Final = "4 players: bid"
WIDTHS: Final = (360, 1024)
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 24px; background: #777; color: #fff; }
a { color: #fff; } h2 { margin: 40px 0 8px; }
.row { display: flex; gap: 16px; align-items: flex-start; overflow-x: auto; padding-bottom: 12px; }
.row img { display: block; } .wide img { width: 680px; }
pre { font: 14px/1.35 monospace; background: #101214; color: #d6d6d6; padding: 12px; width: 72ch; flex: none;
  margin: 0; box-sizing: content-box; }
"""


def main() -> None:
    """Write the gallery into the folder that the command line names, and the README's picture."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m gallery OUTDIR")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    shown = mails()
    for name, composed in shown.items():
        (folder / f"{slug(name)}.html").write_text(composed.html, encoding="utf-8")
        (folder / f"{slug(name)}.txt").write_text(composed.text, encoding="utf-8")
    program = find_chromium()
    if program is None:
        print("There is no Chromium here, so the gallery has no pictures: install chromium for them.")
    else:
        take_pictures(folder, shown, program)
        with chromium(program) as browser:
            page = folder / f"{slug(README_MAIL)}.html"
            README_PICTURE.write_bytes(browser.picture(page, width=560, scheme="light", height=1030))
    index = folder / "index.html"
    index.write_text(contact_sheet(shown, pictures=program is not None), encoding="utf-8")
    print(f"{len(shown)} mails; look at {index}")


def take_pictures(folder: Path, names: Iterable[str], program: str) -> None:
    """Draw each mail at each width, light and dark."""
    with chromium(program) as browser:
        for name in names:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    page = folder / f"{slug(name)}.html"
                    picture = browser.picture(page, width=width, scheme=scheme)
                    (folder / picture_name(name, width, scheme)).write_bytes(picture)


def contact_sheet(shown: Mapping[str, Composed], *, pictures: bool) -> str:
    """The page with everything on it."""
    entries = "\n".join(_entry(name, composed, pictures=pictures) for name, composed in shown.items())
    contents = " · ".join(f'<a href="#{slug(name)}">{escape(name)}</a>' for name in shown)
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>All mails of felix</title>'
        f"<style>{_STYLE}</style>\n<h1>All mails of felix</h1>\n<p>{contents}</p>\n{entries}\n</html>\n"
    )


def _entry(name: str, composed: Composed, *, pictures: bool) -> str:
    file = slug(name)
    parts = [f"<pre>{escape(composed.text)}</pre>"]
    for width in WIDTHS if pictures else ():
        for scheme in SCHEMES:
            picture = picture_name(name, width, scheme)
            alt = f"{name}, {width} px, {scheme}"
            wide = ' class="wide"' if width > 680 else ""
            parts.append(
                f'<a{wide} href="{picture}"><img src="{picture}" loading="lazy" alt="{escape(alt)}"></a>'
            )
    size = f"{len(composed.html.encode()) / 1000:.1f} kB of HTML"
    return (
        f'<h2 id="{file}">{escape(name)}</h2>\n'
        f'<p>{escape(composed.subject)} · <a href="{file}.html">{size}</a></p>\n'
        f'<div class="row">{"".join(parts)}</div>'
    )


def slug(name: str) -> str:
    """The name as a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def picture_name(name: str, width: int, scheme: Scheme) -> str:
    """Where a picture is kept."""
    return f"{slug(name)}-{width}-{scheme}.png"


if __name__ == "__main__":
    main()
