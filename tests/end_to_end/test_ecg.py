"""`weft ecg` against NumPy: the pseudo-ECG of a file by the formula, element by element; and what is drawn of it."""

from __future__ import annotations

import csv
import io
import re
import struct
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
import weft_run as w
from weft_run import Values

# Around a box whose corners are at 0 and some 12.
NINE: dict[str, tuple[float, float, float]] = {
    "RA": (-13, 34, 15), "LA": (25, 34, 15), "LL": (24, -36, 15), "V1": (4, 6, 20), "V2": (8, 6, 20),
    "V3": (12, 5.5, 20), "V4": (16, 5, 19.5), "V5": (20, 4, 14), "V6": (21, 3, 8.5),
}  # fmt: skip


def electrodes(places: dict[str, tuple[float, float, float]]) -> list[str]:
    return [word for name, at in places.items() for word in ("--electrode", f"{name}={at[0]},{at[1]},{at[2]}")]


def signals(report: Any) -> dict[str, list[float]]:
    return {signal["name"]: signal["values"] for signal in report["signals"]}


def reference(path: Path, values: np.ndarray, electrode: tuple[float, float, float], nodes: int) -> np.ndarray:
    """-integral of grad V . grad(1/r), a value a step: grad V from each tetrahedron's edges, grad(1/r) at the four points
    of Stroud's rule. `values` are [step][node], of the first `nodes` nodes."""
    with h5py.File(path) as h5:
        points, types = h5["mesh/points"][:], h5["mesh/types"][:]
        offsets, connectivity = h5["mesh/offsets"][:], h5["mesh/connectivity"][:]
    tetrahedra = np.array([connectivity[offsets[c] : offsets[c] + 4] for c in np.flatnonzero(types == 10)])
    tetrahedra = tetrahedra[(tetrahedra < nodes).all(axis=1)]
    corners = points[tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    volumes = np.abs(np.linalg.det(edges)) / 6
    b = (1 - 1 / np.sqrt(5)) / 4
    inside = np.full((4, 4), b) + np.eye(4) * (1 - 4 * b)
    away = np.array(electrode) - np.einsum("pc,tcx->tpx", inside, corners)
    seen = (away / np.linalg.norm(away, axis=-1, keepdims=True) ** 3).mean(axis=1)
    result = []
    for step in values:
        v = step[tetrahedra]
        gradient = np.linalg.solve(edges, (v[:, 1:] - v[:, :1])[..., None])[..., 0]
        result.append(-np.sum(volumes * np.sum(gradient * seen, axis=1)))
    return np.array(result)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ecg") / "heart.h5"
    w.run_ecg(path, "--nodes", 1500, "--steps", 12)
    return path


def test_is_the_formula(run: Path) -> None:
    places = {"near": (-1.5, 5.5, 4.5), "far": (-100.0, 20.0, 3.0)}
    report = w.weft_ok("ecg", run, "--field", "V", *electrodes(places), "--json").json
    with h5py.File(run) as h5:
        v = h5["Data"][:, :, 0]
    assert report["times"] == list(range(12)) and list(signals(report)) == list(places)
    for name, at in places.items():
        expected = reference(run, v, at, v.shape[1])
        assert np.abs(expected).max() > 0
        assert np.allclose(signals(report)[name], expected, rtol=0, atol=1e-10 * np.abs(expected).max()), name


def test_other_fields_and_factors(run: Path) -> None:
    place = electrodes({"E": (30, 3, 3)})
    one = w.weft_ok("ecg", run, "--field", "Data:1", *place, "--json").json
    three = w.weft_ok("ecg", run, "--field", "phi_e", *place, "--diffusivity", 3, "--json").json
    assert np.allclose(signals(three)["E"], 3 * np.array(signals(one)["E"]), rtol=1e-12)


def test_nine_electrodes_make_twelve_leads(run: Path) -> None:
    out = w.weft_ok("ecg", run, "--field", "V", *electrodes(NINE), "--csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 12
    for row in rows:
        at = {name: float(value) for name, value in row.items()}
        assert at["lead I"] == at["LA"] - at["RA"] and at["lead II"] == at["LL"] - at["RA"]
        assert at["lead III"] == at["lead II"] - at["lead I"]
        central = (at["RA"] + at["LA"] + at["LL"]) / 3
        for chest in range(1, 7):
            assert at[f"lead V{chest}"] == pytest.approx(at[f"V{chest}"] - central, rel=1e-12, abs=1e-15)
    text = w.weft_ok("ecg", run, "--field", "V", *electrodes(NINE)).out
    assert "lead aVF" in text and "--csv" in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--field", "V", "--electrode", "RA=1,2"], 2, "RA=1,2: is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "RA=1,2,3x"], 2, "is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "=1,2,3"], 2, "is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "a=1,2,3", "--electrode", "a=1,2,4"], 2, "electrode a: is named twice"),
        (["--field", "V", "--electrode", "a=0,0,0"], 2, "lies on node 0"),
        (["--field", "W", "--electrode", "a=1,2,9"], 2, "W"),
    ],
)
def test_what_cannot_be_answered_gets_one_line(run: Path, arguments: list[str], code: int, words: str) -> None:
    outcome = w.weft("ecg", run, *arguments)
    assert outcome.code == code and words in outcome.err and outcome.err.count("\n") == 1, outcome


def test_a_file_without_a_mesh_gets_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bare.h5"
    w.run_ecg(path, "--nodes", 50, "--steps", 2, "--mesh", "none")
    outcome = w.weft("ecg", path, "--field", "V", *electrodes({"E": (9, 9, 9)}))
    assert (
        outcome.code == 2 and "has no mesh" in outcome.err and "--mesh" in outcome.err and outcome.err.count("\n") == 1
    ), outcome


def ink(colour: tuple[int, ...]) -> bool:
    return max(colour) < 90


def pixels(path: Path) -> Values:
    """A PNG of 8-bit RGB, as (height, width, 3)."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, width, height = 8, b"", 0, 0
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            assert (depth, colours, interlaced) == (8, 2, 0)
        packed += body if kind == b"IDAT" else b""
        at += length + 12
    raw, stride = zlib.decompress(packed), 3 * width
    above = bytearray(stride)
    rows = []
    for y in range(height):
        method, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride if method else 0):
            left, up, corner = (row[i - 3], above[i], above[i - 3]) if i > 2 else (0, above[i], 0)
            if method == 4:
                near = left + up - corner
                guess = min((abs(near - left), 0, left), (abs(near - up), 1, up), (abs(near - corner), 2, corner))[2]
            else:
                guess = (left, up, (left + up) // 2)[method - 1]
            row[i] = (row[i] + guess) & 255
        rows.append(bytes(row))
        above = row
    return np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(height, width, 3)


def inked_strokes(path: Path) -> int:
    """The lines of an SVG that are drawn in ink; cairo says how in `style` or, later, in attributes."""
    count = 0
    for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}path"):
        style = element.get("style", "") + f";stroke:{element.get('stroke', '')}"
        stroke = re.search(r"stroke:rgb\(([\d.]+)%,\s*([\d.]+)%,\s*([\d.]+)%\)", style)
        count += stroke is not None and ink(tuple(round(2.55 * float(part)) for part in stroke.groups()))
    return count


@pytest.fixture(scope="module")
def draws(run: Path) -> None:
    if "built without cairo" in w.weft("ecg", run, "--field", "V", "--electrode", "a=9,9,9", "--plot", "a.txt").err:
        pytest.skip("this weft was built without cairo")


@pytest.mark.usefixtures("draws")
class TestPlot:
    """The sheet: three rows of four leads of 25 mm each, and a strip below; 8 pixels a mm."""

    def plot(self, run: Path, picture: Path, *arguments: object) -> w.Outcome:
        return w.weft("ecg", run, "--field", "V", *electrodes(NINE), "--plot", picture, *arguments)

    def test_png(self, run: Path, tmp_path: Path) -> None:
        picture = tmp_path / "ecg.png"
        outcome = self.plot(run, picture)
        assert outcome.code == 0 and f"drawn: {picture}" in outcome.out, outcome
        image = pixels(picture)
        height, width, _ = image.shape
        assert width == 8 * 130 and (height / 8 - 5 - 11) % 5 == 0, "whole squares, 5 mm above and 11 below"
        dark = (image.max(axis=2) < 90).astype(int)
        first = {mm: int((np.diff(dark[: height - 88, 8 * mm]) == 1).sum()) for mm in (6, 12, 38)}
        assert first == {6: 0, 12: 4, 38: 0}, "a pulse a row; nothing before it, nor behind a recording of 11 ms"
        assert dark[: height - 88, 8 * 20 : 8 * 21].any(), "lead I begins here"
        assert dark[height - 88 :].any(), "the footer"
        paper = image[45:-93, 45:-45][dark[45:-93, 45:-45] == 0]
        assert (paper[:, 0] >= paper[:, 1]).mean() > 0.99, "red on pink"

    def test_svg_and_pdf(self, run: Path, tmp_path: Path) -> None:
        assert self.plot(run, tmp_path / "ecg.svg", "--csv").out.startswith("time,RA,")
        assert inked_strokes(tmp_path / "ecg.svg") == 13 + 4, "twelve leads, a strip, a pulse a row"
        assert self.plot(run, tmp_path / "ecg.pdf", "--json").json["plot"] == str(tmp_path / "ecg.pdf")
        assert (tmp_path / "ecg.pdf").read_bytes().startswith(b"%PDF")

    def test_strips_where_leads_are_missing(self, run: Path, tmp_path: Path) -> None:
        picture = tmp_path / "ecg.svg"
        two = electrodes({"one": (30, 3, 3), "b\xe4d \udcff": (3, 3, 30)})
        assert w.weft("ecg", run, "--field", "V", *two, "--plot", picture).code == 0
        assert inked_strokes(picture) == 2 + 2

    def test_an_old_picture_stays_until_the_new_one_is_whole(self, run: Path, tmp_path: Path) -> None:
        picture = tmp_path / "ecg.png"
        picture.write_text("old")
        assert w.weft("ecg", run, "--field", "W", *electrodes(NINE), "--plot", picture).code == 2
        assert picture.read_text() == "old" and list(tmp_path.iterdir()) == [picture]
        assert self.plot(run, picture).code == 0
        assert picture.read_bytes().startswith(b"\x89PNG") and list(tmp_path.iterdir()) == [picture]

    @pytest.mark.parametrize(
        ("name", "code", "words"),
        [
            ("ecg.jpg", 2, "end the name in .png, .svg or .pdf"),
            ("ecg", 2, "is not a picture"),
            ("no/ecg.png", 1, "No such"),
        ],
    )
    def test_what_cannot_be_drawn_gets_one_line(
        self, run: Path, tmp_path: Path, name: str, code: int, words: str
    ) -> None:
        outcome = self.plot(run, tmp_path / name)
        assert outcome.code == code and words in outcome.err and outcome.err.count("\n") == 1, outcome
        assert name in outcome.err and not list(tmp_path.iterdir())
