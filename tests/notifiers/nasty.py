"""Names that are not easy: marks, other scripts, orders, words of felix's own, and names like others'."""

from __future__ import annotations

from typing import Final

NASTY: Final = [
    "O’Brien", "Anne–Marie", "Zoe\u0308", "Zo\u00eb", "ﬁona", "Ben Jr.", "you", "YOU",
    "felix", "the host", "Maximilian-Alexander von Hohenberg", "*Ben*", "_Ben_",
    "- Ben", "Ben, the cat", "Ben:", "Ben: Dora", "李雷", "Ｂｅｎ", "A" * 40, "-8",
    "Ben & Co", "“Benny”", "'Benny'", 'Ben "the cat" B', "Ben…", "ǅ", "İbrahim", "İİİ",
    "Straße", "Jo\u00a0Ann", "B.", "!", "...", "Ben!", "5", "JOIN", "STOP", "PASS",
    "Thanks", "END", "And Ben", "Dan > x, y", "Dan # x", "Dan (guest)", "Seat 2",
    "Seat 3", "Ben (seat 1)", "Anna (seat 2)", "Anna", "anna!", "Ben;Cara",
    "Dr. Ben/Smith", "Ben+Cara", "x²", "½ Ben", "a former player", "2007", "2007 rules",
    "no clock", "3 days a move", "table tennis", "Table", "me", "all", "me < you > us",
    "Cara\u0301\u0301\u0301",
]  # fmt: skip
"""What somebody may be called who sits beside Anna, Cara and Dan."""
