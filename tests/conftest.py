"""What all tests have in common: chance from a seed, and a process that looks for rubbish less often."""

from __future__ import annotations

import gc

from hypothesis import HealthCheck, settings

settings.register_profile(
    "felix", derandomize=True, deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("many", settings.get_profile("felix"), max_examples=300)
settings.load_profile("felix")


def pytest_configure() -> None:
    """Ten thousand tests are many objects; to go through them again and again took a tenth of the time."""
    gc.set_threshold(10_000, 20, 20)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody needs to look at it any more."""
    gc.freeze()
