"""weft-report: what the results of a campaign say, or of two; found as `weft report`."""

from __future__ import annotations

import argparse
import json
import sys

from weft.errors import UsageError, ending_with_a_line
from weft.report.arguments import parser


def one(given: argparse.Namespace) -> None:
    # Matplotlib takes a second or more: Ctrl-C meanwhile ends as it does later.
    from weft.report.making import HTML, make_report

    (results,) = given.results
    if given.json:
        raise UsageError("--json", "--json is for two folders", "results.jsonl has all of one in JSON")
    out = given.out or results / "report"
    report = make_report(results, out, given.campaign)
    failed = f"\n{len(report.failed)} of the experiments failed; the report says why." if report.failed else ""
    print(f"{report.question}\n{report.answer}{failed}\n\nThe report: {out / HTML}")


def two(given: argparse.Namespace) -> None:
    from weft.report.between_page import as_json
    from weft.report.comparing import Folders, compare_folders, write_comparison
    from weft.report.making import HTML

    folders = Folders.of(*given.results)
    report, loaded = compare_folders(folders, given.campaign)
    out = given.out or (None if given.json else folders.report)
    if out is not None:
        write_comparison(report, loaded.campaign.report.compare, out)
    if given.json:
        print(json.dumps(as_json(report), indent=1))
        return
    left_out = "".join(f"\nNot compared: {words}." for words in report.left_out)
    print(
        f"{report.question}\n{report.answer}{left_out}\n\nThe report: {folders.report if out is None else out}/{HTML}"
    )


def main() -> None:
    def command() -> None:
        given = parser().parse_args()
        if len(given.results) > 2:
            raise UsageError(str(given.results[2]), "weft report takes one folder, or two to compare")
        (one if len(given.results) == 1 else two)(given)

    sys.exit(ending_with_a_line(command))
