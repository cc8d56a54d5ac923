"""The words in front of a command."""

from __future__ import annotations

import pytest
from weft.campaign.launchers import (
    MPICH,
    OPEN_MPI,
    Launcher,
    find_launcher,
    flavour_in,
    flavour_of,
    flavour_said,
    mpirun_options,
)
from weft.campaign.model import Launch, Place
from weft.errors import UsageError

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
