"""Files of format 1, as Weft 0.1 wrote them (tests/format_1), are read, checked and appended to."""

import gzip
from pathlib import Path

import h5py
import pytest
import weft_run as w

NODES = 40
STEPS = {"known": 20, "grown": 150, "short": 10, "appended": 37}
FILES = Path(__file__).parents[1] / "format_1"


def unpacked(name: str, folder: Path) -> Path:
    path = folder / f"{name}.h5"
    path.write_bytes(gzip.decompress((FILES / f"{name}.h5.gz").read_bytes()))
    return path


@pytest.mark.parametrize("name", STEPS)
def test_is_read_and_sound(tmp_path: Path, name: str) -> None:
    path = unpacked(name, tmp_path)
    w.check_file(path, NODES, STEPS[name])
    assert "format 1" in w.weft_ok("info", path).out
    got = w.weft_ok("read", path, "--field", "Data", "--trace", 7, "--json").json["values"]
    assert got == w.expected_fields(NODES, STEPS[name])["Data"][:, 7].tolist()


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("name", STEPS)
def test_is_appended_to(tmp_path: Path, name: str, ranks: int | None) -> None:
    path = unpacked(name, tmp_path)
    for more in (5, 300):  # in the room there is, and behind it
        steps = STEPS[name] + more
        w.run_ecg(path, "--nodes", NODES, "--steps", steps, "--append", ranks=ranks)
        w.check_file(path, NODES, steps)
    assert w.weft_ok("info", path, "--json").json["format_version"] == 1


@pytest.mark.parametrize("filters", ["", "shuffle+deflate:1"])
@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("name", STEPS)
def test_import_brings_it_over(tmp_path: Path, name: str, ranks: int | None, filters: str) -> None:
    path = unpacked(name, tmp_path)
    new = tmp_path / "new.h5"
    w.weft_ok("import", path, new, *(["--filter", filters] if filters else []), ranks=ranks)
    w.check_file(new, NODES, STEPS[name])
    assert w.weft_ok("info", new, "--json").json["format_version"] == 2
    with h5py.File(new) as file:
        assert not file["Data"].is_virtual and not file["time"].is_virtual
        assert (file["Data"].compression == "gzip") == bool(filters)
    w.run_ecg(new, "--nodes", NODES, "--steps", STEPS[name] + 5, "--append", ranks=ranks)
    w.check_file(new, NODES, STEPS[name] + 5)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("name", STEPS)
def test_repack_brings_it_over(tmp_path: Path, name: str, ranks: int | None) -> None:
    path, new = unpacked(name, tmp_path), tmp_path / "new.h5"
    w.weft_ok("repack", path, new, "--read", "trace=1", ranks=ranks)
    w.check_file(new, NODES, STEPS[name])
    assert w.weft_ok("info", new, "--json").json["format_version"] == 2
    with h5py.File(new) as file:
        assert not file["Data"].is_virtual and not file["time"].is_virtual


def test_repack_of_its_objects_keeps_the_format_and_says_so(tmp_path: Path) -> None:
    path, new = unpacked("known", tmp_path), tmp_path / "new.h5"
    said = w.weft_ok("repack", path, new, "--checksums").out
    assert w.weft_ok("info", new, "--json").json["format_version"] == 1
    assert "weft import" in said
