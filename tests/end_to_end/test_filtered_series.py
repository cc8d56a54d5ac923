"""Series whose chunks are filtered while they are written: every value, whatever the ranks, lengths and interruptions."""

import json
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 1000
SMALL = ["--nodes", NODES, "--target", 20000]  # a dozen chunks a row
FILTERS = ["shuffle+deflate:1", "deflate:9", "shuffle+zstd", "lzf", "shuffle+lzf+fletcher32"]


def check(path: Path, steps: int, filters: str) -> None:
    """Against the values themselves, and against a copy without filters that Weft makes of it."""
    with h5py.File(path) as file:
        data = file["Data"]
        assert data.shape[0] == steps and not data.is_virtual
        pipeline = data.id.get_create_plist()
        assert pipeline.get_nfilters() == len(filters.split("+"))
        grid = [-(-size // chunk) for size, chunk in zip(data.shape, data.chunks, strict=True)]
        assert data.id.get_num_chunks() == np.prod(grid)
    if "zstd" in filters:  # stock h5py has none
        w.weft_ok("repack", path, f"{path}-plain.h5", "--filter", "none")
        w.check_file(Path(f"{path}-plain.h5"), NODES, steps)
        assert w.weft("verify", path).code == 0
    else:
        w.check_file(path, NODES, steps)


def check_same_chunks(path: Path, other: Path) -> None:
    with h5py.File(path) as first, h5py.File(other) as second:
        for chunk in first["Data"].iter_chunks():
            corner = tuple(part.start for part in chunk)
            assert first["Data"].id.read_direct_chunk(corner) == second["Data"].id.read_direct_chunk(corner)


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("ranks", [None, 2, 3, 7])
def test_known_length(tmp_path: Path, ranks: int | None, filters: str) -> None:
    path = tmp_path / "run.h5"
    report = w.run_ecg(path, *SMALL, "--steps", 101, "--filter", filters, ranks=ranks)
    check(path, 101, filters)
    got = w.weft_ok("read", path, "--field", "Data", "--trace", 7, "--json").json["values"]
    assert got == w.expected_fields(NODES, 101)["Data"][:, 7].tolist()
    assert report["nodes"] == NODES


@pytest.mark.parametrize("ranks", [None, 3])
def test_unknown_length_and_append(tmp_path: Path, ranks: int | None) -> None:
    path = tmp_path / "run.h5"
    filters = "shuffle+deflate:1"
    steps = 0
    for more in (13, 1, 300, 7, 77):
        appended = ["--append"] if steps else ["--filter", filters]
        steps += more
        report = w.run_ecg(path, *SMALL, "--steps", steps, "--unknown-steps", *appended, ranks=ranks)
        assert report["filtered"]["filter"] == filters
        check(path, steps, filters)


@pytest.mark.parametrize("ranks", [None, 2, 3, 7])
def test_past_the_page_cache(tmp_path: Path, ranks: int | None) -> None:
    """Ranks meet in the middle of pages; an append goes on within a chunk. The file holds the same bytes either way."""
    w.needs_direct_writes(tmp_path)
    nodes = 40009
    case = ["--nodes", nodes, "--target", "256KiB", "--budget", "6MiB", "--mesh", "none"]
    opens = {}
    for direct in ("never", "always"):
        path = tmp_path / f"{direct}.h5"
        how = [*case, "--direct", direct]
        report = w.run_ecg(path, *how, "--steps", 23, "--filter", "shuffle+deflate:1", ranks=ranks)
        opens[direct] = report["counters"]["syscall"]["opens"]
        w.run_ecg(path, *how, "--steps", 41, "--append", ranks=ranks)
        w.check_file(path, nodes, 41)
    assert opens["always"] == opens["never"] + (ranks or 1), "a descriptor of its own on every rank"
    check_same_chunks(tmp_path / "never.h5", tmp_path / "always.h5")


@pytest.mark.parametrize("ranks", [None, 2, 3, 7])
def test_whoever_shuffles(tmp_path: Path, ranks: int | None) -> None:
    """put() where the flusher is behind, the flusher where it waits: the same bytes, those at the edges, too."""
    case = ["--nodes", 40009, "--target", "256KiB", "--budget", "6MiB", "--steps", 41, "--filter", "shuffle+deflate:1"]
    behind = w.run_ecg(tmp_path / "behind.h5", *case, ranks=ranks)
    waits = w.run_ecg(tmp_path / "waits.h5", *case, "--compute", 5, ranks=ranks)
    for report in (behind, waits):
        assert report["counters"]["app"]["windows"] > 3, "those before hold other numbers"
    check_same_chunks(tmp_path / "behind.h5", tmp_path / "waits.h5")


@pytest.mark.parametrize("ranks", [None, 4])
def test_steps_are_committed_within_chunks(tmp_path: Path, ranks: int | None) -> None:
    """Every third step: chunks of more steps are then read, decoded and written again at another place."""
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, "--steps", 50, "--filter", "shuffle+deflate:1", "--commit-every", "3steps", ranks=ranks)
    check(path, 50, "shuffle+deflate:1")


def test_resumed_at_an_earlier_step(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, "--steps", 60, "--filter", "shuffle+deflate:1")
    w.run_ecg(path, *SMALL, "--steps", 60, "--append", "--from-step", 21)
    check(path, 60, "shuffle+deflate:1")


@pytest.mark.parametrize("bits", [1, 10, 52])
def test_values_are_rounded_within_the_bound(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "run.h5"
    how = ["--filter", f"bitround:{bits}+shuffle+deflate:1", "--commit-every", "3steps"]
    w.run_ecg(path, *SMALL, "--steps", 40, *how, ranks=2)
    w.run_ecg(path, *SMALL, "--steps", 70, "--append")
    exact = w.expected_fields(NODES, 70)["Data"]
    with h5py.File(path) as file:
        got = file["Data"][...]
        assert file["Data"].attrs["_QuantizeBitRoundNumberOfSignificantBits"] == bits
        bound = file["Data"].attrs["largest_relative_error"]
    assert bound == 2.0 ** -(bits + 1)
    assert np.all(np.abs(got - exact) <= bound * np.abs(exact))
    words = got.view(np.uint64)
    assert not np.any(words & np.uint64((1 << (52 - bits)) - 1)), "the bits that are cut are 0"
    assert w.same_bits(got, exact) == (bits == 52)


def test_read_while_it_is_written(tmp_path: Path) -> None:
    """Whoever opens the file finds the committed steps, exact, in h5py and through Weft."""
    path = tmp_path / "run.h5"
    exact = w.expected_fields(NODES, 400)["Data"]
    command = ["run", "ecg", "--out", path, *SMALL, "--steps", 400, "--filter", "shuffle+deflate:1", "--compute", "10"]
    with subprocess.Popen([w.WEFT, *map(str, [*command, "--commit-every", "5steps"])], stdout=subprocess.DEVNULL) as run:
        seen: set[int] = set()
        while run.poll() is None:
            if not path.exists():
                continue
            committed = 0
            try:
                committed = w.committed_steps(path)
                with h5py.File(path) as file:
                    assert w.same_bits(file["Data"][:committed], exact[:committed])
            except OSError as error:
                # Once, at the beginning, the end of the file moves. HDF5 asks for the length before it reads that end.
                assert "truncated" in str(error) and committed == 0 and not seen - {0}
                continue
            if committed:
                got = w.weft_ok("read", path, "--field", "Data", "--snapshot", committed - 1, "--json").json["values"]
                assert got == exact[committed - 1].tolist()
            seen.add(committed)
    assert run.returncode == 0 and len(seen) > 3  # a read takes half a second on a busy machine
    check(path, 400, "shuffle+deflate:1")


def test_what_others_add_after_a_kill_stays(tmp_path: Path) -> None:
    """A killed run leaves the end of the file ahead of its chunks, and h5py puts a dataset behind that end."""
    path = tmp_path / "run.h5"
    command = ["run", "ecg", "--out", path, *SMALL, "--steps", 4000, "--filter", "shuffle+deflate:1", "--compute", "5"]
    with subprocess.Popen([w.WEFT, *map(str, [*command, "--commit-every", "5steps"])], stdout=subprocess.DEVNULL) as run:
        until = time.monotonic() + 60
        while not (path.exists() and path.stat().st_size > 16 << 20) and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.2)
        run.kill()
    mine = np.arange(100_000)
    with h5py.File(path, "r+") as file:
        file["mine"] = mine
    w.weft_ok("recover", path)
    w.check_file(path, NODES, w.committed_steps(path))
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["mine"][...], mine)


@pytest.mark.parametrize(
    "size", [[*SMALL, "--steps", 101], ["--nodes", 200_000, "--steps", 48, "--mesh", "none"]], ids=["small", "large"]
)
def test_the_file_is_as_long_as_what_is_in_it(tmp_path: Path, size: list[object]) -> None:
    plain, path = tmp_path / "plain.h5", tmp_path / "run.h5"
    w.run_ecg(plain, *size)
    filtered = w.run_ecg(path, *size, "--filter", "shuffle+deflate:1")["filtered"]
    w.call(["h5repack", "-f", "/Data:SHUF", "-f", "/Data:GZIP=1", str(path), str(tmp_path / "repacked.h5")])
    with h5py.File(path) as file, h5py.File(tmp_path / "repacked.h5") as repacked:
        stored = file["Data"].id.get_storage_size()
        assert 0.98 < stored / repacked["Data"].id.get_storage_size() < 1.02
        rest = path.stat().st_size - stored
        chunks = file["Data"].id.get_num_chunks()
        assert json.loads(file["Data"].attrs["weft_layout"])["coding"]["decode_bandwidth"] == 250e6
    assert filtered["filter"] == "shuffle+deflate:1" and filtered["stored_bytes"] == stored < filtered["bytes"]
    with h5py.File(plain) as file:
        rest_of_plain = plain.stat().st_size - file["Data"].id.get_storage_size()
    # 48 bytes a chunk in the index, pages for two indexes, and the blank chunk. Windows of megabytes are whole pages.
    pages = stored // 200 if "--mesh" in size else 0
    assert rest <= rest_of_plain + 56 * chunks + 16384 + pages


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--filter", "gzip"], ["gzip", "deflate"]),
        (["--filter", "deflate:99"], ["deflate"]),
        (["--filter", "shuffle+deflate", "--strategy", "cached"], ["--strategy owner"]),
        (["--filter", "deflate", "--budget", "20KiB"], ["--budget"]),
        (["--filter", "bitround:0+deflate"], ["bitround:N", "1 to 52"]),
        (["--filter", "bitround:9"], ["compresses nothing"]),
    ],
)
def test_what_cannot_be(tmp_path: Path, arguments: list[str], words: list[str]) -> None:
    path = tmp_path / "run.h5"
    outcome = w.weft("run", "ecg", "--out", path, *SMALL, "--steps", 20, *arguments)
    assert outcome.code != 0 and len(outcome.error_lines) == 1, outcome
    assert all(word in outcome.err for word in words), outcome.err
    assert not path.exists() and list(tmp_path.iterdir()) == []
