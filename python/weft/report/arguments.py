"""What `weft report` takes."""

from __future__ import annotations

from pathlib import Path

from weft.arguments import Parser


def parser() -> Parser:
    top = Parser(
        prog="weft report",
        description="What the results of a campaign say: an answer, tables, pictures. Of two folders: the second against "
        "the first, cell by cell",
        epilog="Example: weft report results-on-disk results-on-scratch",
    )
    top.add_argument(
        "results", type=Path, nargs="+", help="the folder that weft campaign run wrote into; two are compared"
    )
    top.add_argument("--out", type=Path, help="where to write the report (RESULTS/report; of two B/report/against-A)")
    top.add_argument("--campaign", type=Path, help="another file than the copy beside the results: to mend its words")
    top.add_argument("--json", action="store_true", help="of two: print JSON, and write a report only where --out says")
    return top
