"""weft run blast: the files of all nodes hold the results that docs/kernels/blast.md describes, whatever the strategy,
the ranks and the dealing; and what a run asks of its files is what its plan says and what strace sees.

The results are made again here from that description alone, and blocks are opened by Python's own zlib.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import weft_run as w

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
TASKS, MEAN, SEED = 13, 9000, 7


def small(tasks: int = TASKS, seed: int = SEED) -> list[object]:
    return ["--tasks", tasks, "--result-size", MEAN, "--seed", seed]


SMALL = small()
STRATEGIES = ["immediate", "two-stage"]


def mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def random_bits(seed: int, stream: int, index: int) -> int:
    return mixed((mixed((seed + GAMMA * (stream + 1)) & MASK) + GAMMA * (index + 1)) & MASK)


class Draws:
    def __init__(self, seed: int, task: int) -> None:
        self.seed, self.task, self.index = seed, task, 0

    def bits(self) -> int:
        self.index += 1
        return random_bits(self.seed, self.task, self.index - 1)

    def below(self, end: int) -> int:
        return self.bits() % end


AMINO = "ACDEFGHIKLMNPQRSTVWY"
KINDS = ["hypothetical", "predicted", "putative", "conserved", "probable", "uncharacterized", "partial", "unnamed"]
PROTEINS = ["ATP-binding cassette transporter", "serine/threonine protein kinase", "cytochrome P450",
            "heat shock protein 70", "zinc finger protein", "DNA-directed RNA polymerase subunit beta",
            "elongation factor Tu", "glyceraldehyde-3-phosphate dehydrogenase"]  # fmt: skip
SPECIES = ["Homo sapiens", "Mus musculus", "Danio rerio", "Drosophila melanogaster", "Arabidopsis thaliana",
           "Saccharomyces cerevisiae", "Escherichia coli", "Bacillus subtilis"]  # fmt: skip


def head(task: int, length: int) -> str:
    query = f"""Query_{task}</{{0}}_query-ID>
  <{{0}}_query-def>task {task}</{{0}}_query-def>
  <{{0}}_query-len>{length}</{{0}}_query-len>
"""
    return (
        """<?xml version="1.0"?>
<!DOCTYPE BlastOutput PUBLIC "-//NCBI//NCBI BlastOutput/EN" "http://www.ncbi.nlm.nih.gov/dtd/NCBI_BlastOutput.dtd">
<BlastOutput>
  <BlastOutput_program>blastp</BlastOutput_program>
  <BlastOutput_version>BLASTP 2.2.26</BlastOutput_version>
  <BlastOutput_db>random</BlastOutput_db>
  <BlastOutput_query-ID>"""
        + query.format("BlastOutput")
        + """  <BlastOutput_param>
    <Parameters>
      <Parameters_matrix>BLOSUM62</Parameters_matrix>
      <Parameters_expect>10</Parameters_expect>
      <Parameters_gap-open>11</Parameters_gap-open>
      <Parameters_gap-extend>1</Parameters_gap-extend>
      <Parameters_filter>F</Parameters_filter>
    </Parameters>
  </BlastOutput_param>
<BlastOutput_iterations>
<Iteration>
  <Iteration_iter-num>1</Iteration_iter-num>
  <Iteration_query-ID>"""
        + query.format("Iteration")
        + "<Iteration_hits>\n"
    )


FOOT = """</Iteration_hits>
  <Iteration_stat>
    <Statistics>
      <Statistics_db-num>100000</Statistics_db-num>
      <Statistics_db-len>35000000</Statistics_db-len>
      <Statistics_hsp-len>0</Statistics_hsp-len>
      <Statistics_eff-space>0</Statistics_eff-space>
      <Statistics_kappa>0.041</Statistics_kappa>
      <Statistics_lambda>0.267</Statistics_lambda>
      <Statistics_entropy>0.14</Statistics_entropy>
    </Statistics>
  </Iteration_stat>
</Iteration>
</BlastOutput_iterations>
</BlastOutput>
"""


def hit(draws: Draws, query: str, number: int, length: int, size: int) -> str:
    gi, accession = 10_000_000 + draws.below(90_000_000), 1_000_000 + draws.below(9_000_000)
    name = f"{KINDS[draws.below(8)]} {PROTEINS[draws.below(8)]} [{SPECIES[draws.below(8)]}]"
    beyond = draws.below(400)
    hit_from = 1 + draws.below(beyond + 1)
    evalue = f"{1 + draws.below(9)}e-{20 + draws.below(150)}"
    first = draws.below(len(query) - length + 1)
    identity = 82 + draws.below(18)
    aligned = query[first : first + length]
    found, between = "", ""
    for letter in aligned:
        bits = draws.bits()
        if bits % 100 < identity:
            found, between = found + letter, between + letter
        else:
            found += AMINO[(bits >> 32) % 20]
            between += "+" if (bits >> 40) % 4 == 0 else " "
    identical = sum(letter not in "+ " for letter in between)
    positive = identical + between.count("+")
    score = 5 * identical + positive
    text = f"<Hit>\n  <Hit_num>{number}</Hit_num>\n  <Hit_id>gi|{gi}|ref|XP_{accession}.1|</Hit_id>\n  <Hit_def>{name}"
    rest = f"""</Hit_def>
  <Hit_accession>XP_{accession}</Hit_accession>
  <Hit_len>{length + beyond}</Hit_len>
  <Hit_hsps>
    <Hsp>
      <Hsp_num>1</Hsp_num>
      <Hsp_bit-score>{score * 385 // 1000}.{score * 385 % 1000:03d}</Hsp_bit-score>
      <Hsp_score>{score}</Hsp_score>
      <Hsp_evalue>{evalue}</Hsp_evalue>
      <Hsp_query-from>{first + 1}</Hsp_query-from>
      <Hsp_query-to>{first + length}</Hsp_query-to>
      <Hsp_hit-from>{hit_from}</Hsp_hit-from>
      <Hsp_hit-to>{hit_from + length - 1}</Hsp_hit-to>
      <Hsp_query-frame>0</Hsp_query-frame>
      <Hsp_hit-frame>0</Hsp_hit-frame>
      <Hsp_identity>{identical}</Hsp_identity>
      <Hsp_positive>{positive}</Hsp_positive>
      <Hsp_gaps>0</Hsp_gaps>
      <Hsp_align-len>{length}</Hsp_align-len>
      <Hsp_qseq>{aligned}</Hsp_qseq>
      <Hsp_hseq>{found}</Hsp_hseq>
      <Hsp_midline>{between}</Hsp_midline>
    </Hsp>
  </Hit_hsps>
</Hit>
"""
    return text + (" homolog" * 200)[: max(0, size - len(text) - len(rest))] + rest


@cache
def result(task: int, mean: int = MEAN, seed: int = SEED) -> bytes:
    """A task's document."""
    end = mean // 2 + random_bits(seed, MASK, task) % (mean + 1) - len(FOOT)
    draws = Draws(seed, task)
    length = 350 + draws.below(200)
    query = "".join(AMINO[draws.below(20)] for _ in range(length))
    text = head(task, length)
    longest = 1000 + 3 * length
    number = 1
    while len(text) < end:
        room = end - len(text)
        if room >= 2 * longest:
            text += hit(draws, query, number, length - draws.below(length // 4), 0)
        else:
            size = room // 2 if room > longest else room
            text += hit(draws, query, number, (size - 1000) // 3, size)
        number += 1
    return (text + FOOT).encode()


def blocks_of(path: Path) -> list[bytes]:
    """The texts of a node file's blocks."""
    data, at, texts = path.read_bytes(), 0, []
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        texts.append(zlib.decompress(data[at + 4 : at + 4 + size]))
        at += 4 + size
    assert at == len(data)
    return texts


def text_of(path: Path) -> bytes:
    return b"".join(blocks_of(path))


def documents_of(folder: Path) -> list[bytes]:
    text = b"".join(text_of(path) for path in sorted(folder.iterdir()))
    return [b"<?xml" + document for document in text.split(b"<?xml")[1:]]


def run(out: Path, *arguments: object, ranks: int | None = None, tasks: int = TASKS, seed: int = SEED) -> Any:
    return w.weft_ok("run", "blast", "--out", out, *small(tasks, seed), *arguments, "--json", ranks=ranks).json


def check_as_planned(report: Any) -> None:
    assert report["as_planned"]
    plan, app = report["plan"], report["counters"]["app"]
    for key in ("opens", "closes", "seeks", "writes", "bytes", "write_sizes"):
        assert plan[key] == app[key], key
    assert plan["per_rank"] == report["per_rank"]
    assert report["counters"]["mpi"]["opens"] == report["counters"]["mpi"]["writes"] == 0


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_every_strategy_leaves_the_same_text(tmp_path: Path, ranks: int) -> None:
    per_node = {1: 1, 2: 2, 3: 2, 4: 4, 6: 1, 8: 3}[ranks]
    nodes = -(-ranks // per_node)
    settings: dict[str, list[object]] = {
        "immediate": ["--strategy", "immediate"],
        "two-stage": ["--strategy", "two-stage"],
        # 20,000 bytes are two results or three; writes of two blocks.
        "tight": ["--strategy", "two-stage", "--collect", 20000, "--write", 8000],
    }
    for name, strategy in settings.items():
        out = tmp_path / name
        report = run(out, *strategy, "--ranks-per-node", per_node, ranks=ranks)
        check_as_planned(report)
        assert sorted(path.name for path in out.iterdir()) == [f"node_{n:04d}.blast" for n in range(nodes)]
        for node in range(nodes):
            expected = b"".join(result(task) for task in range(node, TASKS, nodes))
            assert text_of(out / f"node_{node:04d}.blast") == expected, f"{name}: node {node}"
        files = [path.stat().st_size for path in out.iterdir()]
        assert report["file_bytes"] == report["bytes"] == sum(files)
        assert report["writers"]["count"] == nodes
        assert report["text_bytes"] == sum(len(result(task)) for task in range(TASKS))
        if name != "tight":
            assert report["counters"]["app"]["writes"] == (2 * TASKS if name == "immediate" else nodes)
            plan = ["--plan", "--ranks", ranks, "--ranks-per-node", per_node]
            assert w.weft_ok("run", "blast", *plan, *SMALL, *strategy, "--json").json == report["plan"]


def test_the_same_seed_the_same_files(tmp_path: Path) -> None:
    for out in ("a", "b"):
        run(tmp_path / out, "--ranks-per-node", 4, ranks=8)
    run(tmp_path / "c", "--ranks-per-node", 4, seed=SEED + 1, ranks=8)
    for name in ("node_0000.blast", "node_0001.blast"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert (tmp_path / "a" / name).read_bytes() != (tmp_path / "c" / name).read_bytes()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("ranks", "per_node"), [(4, 1), (5, 3), (8, 4)])
def test_on_demand_every_result_is_somewhere_whole(tmp_path: Path, strategy: str, ranks: int, per_node: int) -> None:
    out = tmp_path / "out"
    report = run(out, "--strategy", strategy, "--deal", "demand", "--ranks-per-node", per_node, ranks=ranks)
    assert sorted(documents_of(out)) == sorted(result(task) for task in range(TASKS))
    assert report["as_planned"]
    assert report["plan"]["sizes"] == "estimated"
    plan, app = report["plan"], report["counters"]["app"]
    assert [plan[k] for k in ("opens", "closes", "seeks")] == [app[k] for k in ("opens", "closes", "seeks")]
    if strategy == "immediate":
        assert plan["write_sizes"] == app["write_sizes"], "every result is a block of its own, wherever it is"


def test_a_result_is_a_document(tmp_path: Path) -> None:
    run(tmp_path / "out")
    for block in blocks_of(tmp_path / "out" / "node_0000.blast"):
        root = ElementTree.fromstring(block)
        hits = root.findall("BlastOutput_iterations/Iteration/Iteration_hits/Hit")
        assert [int(h.findtext("Hit_num", "")) for h in hits] == list(range(1, len(hits) + 1))
        for found in hits:
            [hsp] = found.findall("Hit_hsps/Hsp")
            length = int(hsp.findtext("Hsp_align-len", ""))
            query, subject, midline = (hsp.findtext(f"Hsp_{name}", "") for name in ("qseq", "hseq", "midline"))
            assert len(query) == len(subject) == len(midline) == length
            # A residue may be changed to itself.
            assert all(m in "+ " or m == q == s for q, s, m in zip(query, subject, midline, strict=True))
            assert int(hsp.findtext("Hsp_identity", "")) == length - midline.count("+") - midline.count(" ")


def test_it_compresses_as_the_paper_says(tmp_path: Path) -> None:
    report = w.weft_ok("run", "blast", "--out", tmp_path / "out", "--tasks", 20, "--json").json
    assert 6.5 < report["ratio"] < 8.5
    text = text_of(tmp_path / "out" / "node_0000.blast")
    assert len(text) == report["text_bytes"]
    assert report["ratio"] == pytest.approx(len(text) / report["bytes"])
    for part in ("compress", "write"):
        numbers = report["writers"][part]
        assert numbers["seconds"]["mean"] > 0 and numbers["bandwidth"]["mean"] > 0
        assert numbers["seconds"]["sd"] == 0, "one writer"
        assert numbers["seconds"]["mean"] == pytest.approx(report["seconds"][part], abs=1e-8)


def test_phases_have_tasks_and_files_of_their_own(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = run(out, "--phases", 2, "--ranks-per-node", 2, "--strategy", "two-stage", ranks=4)
    check_as_planned(report)
    assert report["files"] == 4
    for phase, suffix in enumerate(["", ".1"]):
        for node in range(2):
            expected = b"".join(result(phase * TASKS + task) for task in range(node, TASKS, 2))
            assert text_of(out / f"node_{node:04d}{suffix}.blast") == expected


def test_more_nodes_than_tasks(tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = run(out, "--ranks-per-node", 1, "--yardstick", ranks=4, tasks=2)
    check_as_planned(report)
    assert report["seconds"]["raw"] > 0
    assert [path.stat().st_size > 0 for path in sorted(out.iterdir())] == [True, True, False, False]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("extra", [[], ["--ranks-per-node", 12], ["--tasks", 3_000_000, "--ranks-per-node", 12]])
def test_a_plan_needs_no_ranks(strategy: str, extra: list[object]) -> None:
    began = time.monotonic()
    plan = w.weft_ok("run", "blast", "--strategy", strategy, "--plan", "--ranks", 100_000, "--json", *extra).json
    assert time.monotonic() - began < 5
    assert {"kernel", "strategy", "ranks", "files", "bytes", "opens", "closes", "seeks", "writes", "write_sizes",
            "per_rank"} <= plan.keys()  # fmt: skip
    tasks = plan["tasks"]
    nodes = 8334 if extra else 1
    assert (plan["ranks"], plan["files"], plan["opens"], plan["closes"]) == (100_000, nodes, nodes, nodes)
    if strategy == "immediate":
        assert plan["writes"] == plan["seeks"] == 2 * tasks
    else:
        assert plan["writes"] == min(nodes, tasks) and plan["seeks"] == 0
    assert sum(plan["write_sizes"].values()) == plan["writes"]
    assert sum(int(size) * times for size, times in plan["write_sizes"].items()) == plan["bytes"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_system_sees_what_is_counted(tmp_path: Path, strategy: str) -> None:
    out, log = tmp_path / "out", tmp_path / "strace"
    calls = ["openat", "close", "write", "lseek", "pwrite64", "writev", "pwritev"]
    command = ["strace", "-f", "-y", "-o", str(log), "-e", f"trace={','.join(calls)}"]
    command += [w.WEFT, "run", "blast", "--out", str(out), *map(str, SMALL), "--strategy", strategy, "--json"]
    command += ["--collect", "30000", "--write", "7000"]
    outcome = w.call(command)
    assert outcome.code == 0, outcome
    report = outcome.json
    seen: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for line in log.read_text(errors="replace").splitlines():
        if "node_0000.blast" not in line:
            continue
        match = re.match(r"\d+ +(\w+)\(.*= (-?\d+)", line)
        assert match, line
        seen[match[1]] += 1
        if match[1] == "write":
            sizes[match[2]] += 1
    system = report["counters"]["syscall"]
    assert (seen["openat"], seen["close"], seen["lseek"], seen["write"]) == (
        system["opens"],
        system["closes"],
        system["seeks"],
        system["writes"],
    )
    assert sum(seen.values()) == sum(seen[name] for name in ("openat", "close", "lseek", "write"))
    assert sizes == system["write_sizes"]
    if strategy == "two-stage":  # nothing lies between the application and the system
        assert system == report["counters"]["app"]
    else:
        assert system["seeks"] == report["counters"]["app"]["seeks"] == 2 * TASKS


@contextmanager
def small_disk(folder: Path, limit: str) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", limit, "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


# Full in the middle of a file, and before a file can be made.
@pytest.mark.parametrize("limit", ["size=64k", "nr_inodes=2"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("ranks", "per_node"), [(None, 1), (5, 3)])
def test_a_full_disk_is_one_line(tmp_path: Path, limit: str, strategy: str, ranks: int | None, per_node: int) -> None:
    options = [*small(tasks=60), "--strategy", strategy, "--collect", "50000", "--write", "10000"]
    with small_disk(tmp_path / "small", limit) as disk:
        outcome = w.weft("run", "blast", "--out", disk / "out", *options, "--ranks-per-node", per_node, ranks=ranks)
    assert outcome.code == 1, outcome
    [line] = outcome.error_lines
    assert re.search(r"node_000\d\.blast: .*No space left on device; ", line), line


USAGE: list[tuple[list[str], str]] = [
    ([], "no folder is named to write into; add --out DIR"),
    (["--out", "FULL"], "is not empty (here is in it)"),
    (["--out", "FULL/here"], "is not a folder"),
    (["--out", "OUT", "--tasks", "0"], "--tasks 0"),
    (["--out", "OUT", "--tasks", "-1"], "--tasks"),
    (["--out", "OUT", "--tasks", "99999999999999999999"], "--tasks"),
    (["--out", "OUT", "--tasks", "9999999999999999999"], "too many"),
    (["--out", "OUT", "--phases", "0"], "--phases 0"),
    (["--out", "OUT", "--strategy", "fast"], "strategy 'fast': is not known; use immediate or two-stage"),
    (["--out", "OUT", "--deal", "cards"], "--deal 'cards': is not known; use static or demand"),
    (["--out", "OUT", "--ranks-per-node", "0"], "--ranks-per-node 0"),
    (["--out", "OUT", "--result-size", "100"], "--result-size 100"),
    (["--out", "OUT", "--result-size", "4GiB"], "one message"),
    (["--out", "OUT", "--strategy", "two-stage", "--collect", "5GiB"], "4 GiB"),
    (["--out", "OUT", "--strategy", "two-stage", "--write", "0"], "--write 0"),
    (["--out", "OUT", "--collect", "many"], "size 'many'"),
]


@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_is_refused(tmp_path: Path, ranks: int | None) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "here").touch()
    out = tmp_path / "out"
    # On ranks one after another takes long; what differs there is who tells, so a few are enough.
    for arguments, words in USAGE if ranks is None else USAGE[:4] + USAGE[8:9]:
        said = [a.replace("OUT", str(out)).replace("FULL", str(full)) for a in arguments]
        outcome = w.weft("run", "blast", *said, ranks=ranks)
        assert outcome.code == 2, (arguments, outcome)
        [line] = outcome.error_lines
        assert words in line, line
        assert not out.exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    outcome = w.weft("run", "blast", "--out", "/proc/nowhere", *SMALL)
    assert outcome.code == 1 and len(outcome.error_lines) == 1
