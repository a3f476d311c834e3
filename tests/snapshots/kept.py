"""Keep snapshots in files: what readers read as text, all else packed; and say how two of them differ."""

from __future__ import annotations

import io
import tarfile
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Final

from snapshots.taken import Files

FOLDER: Final = Path(__file__).parent / "kept"
_PACKED: Final = "packed.tar.xz"
_MOST: Final = 8
"""Files that a difference tells of."""
_LINES: Final = 24
"""Lines of one file that a difference shows."""


def keep(part: str, files: Files) -> None:
    """Write the snapshot of a part; what was kept before is gone."""
    folder = FOLDER / part
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    packed = {name: data for name, data in files.items() if not name.endswith(".txt")}
    for name in files.keys() - packed.keys():
        (folder / name).write_bytes(files[name])
    if packed:
        with tarfile.open(folder / _PACKED, "w:xz") as archive:
            for name, data in sorted(packed.items()):
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


def kept(part: str) -> Files:
    """The snapshot of a part."""
    files: Files = {}
    for file in (FOLDER / part).iterdir():
        if file.name != _PACKED:
            files[file.name] = file.read_bytes()
            continue
        with tarfile.open(file) as archive:
            for member in archive:
                data = archive.extractfile(member)
                assert data is not None
                files[member.name] = data.read()
    return files


def difference(before: Files, after: Files) -> str:
    """How two snapshots differ, readable files first; '' if they do not."""
    names = sorted(before.keys() | after.keys(), key=lambda name: (not name.endswith(".txt"), name))
    changed = [name for name in names if before.get(name) != after.get(name)]
    told = [_told(name, before.get(name), after.get(name)) for name in changed[:_MOST]]
    if len(changed) > _MOST:
        told.append(f"and {len(changed) - _MOST} more: {', '.join(changed[_MOST:])}")
    return "\n".join(told)


def _told(name: str, before: bytes | None, after: bytes | None) -> str:
    if before is None or after is None:
        return f"{name}: {'is new' if before is None else 'is missing'}"
    lines = unified_diff(_lines(before), _lines(after), "kept", "now", lineterm="", n=1)
    return "\n".join([f"{name}:", *(f"  {line}" for line in islice(lines, _LINES))])


def _lines(data: bytes) -> list[str]:
    """The lines of a file, broken at the tags where it is HTML."""
    return data.decode("utf-8", "backslashreplace").replace("><", ">\n<").splitlines()
