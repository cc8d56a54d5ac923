"""The readers of docs/readers.md: each a program of its own, in tests/reading_table/adapters."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import weft_run as w
from kinds import Made
from numpy.typing import NDArray

INSTALLED = w.REPO / ".venv-table"
ADAPTERS = Path(__file__).resolve().parent / "adapters"
PATIENCE = 120.0


@dataclass
class Answer:
    """What a reader made of one dataset: `read`, `absent` or `refused`."""

    state: str
    values: NDArray[Any] | None = None
    error: str = ""


@dataclass
class Reader:
    name: str
    command: list[str]
    looks_at: str = "datasets"  # or "view"
    of: str = "file.h5"  # or viewed.h5, which `weft view` and `weft convert` have been at

    def read(self, made: Made) -> dict[str, Answer]:
        """What it makes of everything that the file is judged by. A reader that dies has refused what it left."""
        names = list(made.view if self.looks_at == "view" else made.truth)
        with tempfile.TemporaryDirectory(prefix="weft-table-") as folder:
            out = Path(folder)
            command = [*self.command, str(made.path.with_name(self.of)), folder, *names]
            done = subprocess.run(
                command,
                env=w.environment({"WEFT_TABLE_NODE": str(INSTALLED / "node_modules"), "PYTHONDONTWRITEBYTECODE": "1"}),
                check=False,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
            )
            answers = out / "answers.jsonl"
            lines = answers.read_text().splitlines() if answers.exists() else []
            # What an adapter itself gets wrong must not pass for a reader's refusal.
            assert lines or done.returncode < 0, f"{' '.join(command)}: {done.stderr}"
            found = {line["name"]: line for line in map(json.loads, lines)}
            died = Answer("refused", error=f"died ({done.returncode}): {done.stderr[-300:]}")
            return {name: answer_of(found[name], out, i) if name in found else died for i, name in enumerate(names)}


def answer_of(line: dict[str, Any], out: Path, number: int) -> Answer:
    if line["state"] != "read":
        return Answer(line["state"], error=line["error"])
    values = np.fromfile(out / f"{number}.bin", dtype=line["dtype"]) if np.prod(line["shape"]) else np.empty(0)
    return Answer("read", values.reshape(line["shape"]))


def python(adapter: str, *words: str, interpreter: str | None = None) -> list[str]:
    return [interpreter or str(INSTALLED / "bin" / "python"), str(ADAPTERS / adapter), *words]


JAVA = ["java", "-cp", f"{INSTALLED}/jars/*", str(ADAPTERS / "WithJhdf.java")]
READERS = [
    Reader("h5py 3.16", python("with_h5py.py")),
    Reader("h5py, hdf5plugin", python("with_h5py.py", "plugins")),
    Reader("h5dump 1.10.8", python("with_h5dump.py")),
    Reader("h5py 3.7 (1.10.8)", python("with_h5py.py", interpreter="/usr/bin/python3")),
    Reader("netCDF4", python("with_netcdf4.py")),
    Reader("xarray, netcdf4", python("with_xarray.py", "netcdf4")),
    Reader("xarray, h5netcdf", python("with_xarray.py", "h5netcdf")),
    Reader("VirtualiZarr", python("with_virtualizarr.py")),
    Reader("kerchunk", python("with_kerchunk.py")),
    Reader("pyfive", python("with_pyfive.py")),
    Reader("h5wasm", ["node", str(ADAPTERS / "with_h5wasm.mjs")]),
    Reader("jHDF", JAVA),
    Reader("VTK", python("with_vtk.py"), looks_at="view"),
    Reader("meshio, XDMF", python("with_meshio_xdmf.py"), looks_at="view", of="viewed.h5"),
    Reader("meshio, VTU", python("with_meshio_vtu.py"), looks_at="view", of="viewed.h5"),
]
