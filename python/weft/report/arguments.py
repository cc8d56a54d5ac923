"""What `weft report` takes."""

from __future__ import annotations

from pathlib import Path

from weft.arguments import Parser


def parser() -> Parser:
    top = Parser(
        prog="weft report",
        description="Report the results of a campaign: an answer, tables and plots. With two folders, compare the second "
        "with the first, cell by cell",
        epilog="Example: weft report results-on-disk results-on-scratch",
    )
    top.add_argument(
        "results", type=Path, nargs="+", help="a folder of results of weft campaign run; two folders are compared"
    )
    top.add_argument("--out", type=Path, help="the folder of the report [RESULTS/report; for two: B/report/against-A]")
    top.add_argument("--campaign", type=Path, help="use this campaign file instead of the copy beside the results")
    top.add_argument(
        "--json", action="store_true", help="for two folders: print JSON; write a report only if --out is given"
    )
    return top
