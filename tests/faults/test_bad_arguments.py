"""What cannot be is refused: one line that says what and what to do, exit 2 for a usage error and 1 otherwise, on one
rank and on several, within seconds."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

SOON = 20.0  # seconds; such a run takes one, and this machine may do much else

SMALL = ["--nodes", "101", "--steps", "5"]

# Arguments of `weft run ecg` (OUT is the output file), the exit code, and a word that the line must hold.
USAGE = [
    (["--out", "OUT", "--nodes", "0"], "--nodes"),
    (["--out", "OUT", "--steps", "0"], "--steps"),
    (["--out", "OUT", "--nodes", "-5"], "--nodes"),
    (["--out", "OUT", "--nodes", "many"], "--nodes"),
    (["--out", "OUT", "--nodes", "1000000000000"], "--nodes"),
    (["--out", "OUT", "--nodes", "9223372036854775807", "--steps", "9223372036854775807"], "--nodes"),
    (["--out", "OUT", *SMALL, "--strategy", "fast"], "strategy 'fast'"),
    (["--out", "OUT", *SMALL, "--layout", "diagonal"], "layout 'diagonal'"),
    (["--out", "OUT", *SMALL, "--ownership", "mine"], "ownership 'mine'"),
    (["--out", "OUT", *SMALL, "--fields", "three"], "--fields 'three'"),
    (["--out", "OUT", *SMALL, "--source", "oracle"], "--source oracle"),
    (["--out", "OUT", *SMALL, "--read", "diagonal=1"], "diagonal"),
    (["--out", "OUT", *SMALL, "--target", "4"], "target"),
    (["--out", "OUT", *SMALL, "--target", "big"], "size 'big'"),
    (["--out", "OUT", *SMALL, "--budget", "16"], "--budget"),
    (["--out", "OUT", *SMALL, "--latency", "soon"], "time 'soon'"),
    (["--out", "OUT", *SMALL, "--compute", "soon"], "time 'soon'"),
    (["--out", "OUT", *SMALL, "--bandwidth", "0"], "rate '0'"),
    (["--out", "OUT", *SMALL, "--hint", "cb_nodes"], "KEY=VALUE"),
    (["--out", "OUT", *SMALL, "--from-step", "3"], "--append"),
    (["--out", "OUT", *SMALL, "--source", "replay"], "--from"),
    (["--out", "OUT", *SMALL, "--no-such-option"], "no-such-option"),
    (SMALL, "--out"),
]


def check_line(outcome: w.Outcome, code: int, word: str, ranks: int | None) -> None:
    assert len(outcome.error_lines) == 1, outcome
    assert word in outcome.error_lines[0]
    assert outcome.error_lines[0].startswith("weft: error: ")
    assert outcome.code == code, outcome
    if ranks is None:
        assert outcome.err.splitlines() == outcome.error_lines, "nothing but the line"


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize(("arguments", "word"), USAGE, ids=[" ".join(a).replace("--out OUT ", "") for a, _ in USAGE])
def test_usage_errors(tmp_path: Path, arguments: list[str], word: str, ranks: int | None) -> None:
    out = tmp_path / "out.h5"
    outcome = w.weft("run", "ecg", *[str(out) if a == "OUT" else a for a in arguments], ranks=ranks, patience=SOON)
    check_line(outcome, 2, word, ranks)
    # What a budget must hold is known only when the chunks are; everything else is found before the file is made.
    assert "--budget" in arguments or not out.exists()


@pytest.mark.parametrize("ranks", [None, 3])
class TestPlaces:
    """Files and folders that are not what they should be: exit 1."""

    def run(self, out: Path, *arguments: object, ranks: int | None) -> w.Outcome:
        return w.weft("run", "ecg", "--out", out, *SMALL, *arguments, ranks=ranks, patience=SOON)

    def test_no_folder(self, tmp_path: Path, ranks: int | None) -> None:
        out = tmp_path / "nowhere" / "out.h5"
        check_line(self.run(out, ranks=ranks), 1, "No such file or directory; check the path", ranks)

    def test_out_is_a_folder(self, tmp_path: Path, ranks: int | None) -> None:
        check_line(self.run(tmp_path, ranks=ranks), 1, "Is a directory", ranks)

    @pytest.mark.skipif(not Path("/proc/sys").exists(), reason="no folder that root cannot write")
    def test_read_only_folder(self, tmp_path: Path, ranks: int | None) -> None:
        folder = tmp_path / "closed"
        folder.mkdir(mode=0o555)
        # Root may write anywhere but in the kernel's own folders.
        out = Path("/proc/sys/weft-test.h5") if os.geteuid() == 0 else folder / "out.h5"
        check_line(self.run(out, ranks=ranks), 1, str(out), ranks)

    def test_append_to_nothing(self, tmp_path: Path, ranks: int | None) -> None:
        check_line(self.run(tmp_path / "none.h5", "--append", ranks=ranks), 1, "No such file", ranks)

    def test_append_to_plain_hdf5(self, tmp_path: Path, ranks: int | None) -> None:
        path = tmp_path / "plain.h5"
        with h5py.File(path, "w") as file:
            file["Data"] = np.zeros((5, 101, 2))
        before = path.read_bytes()
        check_line(self.run(path, "--append", ranks=ranks), 1, "not a Weft file", ranks)
        assert path.read_bytes() == before

    def test_append_to_a_truncated_file(self, tmp_path: Path, ranks: int | None) -> None:
        path = tmp_path / "out.h5"
        w.run_ecg(path, *SMALL)
        path.write_bytes(path.read_bytes()[:1500])
        check_line(self.run(path, "--append", ranks=ranks), 1, str(path), ranks)

    def test_replay_of_no_file(self, tmp_path: Path, ranks: int | None) -> None:
        missing = tmp_path / "missing.h5"
        outcome = self.run(tmp_path / "out.h5", "--source", "replay", "--from", missing, ranks=ranks)
        check_line(outcome, 1, str(missing), ranks)

    def test_replay_of_something_else(self, tmp_path: Path, ranks: int | None) -> None:
        text = tmp_path / "notes.txt"
        text.write_text("no HDF5 here\n" * 1000)
        outcome = self.run(tmp_path / "out.h5", "--source", "replay", "--from", text, ranks=ranks)
        check_line(outcome, 1, "cannot be opened as HDF5", ranks)

    def test_replay_of_datasets_that_will_not_do(self, tmp_path: Path, ranks: int | None) -> None:
        path = tmp_path / "plain.h5"
        with h5py.File(path, "w") as file:
            file["flat"] = np.zeros(7)
            file["words"] = np.array([[b"a", b"b"], [b"c", b"d"]])
            file["empty"] = np.zeros((0, 5))
        for name, code, word in [
            ("", 1, "no dataset that is known to hold steps"),
            (":nothing", 1, "has no dataset nothing"),
            (":flat", 2, "has no field on nodes"),
            (":words", 1, "/words is of text of 1 bytes"),
            (":empty", 1, "/empty of shape 0x5 holds no steps"),
        ]:
            out = tmp_path / "out.h5"
            outcome = self.run(out, "--source", "replay", "--from", f"{path}{name}", ranks=ranks)
            check_line(outcome, code, word, ranks)

    def test_replay_of_more_than_was_recorded(self, tmp_path: Path, ranks: int | None) -> None:
        path = tmp_path / "plain.h5"
        with h5py.File(path, "w") as file:
            file["Data"] = np.zeros((5, 30))
        outcome = self.run(tmp_path / "out.h5", "--source", "replay", "--from", path, ranks=ranks)
        check_line(outcome, 2, "has 30 nodes, not 101", ranks)


@pytest.mark.parametrize(
    ("command", "code", "word"),
    [
        (["layout", "0x5"], 2, "extent of 0"),
        (["layout", "151x"], 2, "shape '151x'"),
        (["layout", "151x100x2", "--target", "4"], 2, "target"),
        (["layout", "99999999999x99999999999x99999999999"], 2, "2^63"),
        (["info", "missing.h5"], 1, "missing.h5: cannot open: No such file or directory"),
        (["info", "."], 1, "Is a directory"),
        (["read", "missing.h5", "--trace", "0"], 1, "missing.h5"),
        (["read", "good.h5"], 2, "--trace"),
        (["read", "good.h5", "--trace", "101"], 2, "101"),
        (["read", "good.h5", "--trace", "-1"], 2, "-1"),
        (["read", "good.h5", "--snapshot", "5"], 2, "5"),
        (["read", "good.h5", "--field", "W", "--trace", "0"], 2, "W"),
        (["read", "good.h5", "--box", "0:1"], 2, "box '0:1'"),
        (["fly"], 2, "weft fly: is not a command"),
        (["ino", "good.h5"], 2, "did you mean weft info?"),
        (["verfiy", "good.h5"], 2, "did you mean weft verify?"),
        (["info", "--jsn", "good.h5"], 2, "--jsn; did you mean --json?"),
        (["reduce", "good.h5", "--feild", "V"], 2, "did you mean --field?"),
        (["read", "good.h5", "--csv", "--json", "--trace", "1"], 2, "--csv excludes --json"),
        (["--fly"], 2, "subcommand"),
    ],
)
def test_other_commands(tmp_path: Path, command: list[str], code: int, word: str) -> None:
    w.run_ecg(tmp_path / "good.h5", *SMALL)
    outcome = w.call([w.WEFT, *command], cwd=tmp_path, patience=SOON)
    check_line(outcome, code, word, None)
    assert outcome.out == ""


def test_the_bare_command_shows_its_help() -> None:
    outcome = w.call([w.WEFT], patience=SOON)
    assert outcome.code == 2 and "layout" in outcome.out and "Start here" in outcome.out and outcome.err == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGABRT, signal.SIGKILL])
def test_a_rank_that_dies_ends_all(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "out.h5"
    pids = tmp_path / "pids"
    pids.mkdir()
    command = [w.WEFT, "run", "ecg", "--out", str(path), "--nodes", "5003", "--steps", "2000", "--compute", "20"]
    command += ["--target", "64KiB", "--budget", "1MiB"]
    announced = ["bash", "-c", f'touch "{pids}/$$"; exec "$@"', "bash", *command]
    run = subprocess.Popen(
        w.on_ranks(3, announced), env=w.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + SOON
        while not (path.exists() and path.stat().st_size > 0 and _committed(path) > 5):
            assert time.monotonic() < deadline and run.poll() is None, "the run does not get going"
            time.sleep(0.1)
        ranks = [int(p.name) for p in pids.iterdir()]
        assert len(ranks) == 3
        os.kill(ranks[1], number)
        assert run.wait(timeout=SOON) != 0
    finally:
        run.kill()
        run.wait()
    for _ in range(50):  # the launcher may be gone a moment before its ranks
        alive = [pid for pid in ranks if _is_running(pid)]
        if not alive:
            break
        time.sleep(0.1)
    assert alive == []
    assert w.check_committed(path, 5003, 2000) > 5


def _committed(path: Path) -> int:
    try:
        return w.committed_steps(path)
    except (OSError, KeyError):
        return 0  # being made


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    """Latin-1 in old files: the report is there, and is JSON."""
    path = tmp_path / "old.h5"
    with h5py.File(path, "w") as file:
        file["time"] = np.arange(4.0)
        file["V"] = np.arange(12.0).reshape(4, 3)
        file["V"].attrs["units"] = np.bytes_(b"\xb0C")
        file["time"].attrs["units"] = np.bytes_(b"\xb5s")
        file["time"].make_scale("time")
        file["V"].dims[0].attach_scale(file["time"])
    w.weft_ok("info", path, "--json")
    assert w.weft_ok("read", path, "--field", "V", "--trace", 0, "--json").json
    w.weft_ok("import", path, tmp_path / "new.h5", "--json")


def test_a_list_does_not_replace_what_it_lists(tmp_path: Path) -> None:
    path, link = tmp_path / "a.h5", tmp_path / "link.h5"
    with h5py.File(path, "w") as file:
        file["V"] = np.arange(12.0).reshape(4, 3)
    link.symlink_to(path)
    before = path.read_bytes()
    for source, out in [(path, path), (path, link), (link, path)]:
        refused = w.weft("refs", source, "--out", out)
        assert refused.code == 2 and "is the file that is listed" in refused.err, refused
    assert path.read_bytes() == before
    other, old = tmp_path / "other.h5", tmp_path / "old.json"
    other.write_bytes(before)
    refused = w.weft("refs", path, "--out", other)
    assert refused.code == 2 and "exists, and is no list of references" in refused.err and other.read_bytes() == before
    for _ in range(2):
        w.weft_ok("refs", path, "--out", old)
