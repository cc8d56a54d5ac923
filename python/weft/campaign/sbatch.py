"""A campaign as a job for Slurm: the script, to be looked at and handed to sbatch. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from weft.campaign.estimate import Estimate
from weft.campaign.experiments import Experiment
from weft.campaign.model import Campaign

SLACK = 1.5  # a job that is not done in time goes on in the next one, but queues once more
HOUR = 3600


def time_limit(seconds: float) -> str:
    """Slurm's HOURS:MINUTES:00, rounded up to five minutes: 4000 -> "01:10:00"."""
    minutes = -(-int(seconds) // 300) * 5
    return f"{minutes // 60:02}:{minutes % 60:02}:00"


def job_name(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:40] or "campaign"


def sbatch_script(
    campaign: Campaign, order: list[Experiment], run_words: Sequence[str], directives: Sequence[str]
) -> str:
    """`run_words`: the campaign's own command line, whose launcher becomes srun; `directives`: more of sbatch's options,
    which come last and so win."""
    estimate = Estimate(campaign, {}).of_all(order)
    ranks = max((experiment.ranks or 1 for experiment in order), default=1)
    lines = [
        "#!/bin/bash",
        f"#SBATCH --job-name={job_name(campaign.title)}",
        f"#SBATCH --ntasks={ranks}",
        f"#SBATCH --time={time_limit(max(SLACK * estimate, 600) if estimate is not None else 4 * HOUR)}",
        "#SBATCH --output=weft-campaign-%j.log",  # where sbatch is called: Slurm makes no folders, and fails without
        "#SBATCH --exclusive",
        *(f"#SBATCH {directive}" for directive in directives),
        "",
        "# One experiment at a time, in random order. Submitted again after a time limit it goes on where it was.",
        "exec " + shlex.join([*run_words, "--launcher", "srun", "--resume"]),
        "",
    ]
    return "\n".join(lines)
