"""What was erased from the rows of a SQLite file may still stand between them: it is wiped, page by page.

With `secure_delete` SQLite overwrites what it deletes. But as pages are split, rows move to other pages, and
their bytes stay behind on the old one, between its cell pointers and its cells, where nobody reads
(https://www.sqlite.org/fileformat.html, 1.6). VACUUM would write the whole file anew, and nobody could write
meanwhile. So that space is overwritten with zeros where it lies. Whoever calls this holds the lock for
writing and has an empty write-ahead log: then the file alone is the database, and nobody changes it.
"""

from __future__ import annotations

import os
from typing import Final

_B_TREES: Final = {0x02: 12, 0x05: 12, 0x0A: 8, 0x0D: 8}
"""The kinds of pages with cells, and how long their headers are."""
_PENDING_BYTE: Final = 1 << 30
_MOST_PAGES: Final = 1 << 24
"""Up to so many, no page of another kind begins like one with cells."""


def scrub_pages(file: int, first: int, count: int, page_size: int, pages: int) -> None:
    """Wipe the unused space of so many pages, of all that there are in this file."""
    if pages >= _MOST_PAGES:
        raise OSError("the database is too large to be wiped")
    for number in range(first, min(first + count, pages + 1)):
        start = (number - 1) * page_size
        page = os.pread(file, page_size, start)
        unused = unused_in(page, number)
        if any(page[unused]):
            os.pwrite(file, bytes(unused.stop - unused.start), start + unused.start)


def unused_in(page: bytes, number: int) -> slice:
    """The space between cell pointers and cells; none where it is not surely such a page."""
    none, size = slice(0, 0), len(page)
    header = 100 if number == 1 else 0
    if _is_no_tree(number, size) or size < 512 or page[header] not in _B_TREES:
        return none
    cells = int.from_bytes(page[header + 3 : header + 5])
    content = int.from_bytes(page[header + 5 : header + 7]) or 65536
    end = header + _B_TREES[page[header]] + 2 * cells
    pointers = [int.from_bytes(page[at : at + 2]) for at in range(end - 2 * cells, end, 2)]
    if not end <= content <= size or any(not content <= pointer < size for pointer in pointers):
        return none
    return slice(end, content)


def _is_no_tree(number: int, page_size: int) -> bool:
    """Whether this page is one of the pointer map, or the one that SQLite locks (1.8 and 1.3 there)."""
    pending = _PENDING_BYTE // page_size + 1
    return number > 1 and ((number - 2) % (page_size // 5 + 1) == 0 or number in (pending, pending + 1))
