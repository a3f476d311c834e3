"""The orders: one registry, and a handler for each."""
