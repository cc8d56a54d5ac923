"""Sizes, times and numbers as people write and read them: the same words as the `weft` command's. Pure."""

from __future__ import annotations

import math
import re

BYTE_UNITS = {"": 1, "B": 1, "k": 2**10, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40,
              "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
              "kiB": 2**10, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}  # fmt: skip
SECOND_UNITS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
LONGEST = 366 * 86400.0  # seconds that anybody waits; the system's clocks end some way behind


def split_quantity(text: str) -> tuple[float, str] | None:
    """The number and the unit behind it: "1.5 GB" -> (1.5, "GB")."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*", text)
    return (float(match[1]), match[2]) if match else None


def parse_bytes(text: str) -> int:
    """Raises ValueError, as do its neighbours; the line is what a user should read."""
    split = split_quantity(text)
    if split is None or split[1] not in BYTE_UNITS:
        raise ValueError(f"size '{text}' is not a number of bytes; write it as in 1MiB, 256kB or 4096")
    size = split[0] * BYTE_UNITS[split[1]]
    if size >= 2**63:
        raise ValueError(f"size '{text}' is more than any file has")
    return round(size)


def parse_seconds(text: str) -> float:
    split = split_quantity(text)
    if split is None or split[1] not in SECOND_UNITS:
        raise ValueError(f"time '{text}' is not a duration; write it as in 500ms, 2s, 10min or 1h")
    seconds = split[0] * SECOND_UNITS[split[1]]
    if seconds > LONGEST:
        raise ValueError(f"time '{text}' is longer than a year")
    return seconds


def format_bytes(count: float) -> str:
    """1048544 -> "1.0 MiB"."""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if count < 1023.95 or unit == "TiB":
            break
        count /= 1024
    return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"


def format_duration(seconds: float) -> str:
    """As one says how long something will take: 4000 -> "1 h 7 min", 75 -> "1 min 15 s", 0.31 -> "0.3 s"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours} h {rest} min" if rest else f"{hours} h"


def format_number(value: float) -> str:
    """Three digits that mean something, no exponent where one can do without: 1234.5 -> "1,234", 0.01234 -> "0.0123"."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude < -6 or magnitude > 15:
        return f"{value:.2e}"
    digits = max(0, 2 - magnitude)
    text = f"{value:,.{digits}f}"
    # 9.999 is 10.00 with three digits behind the point of 9.99: one too many.
    if digits > 0 and math.floor(math.log10(abs(float(text.replace(",", ""))))) > magnitude:
        text = f"{value:,.{digits - 1}f}"
    return text
