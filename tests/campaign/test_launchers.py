"""The words in front of a command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from weft.campaign import process
from weft.campaign.launchers import (
    MPICH,
    OPEN_MPI,
    Launcher,
    check_slots,
    find_launcher,
    flavour_in,
    flavour_of,
    flavour_said,
    mpirun_options,
)
from weft.campaign.model import Launch, Place
from weft.errors import UsageError, WeftError

PLACE = Place("a.toml", 3)


def test_which_mpi_a_program_is_linked_with() -> None:
    assert flavour_in("\tlibmpi.so.40 => /lib/libmpi.so.40 (0x1)\n") == OPEN_MPI
    assert flavour_in("\tlibmpich.so.12 => /lib/libmpich.so.12 (0x1)\n") == MPICH
    assert flavour_in("\tlibmpi.so.12 => /opt/cray/libmpi.so.12 (0x1)\n") == MPICH  # its ABI, which others share
    assert flavour_in("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n") == ""


def test_which_mpi_a_launcher_is_of() -> None:
    assert flavour_said("mpirun (Open MPI) 5.0.3") == OPEN_MPI
    assert flavour_said("mpiexec.openmpi (OpenRTE) 4.1.4") == OPEN_MPI
    assert flavour_said("HYDRA build details:\n    Version: 4.0.2") == MPICH
    assert flavour_said("something") == ""


def test_commands() -> None:
    run = ["weft", "run", "ecg"]
    launcher = Launcher("mpirun", ("mpirun", "--oversubscribe"))
    assert launcher.command(4, run) == ["mpirun", "--oversubscribe", "-n", "4", *run]
    assert launcher.command(None, run) == run
    assert Launcher("none", ()).command(1, run) == run
    assert Launcher("srun", ("srun", "--exclusive")).command(2, run) == ["srun", "--exclusive", "-n", "2", *run]


def test_a_template_for_two_clients() -> None:
    words = ["mpirun", "-np", "{ranks/2}", "{command}", ":", "-np", "{ranks/2}", "node", "2", "{command}"]
    launcher = Launcher("template", tuple(words), place=PLACE)
    assert launcher.command(4, ["a", "b"]) == ["mpirun", "-np", "2", "a", "b", ":", "-np", "2", "node", "2", "a", "b"]
    with pytest.raises(UsageError, match=r"a\.toml:3: 3 ranks cannot be divided by 2, as \{ranks/2\} asks"):
        launcher.command(3, ["a"])


def test_more_ranks_than_cores() -> None:
    launch = Launch(oversubscribe=True, options={"openmpi": ("-x", "A"), "mpich": ("-genv", "A", "1")})
    assert mpirun_options(launch, OPEN_MPI) == ("--oversubscribe", "--bind-to", "none", "-x", "A")
    assert mpirun_options(launch, MPICH) == ("-genv", "A", "1")


@pytest.mark.parametrize(
    ("launch", "words"),
    [
        (Launch(place=PLACE), "a.toml:3: there is no mpirun on the PATH"),
        (Launch(launcher="srun", place=PLACE), "a.toml:3: there is no srun on the PATH"),
        (
            Launch(launcher="template", template=("mpirun", "{command}"), place=PLACE),
            "a.toml:3: there is no 'mpirun' here",
        ),
    ],
)
def test_no_launcher(monkeypatch: pytest.MonkeyPatch, launch: Launch, words: str) -> None:
    monkeypatch.delenv("WEFT_MPIEXEC", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("weft.campaign.launchers.flavour_of", lambda program: "")
    with pytest.raises(UsageError, match=words):
        find_launcher(launch, "weft")


def test_srun_is_for_an_allocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    with pytest.raises(UsageError, match="is for inside an allocation of Slurm"):
        find_launcher(Launch(launcher="srun", place=PLACE), "weft")
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    launch = Launch(launcher="srun", options={"srun": ("--mpi=pmix",)}, place=PLACE)
    assert find_launcher(launch, "weft").command(2, ["a"]) == ["/bin/srun", "--mpi=pmix", "-n", "2", "a"]


def test_nothing_to_ask_which_mpi_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert flavour_of("weft") == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [("/no/such", "WEFT_MPIEXEC: there is no '/no/such' here"), ("mpirun 'a", "WEFT_MPIEXEC: .*No closing quotation")],
)
def test_a_launcher_given_that_is_none(monkeypatch: pytest.MonkeyPatch, words: str, told: str) -> None:
    monkeypatch.setenv("WEFT_MPIEXEC", words)
    with pytest.raises(UsageError, match=told):
        find_launcher(Launch(place=PLACE), "weft")


def launcher_that(tmp_path: Path, text: str) -> Launcher:
    file = tmp_path / "start"
    file.write_text(text)
    file.chmod(0o755)
    return Launcher("mpirun", (str(file),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no program", "a.toml:3: start cannot be started: Exec format error"),
        ("#!/bin/sh\nexec sleep 9\n", "a.toml:3: start has not started 2 ranks in 0.3 s"),
        ("#!/bin/sh\necho not enough slots\nexit 1\n", "a.toml:3: start has not enough slots for ranks = 2"),
        ("#!/bin/sh\necho -- out of order\nexit 1\n", "a.toml:3: start cannot start 2 ranks: out of order"),
    ],
)
def test_a_launcher_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, told: str) -> None:
    monkeypatch.setattr(process, "PATIENCE", 0.3)
    with pytest.raises(WeftError, match=told):
        check_slots(launcher_that(tmp_path, text), 2, PLACE, os.environ)
    check_slots(launcher_that(tmp_path, "#!/bin/sh\n"), 2, PLACE, os.environ)
