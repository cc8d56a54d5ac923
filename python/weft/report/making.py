"""A report: what the results of a campaign say, as a page, tables and pictures in a folder."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from weft.errors import WeftError
from weft.report import plots, tables
from weft.report.beside_paper import beside
from weft.report.comparison import compare_all
from weft.report.html_parts import Picture
from weft.report.loading import load
from weft.report.page import Report, compose, markdown, page
from weft.report.samples import Samples

CAPTION_OF_RATIOS = "Ratios to the baseline, paired by repeat, with bootstrap 95 % intervals."
HTML, MARKDOWN = "report.html", "report.md"


def make_report(results: Path, out: Path, campaign_file: Path | None = None) -> Report:
    """Reads the results, writes the report, and returns it."""
    loaded = load(results, campaign_file)
    campaign, found, samples = loaded.campaign, loaded.found, loaded.samples
    comparisons = compare_all(samples)
    put = beside(samples)
    pictures = [
        picture(figure, name, caption)
        for figure, name, caption in (
            (plots.values_figure(samples, comparisons), "values", caption_of_values(samples)),
            (plots.lines_figure(samples, comparisons), "lines", "Mean and standard deviation, on logarithmic axes."),
            (plots.ratios_figure(samples, comparisons, put), "ratios", CAPTION_OF_RATIOS),
        )
        if figure is not None and not (name == "values" and campaign.report.lines)
    ]
    report = compose(samples, comparisons, put, found.sessions, found.of_experiments, pictures)
    texts = {
        HTML: page(report),
        MARKDOWN: markdown(report),
        "values.csv": tables.values_csv(samples, comparisons),
        "ratios.csv": tables.ratios_csv(samples, comparisons),
        "runs.csv": tables.runs_csv(samples, found.of_experiments),
    }
    write(out, texts, pictures)
    return report


def caption_of_values(samples: Samples) -> str:
    what = "Means, with standard deviations."
    if samples.campaign.report.total:
        return what + " The number above a bar is the mean of the whole."
    return what


def picture(figure: Figure, name: str, caption: str) -> Picture:
    png, svg = drawn(figure, "png", dpi=160), drawn(figure, "svg", metadata={"Date": None, "Creator": None})
    plots.close(figure)
    return Picture(name, caption, png, with_counted_names(svg))


def with_counted_names(svg: bytes) -> bytes:
    """Matplotlib names what an SVG refers to by a hash of it, in which the last bit of a place counts, and that depends
    on the processor. Counted in the order they come, the same results give the same file."""
    names: dict[bytes, bytes] = {}

    def counted(found: re.Match[bytes]) -> bytes:
        name = names.setdefault(found[2], b"%c%d" % (found[2][0], len(names) + 1))
        return found[1] + name + found[3]

    return re.sub(rb'(id="|href="#|url\(#)([a-z][0-9a-f]{10})("|\))', counted, svg)


def drawn(figure: Figure, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    with rc_context(plots.STYLE):  # the salt of an SVG's names is asked for when it is drawn
        figure.savefig(buffer, format=kind, **options)
    return buffer.getvalue()


def write(out: Path, texts: dict[str, str], pictures: list[Picture]) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (out / name).write_text(text, encoding="utf-8")
        for each in pictures:
            (out / f"{each.name}.png").write_bytes(each.png)
            (out / f"{each.name}.svg").write_bytes(each.svg)
    except OSError as error:
        raise WeftError(str(out), f"cannot be written: {error.strerror}", "name another --out") from None
