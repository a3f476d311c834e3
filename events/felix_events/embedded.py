"""An export inside a web page, between markers, and out of it again to the byte.

    <script type="application/felix-export" id="felix-export">
    {"felix":2,…
    …
    </script>

A browser runs nothing of that type, and shows nothing of it. In the block `%` stands as `%25` and `<` as
`%3C`, and all else as it is: so whatever strangers have called themselves, the block ends at the next `<`.

>>> embedded_in(b"<p>A page</p>" + embed(b"100 %, <i>") + b"<p>Its end</p>")
b'100 %, <i>'
"""

from __future__ import annotations

import re
from typing import Final

from felix_events.export import NotAnExport

_OPENING: Final = b'<script type="application/felix-export" id="felix-export">\n'
"""No line of an export holds this: JSON has no quotation marks without a backslash like these."""
_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
_ANY_OPENING: Final = re.compile(rb"(?i)<script\b[^<]*felix-export")
_CLOSING: Final = b"</script>"
_ESCAPED: Final = {b"%25": b"%", b"%3C": b"<"}


def embed(export: bytes) -> bytes:
    """The block of a page that holds an export."""
    return _OPENING + export.replace(b"%", b"%25").replace(b"<", b"%3C") + _CLOSING


def embedded_in(page: bytes) -> bytes | None:
    """The export in a page, or what is left of it if the page was cut off; None if it has no such block."""
    _, found, rest = page.partition(_OPENING)
    if not found:
        return None
    inner, ends, after = rest.partition(b"<")
    if ends and not (ends + after).startswith(_CLOSING):
        # A browser reads on here: nothing that is left out may pass for an export.
        inner = rest.partition(_CLOSING)[0]
    return re.sub(rb"%(?:25|3C)", lambda match: _ESCAPED[match[0]], inner)


def export_in(data: bytes) -> bytes:
    """The export in a file: in the page that it is, or the file itself.

    A page whose line ends changed on its way is what it was, as a browser reads it: no export holds a CR.
    NotAnExport if a page has none, or two, however spelt: nobody knows which of them a browser shows.
    """
    if not _PAGE.match(data):
        return data
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if len(_ANY_OPENING.findall(data)) > 1:
        raise NotAnExport("there is more than one felix export in this page")
    found = embedded_in(data)
    if found is None:
        raise NotAnExport("there is no felix export in this page")
    return found
