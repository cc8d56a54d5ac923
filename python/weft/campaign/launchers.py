"""How ranks are started: the words in front of a command. Finding launchers looks at the system; the rest is pure.

mpirun     that of the MPI which weft was built on: Open MPI's and MPICH's cannot start each other's programs
srun       inside an allocation of Slurm
none       the command alone
template   words of the campaign's own: ["mpirun", "-n", "{ranks/2}", "{command}", ":", "-n", "{ranks/2}",
           "on-the-other-client", "{command}"]
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.campaign import process
from weft.campaign.model import NOWHERE, Launch, Place
from weft.errors import UsageError, WeftError

OPEN_MPI = "openmpi"
MPICH = "mpich"
NAMES = {
    OPEN_MPI: ("mpiexec.openmpi", "mpirun.openmpi", "mpirun", "mpiexec"),
    MPICH: ("mpiexec.mpich", "mpiexec.hydra", "mpirun.mpich", "mpiexec", "mpirun"),
    "": ("mpirun", "mpiexec"),
}
RANKS = re.compile(r"\{ranks(?:/([1-9]\d*))?\}")


@dataclass(frozen=True)
class Launcher:
    kind: str  # mpirun, srun, none, template
    words: tuple[str, ...]  # the launcher with its options; those of a template with {ranks} and {command} in them
    flavour: str = ""
    place: Place = NOWHERE

    def command(self, ranks: int | None, words: Sequence[str]) -> list[str]:
        """The whole command line. No number of ranks: the command alone."""
        if ranks is None or self.kind == "none":
            return list(words)
        if self.kind == "template":
            return _filled_in(self.words, ranks, words, self.place)
        return [*self.words, "-n", str(ranks), *words]

    @property
    def shown(self) -> str:
        return " ".join([os.path.basename(self.words[0]), *self.words[1:]]) if self.words else "none"


def _filled_in(template: Sequence[str], ranks: int, command: Sequence[str], place: Place) -> list[str]:
    def share(match: re.Match[str]) -> str:
        part = int(match[1] or 1)
        if ranks % part:
            raise UsageError(str(place), f"{ranks} ranks cannot be divided by {part}, as {match[0]} asks")
        return str(ranks // part)

    filled: list[str] = []
    for word in template:
        filled += command if word == "{command}" else [RANKS.sub(share, word)]
    return filled


def flavour_in(libraries: str) -> str:
    """Which MPI a program is linked with, from what `ldd` says of it."""
    if re.search(r"\blibmpi(?:ch)?\.so\.12\b|\blibmpi_\w+\.so\.12\b", libraries):  # MPICH's ABI, which others share
        return MPICH
    return OPEN_MPI if re.search(r"\blibmpi\.so\b", libraries) else ""


def flavour_of(program: str) -> str:
    """Nothing where there is no ldd to ask (another libc, a PATH cut short): any mpirun will do then."""
    try:
        said = subprocess.run(["ldd", program], capture_output=True, text=True, errors="replace", check=False).stdout
    except OSError:
        return ""
    return flavour_in(said)


def flavour_said(version: str) -> str:
    """Which MPI a launcher belongs to, from its own --version."""
    if "Open MPI" in version or "OpenRTE" in version or "open-mpi" in version:
        return OPEN_MPI
    return MPICH if "HYDRA" in version or "MPICH" in version else ""


def find_launcher(launch: Launch, program: str) -> Launcher:
    """Raises UsageError where there is none, with the line of the campaign's file that asks for it."""
    if launch.launcher == "none":
        return Launcher("none", (), place=launch.place)
    if launch.launcher == "template":
        if shutil.which(launch.template[0]) is None:
            raise UsageError(
                str(launch.place), f"there is no '{launch.template[0]}' here", "install it or name another"
            )
        return Launcher("template", launch.template, place=launch.place)
    if launch.launcher == "srun":
        return _find_srun(launch)
    flavour = flavour_of(program)
    words = _words_given() or (_find_mpirun(launch, flavour), *mpirun_options(launch, flavour))
    return Launcher("mpirun", words, flavour, launch.place)


def _words_given() -> tuple[str, ...]:
    """WEFT_MPIEXEC, which stands for mpirun wherever that is asked for."""
    words = os.environ.get("WEFT_MPIEXEC", "")
    try:
        given = tuple(shlex.split(words))
    except ValueError as error:
        raise UsageError("WEFT_MPIEXEC", f"'{words}': {error}", "mend it, or unset it") from None
    if given and shutil.which(given[0]) is None:
        raise UsageError("WEFT_MPIEXEC", f"there is no '{given[0]}' here", "name another, or unset it")
    return given


def mpirun_options(launch: Launch, flavour: str) -> tuple[str, ...]:
    options = tuple(launch.options.get(flavour, ()))
    if launch.oversubscribe and flavour == OPEN_MPI:  # bound to cores, two ranks would share one while another is idle
        return ("--oversubscribe", "--bind-to", "none", *options)
    return options


def _find_mpirun(launch: Launch, flavour: str) -> str:
    for name in NAMES[flavour]:
        path = shutil.which(name)
        if path is not None and (not flavour or _flavour_of_launcher(path) == flavour):
            return path
    mpi = {OPEN_MPI: "Open MPI's mpirun", MPICH: "MPICH's mpiexec", "": "mpirun"}[flavour]
    raise UsageError(str(launch.place), f"there is no {mpi} on the PATH",
                     'install it, or write launcher = "none" and leave out ranks')  # fmt: skip


def _flavour_of_launcher(path: str) -> str:
    said = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", check=False)
    return flavour_said(said.stdout + said.stderr)


def _find_srun(launch: Launch) -> Launcher:
    path = shutil.which("srun")
    if path is None:
        raise UsageError(str(launch.place), "there is no srun on the PATH", "run this where Slurm is")
    if "SLURM_JOB_ID" not in os.environ:
        raise UsageError(str(launch.place), 'launcher = "srun" is for inside an allocation of Slurm',
                         "start it from salloc, or from what weft campaign sbatch prints")  # fmt: skip
    return Launcher("srun", (path, *launch.options.get("srun", ())), "slurm", launch.place)


def check_slots(launcher: Launcher, ranks: int, place: Place, environment: Mapping[str, str]) -> None:
    """Starts so many ranks of `true`: whether there are enough slots is for the launcher to say."""
    try:
        tried = process.run(launcher.command(ranks, ["true"]), cwd=Path.cwd(), environment=environment,
                            timeout=process.PATIENCE)  # fmt: skip
    except OSError as error:
        raise WeftError(str(place), f"{launcher.shown} cannot be started: {error.strerror}", "name another") from None
    if not tried.failed:
        return
    if tried.timed_out:
        raise WeftError(str(place), f"{launcher.shown} has not started {ranks} ranks in {process.PATIENCE:g} s",
                        "see what it waits for, or name another launcher")  # fmt: skip
    said = " ".join((tried.err + tried.out).split())
    if "not enough slots" in said or "More processors requested" in said:
        remedy = "ask for fewer, or write oversubscribe = true in [launch]"
        raise WeftError(str(place), f"{launcher.shown} has not enough slots for ranks = {ranks}", remedy)
    words = re.sub(r"^[-\s]+", "", said)
    raise WeftError(str(place), f"{launcher.shown} cannot start {ranks} ranks: {words[:300]}")
