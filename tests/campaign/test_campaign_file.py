"""A campaign's file: what it says is understood, and what it says wrongly is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign_run import CAMPAIGN, REPO
from weft.campaign.campaign_file import Overrides, parse_campaign, read_campaign_file
from weft.campaign.experiments import experiments_of
from weft.campaign.model import Axis, Campaign
from weft.campaign.shipped import campaign_named, shipped
from weft.errors import UsageError

FULL = """\
title = "Ways"
question = "Which?"
reproduces = "A paper, Table 1"

[run]
kernel = "ecg"
launcher = ["mpirun", "-n", "{ranks}", "{command}"]
repeats = 4
seed = 5
order = "rounds"
pause = "2min"
cache = "cold"
timeout = "10min"
takes = "20s"
scale = 0.5
room = "settings.nodes * 8"
rehearse = { nodes = 8 }

[launch]
oversubscribe = true
openmpi = ["--map-by", "core"]

[options]
nodes = { full = 1000 }
hint = ["a=1", "b=2"]

[matrix]
ranks = [1, 2]
stripe-count = [{ full = 8 }, 4]

[[matrix.way]]
name = "old"
layout = "rows"
[[matrix.way]]
name = "new"
label = "new, {layout}"
layout = "isotropic"
measure = { after = "0" }

[[measure]]
name = "write"
value = "seconds.output"
[[measure]]
name = "after"
value = "seconds.after"
[[measure]]
name = "calls"
value = "counters.calls"
unit = ""
shown = true

[checks]
"all is there" = "bytes > 0"
"the file is sound" = ["{weft}", "verify", "{out}"]

[report]
compare = "way"
baseline = "old"
total = "sum"

[paper]
cite = "A paper"
where = "a machine"
[[paper.values]]
way = "old"
write = [10, 1]
after = { each = [1, 2, 3] }
[[paper.ratios]]
way = "new"
ratio = 0.5
[[paper.ratios]]
way = "new"
ranks = 2
direction = "slower"
words = "it was slow"
[paper.why]
write = "because"
"""


def axis_of(campaign: Campaign, name: str) -> Axis:
    return next(axis for axis in campaign.axes if axis.name == name)


def test_all_that_a_file_can_say() -> None:
    campaign = parse_campaign("full.toml", FULL)
    assert (campaign.repeats, campaign.seed, campaign.order, campaign.pause, campaign.cache) == (
        4,
        5,
        "rounds",
        120,
        "cold",
    )
    assert (campaign.timeout, campaign.takes, campaign.scale) == (600, 10, 0.5)  # takes is of full scale
    assert campaign.launch.launcher == "template" and campaign.launch.oversubscribe
    assert campaign.launch.options["openmpi"] == ("--map-by", "core")
    assert campaign.options == {"nodes": 500, "hint": ["a=1", "b=2"]}
    assert [axis.name for axis in campaign.axes] == ["ranks", "stripe-count", "way", "folder"]
    assert [value.name for value in axis_of(campaign, "stripe-count").values] == ["8", "4"]
    assert axis_of(campaign, "stripe-count").values[0].settings == {"stripe-count": 4}
    assert axis_of(campaign, "way").values[1].label == "new, isotropic"
    assert axis_of(campaign, "way").values[1].place.line == 34
    assert len(experiments_of(campaign)) == 2 * 2 * 2 * 4
    assert campaign.rehearse == {"nodes": 8}
    assert list(campaign.checks) == ["all is there"] and list(campaign.check_commands) == ["the file is sound"]
    assert campaign.report.answer == "sum"
    paper = campaign.paper
    assert paper is not None
    assert [(v.measure, v.mean, v.spread) for v in paper.values] == [
        ("write", 10, 1),
        ("after", 2, pytest.approx(3**-0.5)),
    ]
    assert [(r.direction, r.ratio, r.choice) for r in paper.ratios] == [
        ("faster", 0.5, {"way": "new"}), ("slower", None, {"way": "new", "ranks": "2"}),
    ]  # fmt: skip


def test_what_the_command_line_says_instead() -> None:
    overrides = Overrides(scale=0.01, repeats=1, seed=9, pause=0.5, launcher="none", keep=True,
                          axes={"ranks": [4], "way": ["new"], "folder": [("fast", "/scratch")], "align": ["1MiB"]})  # fmt: skip
    campaign = parse_campaign("full.toml", FULL.replace('baseline = "old"\n', ""), overrides)
    (experiment, *others) = experiments_of(campaign)
    assert len(others) == 1  # the two stripe counts
    assert experiment.settings == {"nodes": 10, "hint": ["a=1", "b=2"], "ranks": 4, "stripe-count": 1,
                                   "layout": "isotropic", "folder": "/scratch", "align": "1MiB"}  # fmt: skip
    assert experiment.choice["folder"] == "fast"
    assert (campaign.seed, campaign.pause, campaign.keep, campaign.launch.launcher) == (9, 0.5, True, "none")


def test_little_is_enough() -> None:
    campaign = parse_campaign("a.toml", 'title="t"\nquestion="q"\nrun.kernel="ecg"\nmatrix.strategy=["a","b"]')
    assert campaign.report.compare == "strategy" and campaign.report.baseline == "a"
    assert [measure.name for measure in campaign.measures] == ["output"]
    assert campaign.repeats == 3 and len(experiments_of(campaign)) == 6


# What is changed in FULL, the line of the error, and words in it.
MISTAKES = [
    (('title = "Ways"', "title = "), 1, "not TOML"),
    (('title = "Ways"', "title = 5"), 1, "title = 5 is not what is wanted"),
    (('title = "Ways"\n', ""), 1, "'title' is missing"),
    (('title = "Ways"', 'tilte = "Ways"'), 1, "'title' is missing"),
    (('reproduces = "', 'reprodces = "'), 3, "unknown key 'reprodces'; did you mean 'reproduces'?"),
    (("repeats = 4", "repats = 4"), 8, "unknown key 'repats' in [run]; did you mean 'repeats'?"),
    (("repeats = 4", "repeats = 0"), 8, "repeats = 0 is less than 1"),
    (("repeats = 4", "repeats = 4.5"), 8, "repeats = 4.5 is not what is wanted"),
    (('order = "rounds"', 'order = "round"'), 10, "order = 'round' is not known; did you mean 'rounds'?"),
    (('pause = "2min"', 'pause = "soon"'), 11, "time 'soon' is not a duration"),
    (('cache = "cold"', 'cache = "icy"'), 12, "cache = 'icy' is not known"),
    (("scale = 0.5", "scale = 0"), 15, "scale = 0.0 is not above 0"),
    (('room = "settings.nodes * 8"', 'room = "settings.nodes *"'), 16, "is not an expression"),
    (('kernel = "ecg"', 'kernel = "ecg"\nprogram = ["a"]'), 6, "a kernel or a program, and not both"),
    (('"{ranks}", "{command}"]', '"{ranks}"]'), 7, "have no '{command}'"),
    (('launcher = ["mpirun", "-n", "{ranks}", "{command}"]', 'launcher = "mpirrun"'), 7, "did you mean 'mpirun'?"),
    (("oversubscribe = true", "oversubscribe = 1"), 20, "oversubscribe = 1 is not what is wanted"),
    (("openmpi =", "open-mpi ="), 21, "unknown key 'open-mpi' in [launch]; did you mean 'openmpi'?"),
    (("{ full = 1000 }", "{ full = 1000, lest = 5 }"), 24, "unknown key 'lest'"),
    (("{ full = 1000 }", "{ a = 5 }"), 24, "is not a setting"),
    (('hint = ["a=1", "b=2"]', "hint = []"), 25, "is not a setting"),
    (("ranks = [1, 2]", "ranks = 2"), 28, "the axis 'ranks' is not a list"),
    (("ranks = [1, 2]", "ranks = []"), 28, "the axis 'ranks' is not a list"),
    (("ranks = [1, 2]", "ranks = [1, 1]"), 28, "has the value '1' twice"),
    (('name = "old"\nlayout', "layout"), 31, "'name' is missing"),
    (('name = "new"\nlabel', 'name = "old"\nlabel'), 31, "has the value 'old' twice"),
    (('label = "new, {layout}"', 'label = "new, {layuot}"'), 36, "names what this value does not set"),
    (('measure = { after = "0" }', 'measure = { after = "0 +" }'), 38, "is not an expression"),
    (('name = "after"', 'name = "write"'), 44, "there are two measures 'write'"),
    (('unit = ""', 'units = ""'), 49, "unknown key 'units' in [measure]; did you mean 'unit'?"),
    (('"bytes > 0"', '"bytes > "'), 53, "is not an expression"),
    (('compare = "way"', 'compare = "ways"'), 57, "is not an axis of the matrix; did you mean 'way'?"),
    (('baseline = "old"', 'baseline = "odl"'), 58, "is not a value of 'way'; did you mean 'old'?"),
    (('total = "sum"', 'total = "write"'), 59, "is the name of a measure"),
    (('total = "sum"', 'answer = "wriet"'), 59, "is not a measure that is compared; did you mean 'write'?"),
    (('total = "sum"', 'lines = "ranks"'), 59, "where do the values of this axis lie?"),
    (("write = [10, 1]", "wirte = [10, 1]"), 66, "is neither an axis nor a measure that is compared; did you mean 'write'?"),
    (("write = [10, 1]", "write = [10, 1, 2]"), 66, "is not a figure"),
    (("ratio = 0.5", 'ration = "much"'), 68, "neither ratio nor direction is given"),
    (('direction = "slower"', 'direction = "up"'), 74, "direction = 'up' is not known"),
    (('write = "because"', 'wrote = "because"'), 77, "'wrote' is not a measure that is compared; did you mean 'write'?"),
    # What would end in a traceback, take for ever, or pass unseen.
    (("scale = 0.5", "scale = 1" + 400 * "0"), 15, "scale: the number is too large"),
    (("scale = 0.5", "scale = inf"), 15, "scale = inf is not finite"),
    (("scale = 0.5", "scale = 1e9"), 15, "is more than 1e+06"),
    (("seed = 5", "seed = 1" + 5000 * "0"), 9, "the number is too large"),
    (("seed = 5", "seed = 0x1" + 5000 * "0"), 9, "seed: the number is too large"),
    (('hint = ["a=1", "b=2"]', "hint = " + 3000 * "[" + 3000 * "]"), 25, "brackets are nested too deep"),
    (('hint = ["a=1", "b=2"]', "hint = [1, nan]"), 25, "hint = nan is not finite"),
    (('pause = "2min"', "pause = inf"), 11, "pause = inf is not finite"),
    (('pause = "2min"', "pause = -1"), 11, "pause = -1.0 is not between 0 and a year"),
    (('pause = "2min"', 'pause = "' + 400 * "9" + 's"'), 11, "is longer than a year"),
    (('timeout = "10min"', "timeout = -1"), 13, "timeout = -1.0 is not between 0 and a year"),
    (('timeout = "10min"', "timeout = inf"), 13, "timeout = inf is not finite"),
    (('timeout = "10min"', "timeout = 0"), 13, "timeout = 0 leaves no time to run"),
    (("repeats = 4", "repeats = 1000000000"), 8, "8 settings, each 1000000000 times, are more than 100,000 experiments"),
    (("{ full = 1000 }", "{ full = -5 }"), 24, "full = -5 is not above 0"),
    (("{ full = 1000 }", "{ full = 100, multiple = 0 }"), 24, "multiple = 0 is not a whole number from 1"),
    (("{ full = 1000 }", '{ full = "' + 400 * "9" + 'x2" }'), 24, "is too large"),
    (("{ full = 1000 }", '{ full = "' + 400 * "9" + 'MiB" }'), 24, "is more than any file has"),
    (("{ full = 1000 }", '{ full = 100, least = "few" }'), 24, "size 'few' is not a number of bytes"),
    (("ranks = [1, 2]", "ranks = [1, [[2]]]"), 28, "ranks: [[2]] is not a setting"),
    (('"new, {layout}"', '"new, {layout.x}"'), 36, "names what this value does not set; it sets layout"),
    (('"new, {layout}"', '"new, {layout[0]}"'), 36, "names what this value does not set"),
    (('"new, {layout}"', '"new, {layout"'), 36, "names what this value does not set"),
    (('room = "settings.nodes * 8"', 'room = "' + 500 * "(" + "1" + 500 * ")" + '"'), 16, "room: '(((("),
    (('total = "sum"', "answer = []"), 59, "answer = '' is not a measure"),
    (('total = "sum"', 'answer = ""'), 59, "answer = '' is not a measure"),
    (('hint = ["a=1", "b=2"]', 'folder = "/scratch"'), 25, 'folder is an axis of the matrix, and is set nowhere else; write'),
    (('layout = "rows"', 'folder = "/scratch"'), 33, "folder is an axis of the matrix, and is set nowhere else; write"),
    (("write = [10, 1]", "calls = [10, 1]"), 66, "'calls' is neither an axis nor a measure that is compared"),
    (("write = [10, 1]", "write = -10"), 66, "write = -10 is not a figure"),
    (("write = [10, 1]", "write = [10, -1]"), 66, "is not a figure"),
    (("write = [10, 1]", 'write = "10"'), 66, "is not a figure"),
    (("write = [10, 1]", "write = inf"), 66, "write = inf is not finite"),
    (("each = [1, 2, 3]", "each = [1, true]"), 67, "is not a figure"),
    (("ratio = 0.5", 'measure = "calls"\nratio = 0.5'), 70, "'calls' is not a measure that is compared"),
    (('way = "new"\nratio', "way = { a = 1 }\nratio"), 69, "is not a value of an axis"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "line", "words"), MISTAKES, ids=[words for _, _, words in MISTAKES])
def test_mistakes_are_told_with_their_line(change: tuple[str, str], line: int, words: str) -> None:
    assert change[0] in FULL
    with pytest.raises(UsageError) as raised:
        parse_campaign("full.toml", FULL.replace(change[0], change[1], 1))
    assert str(raised.value).startswith(f"full.toml:{line}: "), raised.value
    assert words in str(raised.value)
    assert raised.value.exit_code == 2


def test_a_mistake_at_the_end_of_a_file() -> None:
    with pytest.raises(UsageError, match=r"a\.toml:2: not TOML"):
        parse_campaign("a.toml", 'title = "t"\nquestion = """open')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_campaign_file(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not text in UTF-8"):
        read_campaign_file(tmp_path / "binary.toml")


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_campaigns(name: str) -> None:
    """Each says what it reproduces, has the paper's figures where it reproduces one, and is found by its name."""
    assert campaign_named(name) == REPO / "campaigns" / name / "campaign.toml"
    for scale in (None, 1.0, 0.001):
        campaign = read_campaign_file(campaign_named(name), Overrides(scale=scale))
        assert campaign.report.would_change and campaign.takes
        assert (campaign.paper is not None) == bool(campaign.reproduces)
        assert campaign.repeats >= 5, "fewer tell little apart"
        experiments = experiments_of(campaign)
        assert len({experiment.key for experiment in experiments}) == len(experiments)


def test_a_name_that_is_none() -> None:
    with pytest.raises(UsageError, match="is neither a file nor a shipped campaign; did you mean 'ecg-table-1'"):
        campaign_named("ecg-tabel-1")
    assert parse_campaign("fake.toml", CAMPAIGN).program


def test_a_launcher_of_the_command_lines_own() -> None:
    words = "mpirun -n {ranks/2} {command} : -n {ranks/2} on-node-2 {command}"
    launch = parse_campaign("full.toml", FULL, Overrides(launcher=words)).launch
    assert launch.launcher == "template" and launch.template == tuple(words.split())
    assert parse_campaign("full.toml", FULL, Overrides(launcher="none")).launch.template == ()


@pytest.mark.parametrize("words", ["mpiexec", "mpirun -n {ranks}", "mpirun '{command}"])
def test_a_launcher_that_starts_nothing(words: str) -> None:
    with pytest.raises(UsageError, match="^--launcher: "):
        parse_campaign("full.toml", FULL, Overrides(launcher=words))


def test_one_name_for_a_value_in_the_matrix_and_beside_the_paper() -> None:
    """true is "yes" in the matrix; the paper's figures find it however it is written."""
    text = FULL.replace("ranks = [1, 2]", "sync = [true, false]").replace("ranks = 2", "sync = true")
    text = text.replace("words = ", 'against = "old"\nwords = ').replace('way = "old"\nwrite', "sync = false\nwrite")
    campaign = parse_campaign("full.toml", text)
    assert [value.name for value in axis_of(campaign, "sync").values] == ["yes", "no"]
    assert campaign.paper is not None
    assert campaign.paper.values[0].choice == {"sync": "no"}
    assert campaign.paper.ratios[1].choice == {"way": "new", "sync": "yes"}
    compared = text.replace('compare = "way"\nbaseline = "old"', 'compare = "sync"').replace(
        '"old"\nwords', "false\nwords"
    )
    paper = parse_campaign("full.toml", compared).paper
    assert paper is not None and [ratio.against for ratio in paper.ratios] == ["yes", "no"]


def test_a_paper_may_have_measured_nothing_at_all() -> None:
    paper = parse_campaign("full.toml", FULL.replace("write = [10, 1]", "write = [0, 0]")).paper
    assert paper is not None and (paper.values[0].mean, paper.values[0].spread) == (0, 0)
