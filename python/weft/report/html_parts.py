"""What the pages and texts of all reports are made of: pictures, lists, and a document that needs nothing beside it. Pure."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass

from weft.report.tables import Table

CSS = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1c1c1c; background: #fff; max-width: 60rem; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin-bottom: .3rem; }
h2 { font-size: 1.15rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; padding-bottom: .2rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
p.answer { font-size: 1.12rem; background: #eef4f8; border-left: 4px solid #0072B2; padding: .7rem 1rem; }
p.quiet, figcaption { color: #555; font-size: .92rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; margin: .6rem 0 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .65rem; border-bottom: 1px solid #e3e3e3; vertical-align: top; }
th { text-align: left; border-bottom: 2px solid #bbb; font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; }
code { background: #f2f2f2; padding: .05rem .3rem; border-radius: 3px; font-size: .9em; }
"""


@dataclass(frozen=True)
class Picture:
    name: str  # of its files, without .png and .svg
    caption: str
    png: bytes
    svg: bytes


def list_section(heading: str, lines: Sequence[str]) -> list[str]:
    """Of Markdown; nothing where there are no lines."""
    return [heading, "\n".join(f"- {line}" for line in lines)] if lines else []


def text(words: str) -> str:
    pieces = html.escape(words).split("`")
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def wide(table: Table) -> str:
    """A table that is scrolled by itself where it does not fit."""
    title = f"<h3>{html.escape(table.title)}</h3>\n" if table.title else ""
    return f'{title}<div class="wide">{table.html()}</div>'


def items(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def shown(picture: Picture) -> str:
    data = base64.b64encode(picture.png).decode()
    return (
        f'<figure><img alt="{html.escape(picture.caption)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{text(picture.caption)}</figcaption></figure>"
    )


def document(title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        f'content="width=device-width">\n<title>{html.escape(title)}</title>\n<style>{CSS}</style>\n</head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )
