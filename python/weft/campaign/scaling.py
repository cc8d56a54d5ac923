"""Sizes that follow the machine: a campaign's file has those of the paper, and one number makes them smaller. Pure.

nodes = { full = 3253316, least = 1000 }                 scale 0.01: 32533
grid = { full = "10125x5000x1060", by = "cube" }         scale 0.001: 1013x500x106
collect = { full = "768MiB" }                            scale 0.01: 8053064
ccross = { full = 9, by = "log4", least = 2 }            scale 0.01: 6, as there are 4^ccross files
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from weft.campaign.model import Setting
from weft.quantities import BYTE_UNITS, parse_bytes, split_quantity

LIMITS = ("least", "most", "multiple")
KEYS = {"full", "by", *LIMITS}
MOST_SCALE = 1e6  # of what papers had
RULES: dict[str, Callable[[float, float], float]] = {
    "linear": lambda full, scale: full * scale,
    "square": lambda full, scale: full * scale ** (1 / 2),  # two of such a size make the whole
    "cube": lambda full, scale: full * scale ** (1 / 3),
    "log2": lambda full, scale: full + math.log2(scale),
    "log4": lambda full, scale: full + math.log(scale, 4),
}


def is_scaled(value: Any) -> bool:
    return isinstance(value, dict) and "full" in value


def scaled(value: dict[str, Any], scale: float) -> Setting:
    """Raises ValueError for what cannot be scaled."""
    unknown = sorted(set(value) - KEYS)
    if unknown:
        raise ValueError(f"unknown key '{unknown[0]}'; a size that is scaled has {', '.join(sorted(KEYS))}")
    full = value["full"]
    rule = value.get("by", "linear")
    if rule not in RULES:
        raise ValueError(f"by = {rule!r} is not known; there is {', '.join(RULES)}")
    limits = {key: _limit(key, value[key]) for key in LIMITS if key in value}
    try:
        if isinstance(full, (int, float)) and not isinstance(full, bool):
            if full <= 0:
                raise ValueError(f"full = {full!r} is not above 0")
            return _one(full, limits, rule, scale)
        if isinstance(full, str) and re.fullmatch(r"\d+(x\d+)+", full):
            return "x".join(str(_one(int(part), limits, rule, scale)) for part in full.split("x"))
        if isinstance(full, str) and (split := split_quantity(full)) is not None and split[1] in BYTE_UNITS:
            return str(_one(parse_bytes(full), limits, rule, scale))
    except OverflowError:
        raise ValueError(f"full = {full!r} is too large") from None
    raise ValueError(f"full = {full!r} is neither a number nor a size such as 768MiB or 512x512")


def _limit(key: str, raw: Any) -> int | float:
    limit = parse_bytes(raw) if isinstance(raw, str) else raw
    if isinstance(limit, bool) or not isinstance(limit, (int, float)):
        raise ValueError(f"{key} = {raw!r} is neither a number nor a size such as 1MiB")  # noqa: TRY004 - as all here
    if key == "multiple" and (not isinstance(limit, int) or limit < 1):
        raise ValueError(f"multiple = {raw!r} is not a whole number from 1")
    return limit


def _one(full: float, limits: Mapping[str, int | float], rule: str, scale: float) -> int | float:
    if scale == 1:
        return full
    size: float = max(RULES[rule](full, scale), limits.get("least", 0))
    size = min(size, limits.get("most", math.inf))
    if isinstance(full, float):
        return size
    multiple = int(limits.get("multiple", 1))
    return max(round(size / multiple), 1) * multiple
