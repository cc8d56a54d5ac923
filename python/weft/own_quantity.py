"""Quantities over time of one's own, taken while a series is written: functions of NumPy arrays.

>>> def longest(state, values, times, first):
...     above = values[first:] > 0
...     for row, span in zip(above, np.diff(times, prepend=times[0])[first:], strict=True):
...         state[0] = np.where(row, state[0] + span, 0)
...         state[1] = np.maximum(state[0], state[1])
>>> quantity = weft.Quantity("longest_above_0", longest, start=(0, 0), result=lambda state: state[1], units="ms")
>>> weft.create("heart.h5", fields, reduce={"V": ["peak", quantity]})
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weft import _core

Values = npt.NDArray[np.float64]
Update = Callable[[Values, Values, Values, int], Values | None]


@dataclass(frozen=True)
class Quantity:
    """One number for each node, from all its steps. A map of this name is in /maps when the series is closed.

    update(state, values, times, first): looks at the next steps of some nodes. `state` has the shape (states, nodes),
        `values` (samples, nodes) and `times` (samples,). Samples before `first` were seen already: one at least, but in
        the first window none. It changes `state` in place, or returns the new one. Which nodes it is given together, and
        how many steps, is not said; it keeps nothing but the state.
    start: the state of a node before its first step, one number or several.
    result(state): the number of each node, from (states, nodes) [the first state].
    units: of the result.

    What update raises is raised by end_step(), flush() or close() of all ranks, as a ValueError.
    """

    name: str
    update: Update
    start: float | Sequence[float] = 0.0
    result: Callable[[Values], npt.ArrayLike] | None = None
    units: str = ""


Reductions = str | Quantity | Sequence[str | Quantity]


def named_and_own(wanted: Reductions) -> tuple[str, list[Any]]:
    """For weft._core: those that Weft knows by name, and one's own. Raises ValueError for names that cannot be used."""
    parts = [wanted] if isinstance(wanted, str | Quantity) else list(wanted)
    names = ",".join(part for part in parts if isinstance(part, str))
    return names, [_made(part) for part in parts if isinstance(part, Quantity)]


def _made(quantity: Quantity) -> Any:
    if not quantity.name or "/" in quantity.name:
        raise ValueError(f"a quantity's name is that of a dataset in the file, not {quantity.name!r}")
    start = np.atleast_1d(np.asarray(quantity.start, np.float64)).tolist()
    return _core.quantity(quantity.name, quantity.units, start, quantity.update, quantity.result)
