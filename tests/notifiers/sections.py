"""What stands in a mail before it has a form."""

from __future__ import annotations

from typing import TypeVar

from felix_notifiers.content.mail import Mail

S = TypeVar("S")


def all_in(mail: Mail, kind: type[S]) -> list[S]:
    """The sections of this kind, those of all games of a digest."""
    return [section for section in mail.sections if isinstance(section, kind)]


def the(mail: Mail, kind: type[S]) -> S:
    """The section of this kind; ValueError if there is none, or another one."""
    (section,) = all_in(mail, kind)
    return section
