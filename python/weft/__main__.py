"""`python -m weft campaign ...` and `python -m weft report ...`; of an installed Weft, `weft campaign` starts it."""

import importlib.util
import sys
from pathlib import Path

NEEDS = ("numpy", "matplotlib", "rich")


def main() -> None:
    if not __package__:  # started by its path
        sys.path[0] = str(Path(__file__).resolve().parents[1])
    name = sys.argv.pop(1) if len(sys.argv) > 1 else ""
    if name == "manual":  # for the build
        importlib.import_module("weft.manual").main()
    if name not in ("campaign", "report"):
        sys.exit(f"weft: error: python -m weft: '{name}' is none of its commands; they are campaign and report")
    missing = [module for module in NEEDS if importlib.util.find_spec(module) is None]
    if sys.version_info < (3, 11):  # noqa: UP036 - an installed weft meets any Python
        sys.exit(f"weft: error: weft {name}: {sys.executable} is older than Python 3.11; name another with WEFT_PYTHON")
    if missing:
        sys.exit(
            f"weft: error: weft {name}: {sys.executable} has no {' and no '.join(missing)}; "
            f"install them (pip install {' '.join(NEEDS)}), or name a Python that has them with WEFT_PYTHON"
        )
    module = importlib.import_module(f"weft.{name}.command")
    sys.exit(module.main())


main()
