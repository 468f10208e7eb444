# SPDX-License-Identifier: GPL-2.0-only
"""Texts of strangers."""


def printable(text):
    """Without what a terminal would obey, and in one line."""
    return text if text.isprintable() else "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
