"""What all tests have in common: chance from a seed, and a process that looks for rubbish less often."""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("felix", derandomize=True, deadline=None)


def pytest_configure() -> None:
    """Ten thousand tests are many objects; to go through them again and again took a tenth of the time."""
    settings.load_profile("felix")
    gc.set_threshold(10_000, 20, 20)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody needs to look at it any more."""
    gc.freeze()
