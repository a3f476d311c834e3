"""What all tests have in common: a process that looks for rubbish less often than Python would."""

from __future__ import annotations

import gc


def pytest_configure() -> None:
    """Ten thousand tests are many objects; to go through them again and again took a tenth of the time."""
    gc.set_threshold(10_000, 20, 20)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody needs to look at it any more."""
    gc.freeze()
