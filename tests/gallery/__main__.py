"""`make gallery`: every kind of mail as HTML, as text and as pictures, and one page to look at them all.

    PYTHONPATH=tests python -m gallery OUTDIR
    PYTHONPATH=tests python -m gallery --readme

Pictures need Chromium; without it the folder holds the HTML and the text alone.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final

from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from felix_notifiers.content.mail import Composed
from gallery.chromium import chromium, find_chromium
from gallery.seen import MANNERS, Manner, as_shown, scheme_of
from gallery.shown import mails
from golden.examples import EXAMPLES

README_PICTURE: Final = Path(__file__).parents[2] / "docs" / "turn-mail.webp"
README_MAIL: Final = "4 players: bid"
README_REPLAY: Final = README_PICTURE.with_name("replay.webp")
_SEATS, _SALE = 4, 4
"""Of which example, and after which of its sales, counted from 0."""
_GAP: Final = 20
_SCREENS: Final = {360: 835, 900: 835}
"""The widths and heights of the screens on which the README shows a replay."""
_SCREENS_STYLE: Final = f"""
body {{ margin: 0; padding: {_GAP}px; display: flex; gap: {_GAP}px; background: #d8d4cb; }}
iframe {{ border: 0; border-radius: 14px; flex: none; }}
"""
_README_ALONE: Final = "--readme"
WIDTHS: Final = (360, 1024)
_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 24px; background: #777; color: #fff; }
a { color: #fff; } h2 { margin: 40px 0 8px; }
.row { display: flex; gap: 16px; align-items: flex-start; overflow-x: auto; padding-bottom: 12px; }
.row img { display: block; } .wide img { width: 680px; }
pre { font: 14px/1.35 monospace; background: #101214; color: #d6d6d6; padding: 12px; width: 72ch; flex: none;
  margin: 0; box-sizing: content-box; }
"""


def main() -> None:
    """Write the gallery into the folder that is named, and the picture of the README, or that alone."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: python -m gallery OUTDIR, or {_README_ALONE}")
    if sys.argv[1] == _README_ALONE:
        draw_for_readme()
        return
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
        take_pictures(folder, {name: composed.html for name, composed in shown.items()}, program)
        draw_for_readme()
    index = folder / "index.html"
    index.write_text(contact_sheet(shown, pictures=program is not None), encoding="utf-8")
    print(f"{len(shown)} mails; look at {index}")


def draw_for_readme() -> None:
    """Draw the mail and the replay that the README shows. SystemExit without Chromium."""
    program = find_chromium()
    if program is None:
        sys.exit("There is no Chromium here: install chromium.")
    with tempfile.TemporaryDirectory() as folder, chromium(program) as browser:
        page = Path(folder) / "page.html"
        page.write_text(mails()[README_MAIL].html, encoding="utf-8")
        README_PICTURE.write_bytes(browser.picture(page, width=560, scheme="light", webp=80))
        width = sum(_SCREENS) + _GAP * (len(_SCREENS) + 1)
        page.write_text(on_screens(replay_for_readme()), encoding="utf-8")
        README_REPLAY.write_bytes(browser.picture(page, width=width, scheme="light", webp=36))


def replay_for_readme() -> str:
    """The address of a replay, right after a sack was sold."""
    example = next(one for one in EXAMPLES if one.seats == _SEATS)
    envelopes = check_envelopes(read_export(example.log.read_bytes()).bodies)
    sales = [envelope.version for envelope in envelopes if envelope.type == "sack_sold"]
    return f"{example.page.as_uri()}#v{sales[_SALE]}"


def on_screens(address: str) -> str:
    """Return a page that shows another one on screens of several sizes, side by side."""
    frames = "".join(
        f'<iframe src="{escape(address)}" width="{width}" height="{height}"></iframe>'
        for width, height in _SCREENS.items()
    )
    return f"<!doctype html>\n<style>{_SCREENS_STYLE}</style>{frames}\n"


def take_pictures(folder: Path, shown: Mapping[str, str], program: str) -> None:
    """Draw each mail, its HTML by its name, at each width and in each manner."""
    page = folder / "page.html"
    with chromium(program) as browser:
        for name, html in shown.items():
            for manner in MANNERS:
                page.write_text(as_shown(html, manner), encoding="utf-8")
                for width in WIDTHS:
                    scheme, has_styles = scheme_of(manner), manner != "stripped"
                    picture = browser.picture(page, width=width, scheme=scheme, has_styles=has_styles)
                    (folder / picture_name(name, width, manner)).write_bytes(picture)
    page.unlink()


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
        for manner in MANNERS:
            picture = picture_name(name, width, manner)
            alt = f"{name}, {width} px, {manner}"
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


def picture_name(name: str, width: int, manner: Manner) -> str:
    """Where a picture is kept."""
    return f"{slug(name)}-{width}-{manner}.png"


if __name__ == "__main__":
    main()
