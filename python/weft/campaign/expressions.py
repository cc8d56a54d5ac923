"""What is measured or checked, as an expression over the report that a run prints: "seconds.output / seconds.raw".

Names are paths in the report; `settings` are those of the experiment, with _ for - in their names. There are
+ - * / % **, comparisons, `and`, `or`, `not`, brackets, and median(..), mean(..), sum(..), min(..), max(..) of a list.
Nothing else: an expression cannot act, and it takes no time: powers are of floats, and there is arithmetic of numbers only.
Pure.
"""

from __future__ import annotations

import ast
import math
import operator
import statistics
from collections.abc import Callable, Mapping
from typing import Any


def _power(base: float, exponent: float) -> float:
    """In floats, which end at 1e308; integers would fill the memory with digits."""
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):
        raise ArithmeticError(f"{base} ** {exponent} is not a number that can be computed") from None


BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
COMPARISONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "sum": sum,
    "min": min,
    "max": max,
}


class Expression:
    def __init__(self, text: str) -> None:
        """Raises ValueError for what is no expression."""
        self.text = text
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
            _check(self._tree)
        except SyntaxError as error:
            raise ValueError(f"'{text}' is not an expression ({error.msg})") from None
        except (RecursionError, MemoryError):  # of Python's parser, for what is nested a hundred times
            raise ValueError(f"'{text[:40]}..' is nested too deep") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def evaluate(self, names: Mapping[str, Any]) -> Any:
        """Raises ValueError where a name is not there or the value cannot be had, with a line that says why."""
        try:
            return _evaluate(self._tree, names)
        except (TypeError, ArithmeticError, statistics.StatisticsError, RecursionError) as error:
            raise ValueError(f"'{self.text}' has no value: {error}") from None

    def number(self, names: Mapping[str, Any]) -> float:
        value = self.evaluate(names)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"'{self.text}' is not a number but {value!r}")  # noqa: TRY004 - as everything here
        try:
            number = float(value)
        except OverflowError:
            raise ValueError(f"'{self.text}' is too large") from None
        if not math.isfinite(number):
            raise ValueError(f"'{self.text}' is not finite: {number}")
        return number


def names_for(report: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """What an expression may name."""
    return {**report, "settings": {name.replace("-", "_"): value for name, value in settings.items()}}


def _check(tree: ast.expr) -> None:
    match tree:
        case ast.Constant(value=bool() | int() | float() | str()) | ast.Name():
            return
        case ast.Attribute(value=ast.Name() | ast.Attribute() as inner):
            _check(inner)
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=inner):
            _check(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            _check(left)
            _check(right)
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in COMPARISONS for op in ops):
            for part in (left, *others):
                _check(part)
        case ast.BoolOp(values=values):
            for part in values:
                _check(part)
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            _check(argument)
        case _:
            raise ValueError(f"'{ast.unparse(tree)}' cannot be used here; see docs/campaigns.md for what can")


def _evaluate(tree: ast.expr, names: Mapping[str, Any]) -> Any:
    match tree:
        case ast.Constant(value=value):
            return value
        case ast.Name() | ast.Attribute():
            return _look_up(ast.unparse(tree), names)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_number(_evaluate(inner, names))
        case ast.UnaryOp(operand=inner):
            return not _evaluate(inner, names)
        case ast.BinOp(left=left, op=op, right=right):
            return BINARY[type(op)](_number(_evaluate(left, names)), _number(_evaluate(right, names)))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_evaluate(part, names) for part in (left, *others)]
            return all(COMPARISONS[type(op)](a, b) for op, a, b in zip(ops, values, values[1:], strict=False))
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_evaluate(part, names) for part in values)
        case ast.BoolOp(values=values):
            return any(_evaluate(part, names) for part in values)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return FUNCTIONS[name](_numbers(_evaluate(argument, names)))
    raise AssertionError(ast.dump(tree))  # _check lets nothing else pass


def _number(value: Any) -> int | float:
    """Truth counts as 0 or 1; texts have no arithmetic, which could make them long."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return value


def _numbers(value: Any) -> list[int | float]:
    if not isinstance(value, list) or not value:
        raise TypeError(f"{value!r} is not a list of numbers")
    return [_number(item) for item in value]


def _look_up(path: str, names: Mapping[str, Any]) -> Any:
    value: Any = names
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            raise ValueError(f"the report has no '{path}'")
        value = value[part]
    return value
