"""No two ranks write into the same page, or stripe: by the writes that they make."""

from __future__ import annotations

import itertools
from pathlib import Path

import h5py
import pytest
import weft_run as w
from killing import Call, Killer, read_log

NODES, STEPS = 1013, 60
PAGE = 4096


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Killer:
    return Killer(tmp_path_factory.mktemp("watch"))


def writes_of_ranks(killer: Killer, path: Path, ranks: int, *arguments: object) -> list[list[Call]]:
    """What each rank writes while the series is written, watched by the library that can also kill."""
    log = path.with_suffix(".log")
    each = f'export WEFT_KILL_LOG="{log}.${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}"; exec "$@"'
    command = ["run", "ecg", "--out", str(path), *map(str, arguments)]
    watched = ["sh", "-c", each, "sh", *killer.command({"WEFT_KILL_PATH": str(path)}), *command]
    done = w.call(w.on_ranks(ranks, watched))
    assert done.code == 0, done
    logs = [Path(f"{log}.{rank}") for rank in range(ranks)]
    calls = [read_log(one) if one.exists() else [] for one in logs]
    for one in logs:
        one.unlink(missing_ok=True)
    return calls


def slots_of(path: Path) -> list[tuple[int, int]]:
    with h5py.File(path) as file:
        slots = [file[name] for name in ("weft/commit", "weft/durable")]
        return [(one.id.get_offset(), one.id.get_offset() + one.size * 8) for one in slots]


def chunks_of(path: Path) -> list[tuple[int, int]]:
    ranges = []
    with h5py.File(path) as file:
        segment = file["weft/segments/0"]
        for name in segment:
            chunks = [segment[name].id.get_chunk_info(n) for n in range(segment[name].id.get_num_chunks())]
            ranges += [(chunk.byte_offset, chunk.byte_offset + chunk.size) for chunk in chunks]
    return ranges


def raises(calls: list[list[Call]]) -> list[list[Call]]:
    """Before the first step rank 0 writes all slots at once."""
    return [[call for call in one if call.bytes == 8] for one in calls]


def units_written(path: Path, ranges: list[tuple[int, int]], calls: list[list[Call]], unit: int) -> list[set[int]]:
    """Of each rank, the pages (or stripes) of these parts of the file that it writes into."""
    written = []
    for one in calls:
        units: set[int] = set()
        for call in one:
            if call.name != "pwritev" or call.path != str(path):
                continue
            if any(begin < call.offset + call.bytes and call.offset < end for begin, end in ranges):
                units |= set(range(call.offset // unit, (call.offset + call.bytes - 1) // unit + 1))
        written.append(units)
    return written


def shared(written: list[set[int]]) -> int:
    return sum(len(one & other) for one, other in itertools.combinations(written, 2))


@pytest.mark.parametrize("layout", ["reads", "isotropic", "rows"])
@pytest.mark.parametrize("ownership", ["blocks", "scatter", "uneven"])
@pytest.mark.parametrize("unit", [PAGE, 65536])
def test_no_two_ranks_share_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killer: Killer, layout: str, ownership: str, unit: int
) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", "1")
    path = tmp_path / "a.h5"
    case = ["--nodes", NODES, "--fields", "separate", "--ownership", ownership, "--layout", layout]
    case += ["--target", max(unit, 9000)]
    case += ["--budget", "300KiB" if unit == PAGE else "4MiB", "--align", unit, "--writers", "all", "--unknown-steps"]
    first = writes_of_ranks(killer, path, 3, *case, "--steps", STEPS)
    written = units_written(path, chunks_of(path), first, unit)
    assert sum(bool(units) for units in written) >= (1 if layout == "rows" else 3) and shared(written) == 0
    assert shared(units_written(path, slots_of(path), raises(first), PAGE)) == 0
    w.check_file(path, NODES, STEPS, "separate")
    # On other ranks, in more room, which is aligned, too.
    second = writes_of_ranks(killer, path, 4, *case, "--steps", 2 * STEPS, "--append")
    assert shared(units_written(path, chunks_of(path), second, unit)) == 0
    assert shared(units_written(path, slots_of(path), raises(second), PAGE)) == 0
    w.check_file(path, NODES, 2 * STEPS, "separate")
    w.weft_ok("verify", path)


def test_without_alignment_they_share_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killer: Killer) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", "1")
    path = tmp_path / "a.h5"
    calls = writes_of_ranks(killer, path, 3, "--nodes", NODES, "--steps", STEPS, "--target", 9000, "--align", 1)
    assert shared(units_written(path, chunks_of(path), calls, PAGE)) > 0


def test_ranks_of_one_node_share_the_page_of_their_slot_alone(tmp_path: Path, killer: Killer) -> None:
    path = tmp_path / "a.h5"
    calls = writes_of_ranks(killer, path, 3, "--nodes", NODES, "--steps", STEPS, "--align", PAGE, "--target", "8KiB")
    assert shared(units_written(path, chunks_of(path), calls, PAGE)) == 0
    assert len(set.union(*units_written(path, slots_of(path), raises(calls), PAGE))) <= 2


def test_a_file_with_gaps_is_copied_and_says_so(tmp_path: Path) -> None:
    """An older Weft, which knows of no room between chunks, has to refuse it; h5py and copies need not know."""
    path, copy = tmp_path / "a.h5", tmp_path / "b.h5"
    case = ["--nodes", NODES, "--fields", "separate", "--target", 9000, "--layout", "isotropic", "--unknown-steps"]
    w.run_ecg(path, *case, "--steps", STEPS, "--align", PAGE)
    with h5py.File(path) as file:
        assert file["weft"].attrs["format_version"] == 3
    for more in ([], ["--read", "trace=1"], ["--cloud"], ["--filter", "deflate:1"]):
        w.weft_ok("repack", path, copy, *more)
        w.check_file(copy, NODES, STEPS, "separate")
        copy.unlink()
    w.run_ecg(copy, *case, "--steps", STEPS, "--align", 1)
    with h5py.File(copy) as file:
        assert file["weft"].attrs["format_version"] == 2
