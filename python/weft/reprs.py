"""What a File and a Field show of themselves: as text, and as HTML in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.field import Cost, Field
    from weft.reading import File

Rows = list[tuple[str, str]]


def bytes_text(count: float) -> str:
    """1536 -> "1.5 KiB"."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    return f"{count:.1f} TiB"


def cost_text(cost: Cost) -> str:
    requests = f"{cost.requests} request{'' if cost.requests == 1 else 's'}"
    return f"{requests}, {bytes_text(cost.bytes)}, {cost.seconds * 1e3:.3g} ms predicted"


def shape_text(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) if shape else "one value"


def field_rows(field: Field) -> Rows:
    rows = [
        ("shape", f"{shape_text(field.shape)} {field.dtype}, {bytes_text(field.nbytes)}"),
        ("chunks", shape_text(field.chunks) + (f", {field.filters}" if field.filters else "")),
        ("units", field.units or "none"),
    ]
    if field.size:
        rows += [("trace", cost_text(field.cost("trace"))), ("snapshot", cost_text(field.cost("snapshot")))]
    return rows


def file_rows(file: File) -> Rows:
    what = "written by Weft" if file.is_weft else "not written by Weft"
    return [
        ("file", f"{file.path}, {what}"),
        ("steps", f"{file.committed} committed of {file.steps}, times in {file.time_units or 'no units'}"),
    ]


def field_text(field: Field) -> str:
    if field.file.closed:
        return f"<weft.Field {field.name!r} of a closed file>"
    return f"<weft.Field {field.name!r}>\n" + _lines(field_rows(field))


def file_text(file: File) -> str:
    if file.closed:
        return f"<weft.File {file.path!r}, closed>"
    fields = [
        (field.name, f"{shape_text(field.shape)} {field.dtype} {field.units}".rstrip()) for field in file.values()
    ]
    return "<weft.File>\n" + _lines(file_rows(file) + fields)


def field_html(field: Field) -> str:
    if field.file.closed:
        return _preformatted(field_text(field))
    return f"<strong>{html.escape(field.name)}</strong>{_table(field_rows(field))}"


def file_html(file: File) -> str:
    if file.closed:
        return _preformatted(file_text(file))
    return _table(file_rows(file)) + "".join(
        f"<details><summary>{html.escape(field.name)}</summary>{_table(field_rows(field))}</details>"
        for field in file.values()
    )


def _lines(rows: Rows) -> str:
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in rows)


def _table(rows: Rows) -> str:
    cells = (f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    return f"<table>{''.join(cells)}</table>"


def _preformatted(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"
