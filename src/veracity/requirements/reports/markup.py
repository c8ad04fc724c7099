"""HTML out of elements: whatever is not already markup is escaped, so that no text of a document can become markup."""

from __future__ import annotations

from html import escape


class Html(str):
    """Finished markup."""

    __slots__ = ()


def el(name: str, *children: str, **attributes: str | None) -> Html:
    """An element; plain texts in it are escaped. `class_` stands for `class`, None leaves an attribute out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{''.join(map(text, children))}</{name}>")


def text(given: str) -> Html:
    """A text as markup, with a mark for every character that no page may hold."""
    if isinstance(given, Html):
        return given
    if not given.isprintable():
        given = "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in given)
    return Html(escape(given, quote=True))
