"""weft-report: what the results of a campaign say; found as `weft report`."""

from __future__ import annotations

import sys
from pathlib import Path

from weft.campaign.command import Parser
from weft.errors import ending_with_a_line


def parser() -> Parser:
    top = Parser(prog="weft report", description="What the results of a campaign say: an answer, tables, pictures.")
    top.add_argument("results", type=Path, help="the folder that weft campaign run wrote into")
    top.add_argument("--out", type=Path, help="where to write the report (RESULTS/report)")
    top.add_argument("--campaign", type=Path, help="another file than the copy beside the results: to mend its words")
    return top


def main() -> None:
    def command() -> None:
        given = parser().parse_args()
        # Matplotlib takes a second or more: Ctrl-C meanwhile ends as it does later.
        from weft.report.making import HTML, make_report

        out = given.out or given.results / "report"
        report = make_report(given.results, out, given.campaign)
        failed = f"\n{len(report.failed)} of the experiments failed; the report says why." if report.failed else ""
        print(f"{report.question}\n{report.answer}{failed}\n\nThe report: {out / HTML}")

    sys.exit(ending_with_a_line(command))
