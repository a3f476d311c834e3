"""Felix and its yardsticks, measured side by side: `python -m bench` (see `docs/performance.md`)."""
