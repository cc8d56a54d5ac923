"""Manual pages of weft campaign and weft report, made of the words of their --help, laid out as those of weft's own
commands are (cli/manual.cpp). The build calls it: `python3 python/weft manual FOLDER`. Any Python will do: nothing is
imported but its own modules.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import weft
from weft.campaign import arguments as campaign
from weft.errors import UsageError, WeftError, ending_with_a_line
from weft.report import arguments as report

EXIT_STATUS = (
    "0 where all went well, 2 where an argument cannot be used, 1 for everything else.",
    "What went wrong is one line on standard error.",
)
EXAMPLE = re.compile(r"Examples?:\s*")


def roff(text: str) -> str:
    """As roff takes it: what it would read as its own is escaped, and hyphens can be copied into a shell."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped


def macro_argument(text: str) -> str:
    return '"' + roff(text).replace('"', "\\(dq") + '"'


def bold(text: str) -> str:
    return f"\\fB{roff(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{roff(text)}\\fR"


def page_name(command: argparse.ArgumentParser) -> str:
    return command.prog.replace(" ", "-")


class Page:
    """`summary`: what the list of commands says of it; `others`: the pages to see also."""

    def __init__(self, command: argparse.ArgumentParser, summary: str, others: list[str]) -> None:
        self.command, self.summary, self.others = command, summary, others
        self.lines: list[str] = []

    def text(self) -> str:
        name = page_name(self.command)
        title = macro_argument(name.upper())
        self.lines = [f'.TH {title} 1 "" {macro_argument("weft " + weft.__version__)} "Weft"', ".SH NAME"]
        self.lines.append(f"{roff(name)} \\- {roff(self.summary)}")
        self._synopsis()
        words = (self.command.description or self.summary).rstrip(".")
        self.lines += [".SH DESCRIPTION", roff(words[:1].upper() + words[1:]) + "."]
        self._arguments()
        self._options()
        self._commands()
        self._examples()
        self.lines += [".SH EXIT STATUS", *EXIT_STATUS, ".SH SEE ALSO"]
        self.lines += [bold(other) + "(1)" + ("," if other != self.others[-1] else "") for other in self.others]
        return "\n".join(self.lines) + "\n"

    def _synopsis(self) -> None:
        words = [bold(self.command.prog), f"[{italic('OPTIONS')}]"]
        for option in options_of(self.command):
            if option.required:
                words.append(f"{bold(option.option_strings[-1])} {italic(value_name(option))}")
        for argument in arguments_of(self.command):
            words.append(italic(argument.dest) + (" ..." if argument.nargs == "+" else ""))
        self.lines += [".SH SYNOPSIS", " ".join([*words, *([italic("COMMAND")] if commands_of(self.command) else [])])]

    def _arguments(self) -> None:
        arguments = arguments_of(self.command)
        if arguments:
            self.lines.append(".SH ARGUMENTS")
        for argument in arguments:
            self.lines += [".TP", italic(argument.dest), roff(argument.help or "")]

    def _options(self) -> None:
        self.lines.append(".SH OPTIONS")
        for group in self.command._action_groups:
            options = [action for action in group._group_actions if action.option_strings]
            if options and group.title not in ("options", "optional arguments"):
                self.lines.append(f".SS {macro_argument(group.title or '')}")
            for option in options:
                names = ", ".join(bold(name) for name in option.option_strings)
                value = value_name(option)
                words = (option.help or "") + (" (required)" if option.required else "")
                self.lines += [".TP", names + (f" {italic(value)}" if value else ""), roff(words)]

    def _commands(self) -> None:
        below = commands_of(self.command)
        if below:
            self.lines.append(".SH COMMANDS")
        for command, words in below:
            self.lines += [".TP", bold(page_name(command)) + "(1)", roff(words)]

    def _examples(self) -> None:
        if self.command.epilog:
            self.lines += [".SH EXAMPLES", ".nf", roff(EXAMPLE.sub("", self.command.epilog)), ".fi"]


def options_of(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if action.option_strings]


def arguments_of(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        action
        for action in command._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]


def value_name(option: argparse.Action) -> str:
    """What an option takes: "PATH"; nothing of a flag."""
    return "" if option.nargs == 0 else str(option.metavar or option.dest.upper().replace("-", "_"))


def commands_of(command: argparse.ArgumentParser) -> list[tuple[argparse.ArgumentParser, str]]:
    """Those below it, each with what the list says of it."""
    found = []
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            words = {choice.dest: choice.help or "" for choice in action._choices_actions}
            found += [(below, words[name]) for name, below in action.choices.items()]
    return found


def pages() -> Iterator[tuple[str, str]]:
    """Names of files, and what is in them."""
    for top in (campaign.parser(), report.parser()):
        below = commands_of(top)
        summary = (top.description or "").split(". ")[0].rstrip(".")
        yield page_name(top), Page(top, summary, ["weft", *(page_name(command) for command, _ in below)]).text()
        for command, words in below:
            yield page_name(command), Page(command, words, [page_name(top)]).text()


def main() -> None:
    def command() -> None:
        if len(sys.argv) != 2:
            raise UsageError("weft manual", "takes the folder to write the pages into")
        folder = Path(sys.argv[1]) / "man1"
        texts: dict[str, str] = dict(pages())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in texts.items():
                (folder / f"{name}.1").write_text(text, encoding="utf-8")
        except OSError as error:
            raise WeftError(str(folder), f"cannot be written: {error.strerror}") from None

    sys.exit(ending_with_a_line(command))
