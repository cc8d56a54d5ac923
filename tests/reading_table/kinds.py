"""The kinds of file in docs/readers.md, and what is in each by the documented formulas.

They are made with the weft command, two of them by tests/readers/write_cases.cpp.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import other_files
import weft_run as w
from killing import Killer, slot_address

CASES = os.environ.get("WEFT_READER_CASES", str(Path(w.WEFT).parents[1] / "tests" / "weft_reader_cases"))
NODES, STEPS, MORE = 120, 90, 200
SMALL = ["--nodes", NODES, "--fields", "separate", "--target", "4KiB"]
THRESHOLD = -30.0  # of beats, by default


@dataclass
class Made:
    """One file, and what a reader must find in it."""

    path: Path
    truth: dict[str, w.Values]  # by the path of the dataset
    view: dict[str, w.Values] = field(default_factory=dict)  # by the name in the view, BLOCK/NAME where it has blocks
    committed: int | None = None  # None: all steps


@dataclass
class Kind:
    name: str
    meaning: str
    make: Callable[[Path, Killer], Made]

    def made_in(self, folder: Path, killer: Killer) -> Made:
        """Makes `file.h5`, and beside it `viewed.h5`: a copy with its XDMF file and its VTU files, for meshio."""
        folder.mkdir()
        made = self.make(folder / "file.h5", killer)
        viewed = folder / "viewed.h5"
        shutil.copyfile(made.path, viewed)  # since `weft view` changes the file of a killed run
        w.weft_ok("view", viewed)
        w.weft_ok("convert", viewed, "--to", "vtu", "--out", f"{viewed}.vtu")
        return made


def series(path: Path, steps: int, committed: int | None = None) -> Made:
    v, phi_e = w.wave(NODES, steps)
    values = {"V": v, "phi_e": phi_e, "time": np.arange(float(steps))}
    return Made(path, values, values, committed)


def whole(path: Path, _: Killer) -> Made:
    w.run_ecg(path, *SMALL, "--steps", STEPS)
    return series(path, STEPS)


def killed_run(path: Path, killer: Killer, at_step: int, *arguments: object) -> int:
    """A run that dies right after it has committed `at_step` steps or a few more. Returns how many."""
    log = path.with_name("log.h5")
    how = [*SMALL, "--budget", "30KiB", "--commit-every", "10steps", *arguments]
    calls = killer.calls(log, *how)
    slot = slot_address(log)
    number = next(c.number for c in calls if c.offset == slot and at_step <= c.first_word < MORE)
    killer.run(path, *how, at=number + 2)
    for left in path.parent.glob("log*"):
        left.unlink()
    committed = w.committed_steps(path)
    assert committed >= at_step, f"{path}: killed with {committed} steps"
    return committed


def killed(path: Path, killer: Killer) -> Made:
    committed = killed_run(path, killer, 50, "--steps", STEPS)
    assert committed < STEPS
    return series(path, committed, committed)


def killed_growing(path: Path, killer: Killer) -> Made:
    committed = killed_run(path, killer, 150, "--steps", MORE, "--unknown-steps")
    assert committed < MORE
    return series(path, committed, committed)


def ended_early(path: Path, killer: Killer) -> Made:
    committed = killed_run(path, killer, 50, "--steps", STEPS)
    w.weft_ok("recover", path)
    return series(path, committed)


def grown(path: Path, _: Killer) -> Made:
    w.run_ecg(path, *SMALL, "--steps", MORE, "--unknown-steps")
    return series(path, MORE)


def appended(path: Path, _: Killer) -> Made:
    w.run_ecg(path, *SMALL, "--steps", 60)
    w.run_ecg(path, *SMALL, "--steps", STEPS, "--append")
    return series(path, STEPS)


def filtered(filters: str) -> Callable[[Path, Killer], Made]:
    def made(path: Path, _: Killer) -> Made:
        w.run_ecg(path, *SMALL, "--steps", STEPS, "--filter", filters)
        return series(path, STEPS)

    return made


def grown_filtered(path: Path, _: Killer) -> Made:
    w.run_ecg(path, *SMALL, "--steps", MORE, "--unknown-steps", "--filter", "shuffle+deflate:1")
    return series(path, MORE)


def killed_filtered(path: Path, killer: Killer) -> Made:
    committed = killed_run(path, killer, 50, "--steps", STEPS, "--filter", "shuffle+deflate:1")
    assert committed < STEPS
    return series(path, committed, committed)


def repacked(make: Callable[[Path, Killer], Made], filters: str) -> Callable[[Path, Killer], Made]:
    def made(path: Path, killer: Killer) -> Made:
        before = make(path.with_name("before.h5"), killer)
        w.weft_ok("repack", before.path, path, "--filter", filters, "--target", "4KiB")
        return Made(path, before.truth, before.view)

    return made


def maps(path: Path, _: Killer) -> Made:
    """The wave goes over every node once: those that it has reached have one beat."""
    w.run_ecg(path, *SMALL, "--steps", STEPS, "--reduce", "peak,max")
    v, _phi_e = w.wave(NODES, STEPS)
    highest = v.max(axis=0)
    beats = (highest > THRESHOLD).astype(np.int64)
    peak = np.full((8, NODES), np.nan)
    peak[0] = np.where(beats > 0, highest, np.nan)
    truth = {"maps/V/peak": peak, "maps/V/max": highest, "maps/V/beats": beats}
    return Made(path, truth, {name: np.stack([row] * STEPS) for name, row in (("V_peak", peak[0]), ("V_max", highest))})


def grid(path: Path, _: Killer) -> Made:
    source = path.with_name("openpmd.h5")
    values = other_files.openpmd(source)
    w.weft_ok("import", source, path, "--target", "1KiB")
    times = np.array([9, 40, 100, 200]) * 1e-3
    truth = {"fields_E_x": values["x"], "fields_E_y": values["y"], "time": times}
    return Made(path, truth, {name: data.reshape(4, -1) if data.ndim > 1 else data for name, data in truth.items()})


def case(name: str, path: Path) -> None:
    outcome = w.call([CASES, name, str(path)])
    assert outcome.code == 0, outcome


def numbers(steps: int, count: int) -> w.Values:
    """What write_cases.cpp writes into fields of one value: 1000 step + element."""
    return 1000.0 * np.arange(float(steps))[:, None] + np.arange(float(count))


def grid_maps(path: Path, _: Killer) -> Made:
    case("grid", path)
    element = np.arange(60)
    highest = 6000.0 + element // 20 + 0.25 * (element % 20)  # of the last step; a row of the slowest axis has 20 nodes
    return Made(path, {"maps/number/max": highest.reshape(3, 4, 5)}, {"number_max": np.stack([highest] * 7)})


def subset(path: Path, _: Killer) -> Made:
    case("mesh", path)
    front = numbers(7, 10)
    listed = numbers(7, 12).astype(np.int64)
    times = 0.5 * np.arange(7.0)
    padded = np.concatenate([front, np.full((7, 38), np.nan)], axis=1)
    view = {"mesh/front": padded, "nodes_of_listed/listed": listed, "time": times}
    return Made(path, {"front": front, "listed": listed, "time": times}, view)


HISTORIES = [
    Kind("whole", "`--steps`: the length was declared, and all steps were written", whole),
    Kind("ended early", "killed before its declared length, then `weft recover`", ended_early),
    Kind("grown", "`--unknown-steps`: room was added twice", grown),
    Kind("appended", "a whole one that went on with `--append`", appended),
    Kind("killed", "killed by SIGKILL before its declared length, nothing done since", killed),
    Kind("killed, grown", "likewise of unknown length, after room was added twice", killed_growing),
]
FILTERS = [
    Kind("deflate", "`weft run ecg --filter shuffle+deflate:1`", filtered("shuffle+deflate:1")),
    Kind("zstd", "`--filter shuffle+zstd:3`", filtered("shuffle+zstd:3")),
    Kind("lzf", "`--filter lzf`", filtered("lzf")),
    Kind("fletcher32", "`--filter fletcher32`", filtered("fletcher32")),
    Kind("grown, deflate", "`--unknown-steps --filter shuffle+deflate:1`", grown_filtered),
    Kind("killed, deflate", "killed by SIGKILL, `--filter shuffle+deflate:1`", killed_filtered),
    Kind("repacked", "a grown one, `weft repack --filter shuffle+deflate:1`", repacked(grown, "shuffle+deflate:1")),
]
CONTENTS = [
    Kind("maps", "`--reduce peak,max`: the maps alone are judged", maps),
    Kind("grid", "fields on a regular grid (`weft import` of an openPMD file)", grid),
    Kind("grid maps", "maps of a field on a grid: they alone are judged", grid_maps),
    Kind("subset", "fields on the first nodes and on listed ones: they and `time` are judged", subset),
]
