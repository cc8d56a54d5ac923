#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "weft/support/error.hpp"
#include "weft/version.hpp"

namespace weft::cli {

namespace {

std::string page_name(const CLI::App& command) { return fmt::format("{}", fmt::join(words_of(command), "-")); }

// Text as roff takes it: what it would read as its own is escaped, and hyphens can be copied into a shell.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

// As an argument of a macro.
std::string macro_argument(const std::string& text) {
  std::string escaped = roff(text);
  for (std::size_t at = 0; (at = escaped.find('"', at)) != std::string::npos; at += 4) escaped.replace(at, 1, "\\(dq");
  return '"' + escaped + '"';
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

// The end of --help: what it says, and after "Example:" what one might type.
struct Footer {
  std::vector<std::string> words;
  std::vector<std::string> examples;
};

Footer footer_of(const CLI::App& command) {
  Footer footer;
  bool examples = false;
  std::istringstream lines(command.get_footer());
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view heading : {"Example:", "Examples:"}) {
      if (!line.starts_with(heading)) continue;
      examples = true;
      line.erase(0, heading.size());
    }
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) (examples ? footer.examples : footer.words).push_back(line);
  }
  return footer;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// "FILE" for a positional, "TEXT" or "UINT" for what an option takes; "" for a flag.
std::string value_name(const CLI::Option& option) { return is_flag(option) ? "" : option.get_type_name(); }

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command, const std::string& group) {
  return command.get_options(
      [&](const CLI::Option* option) { return option->nonpositional() && option->get_group() == group; });
}

// All names of an option: {"-h", "--help"}.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

class Page {
 public:
  explicit Page(const CLI::App& command)
      : command_(command), name_(fmt::format("{}", fmt::join(words_of(command), " "))) {}

  std::string text() {
    std::string title = page_name(command_);
    std::transform(title.begin(), title.end(), title.begin(), [](unsigned char c) { return std::toupper(c); });
    line(fmt::format(R"(.TH {} 1 "" {} "Weft")", macro_argument(title),
                     macro_argument(fmt::format("weft {}", kVersion))));
    line(".SH NAME");
    line(fmt::format("{} \\- {}", roff(page_name(command_)), roff(command_.get_description())));
    synopsis();
    const Footer footer = footer_of(command_);
    line(".SH DESCRIPTION");
    line(roff(command_.get_description()) + ".");
    if (!footer.words.empty()) line(".PP");
    for (const std::string& words : footer.words) line(roff(words));
    arguments();
    options();
    commands();
    examples(footer.examples);
    line(".SH EXIT STATUS");
    line("0 where all went well, 2 where an argument cannot be used, 1 for everything else.");
    line("What went wrong is one line on standard error.");
    see_also();
    return text_;
  }

 private:
  void line(const std::string& words) { text_ += words + "\n"; }

  void synopsis() {
    line(".SH SYNOPSIS");
    std::string words = bold(name_) + " [" + italic("OPTIONS") + "]";
    for (const CLI::Option* option : command_.get_options()) {
      if (!option->nonpositional() || !option->get_required()) continue;
      words += " " + bold(names_of(*option).back()) + " " + italic(value_name(*option));
    }
    for (const CLI::Option* argument : positionals_of(command_)) {
      const std::string name = italic(argument->get_name(true));
      words += argument->get_required() ? " " + name : " [" + name + "]";
    }
    if (!shown_commands(command_).empty()) words += " " + italic("COMMAND");
    line(words);
  }

  void arguments() {
    if (positionals_of(command_).empty()) return;
    line(".SH ARGUMENTS");
    for (const CLI::Option* argument : positionals_of(command_)) {
      line(".TP");
      line(italic(argument->get_name(true)));
      line(roff(argument->get_description()));
    }
  }

  void options() {
    line(".SH OPTIONS");
    for (const std::string& group : command_.get_groups()) {
      const auto members = options_of(command_, group);
      if (group.empty() || members.empty()) continue;
      if (group != "Options") line(".SS " + macro_argument(group));
      for (const CLI::Option* option : members) one_option(*option);
    }
  }

  void one_option(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : names_of(option)) names.push_back(bold(name));
    std::string heading = fmt::format("{}", fmt::join(names, ", "));
    if (const std::string value = value_name(option); !value.empty()) heading += " " + italic(value);
    line(".TP");
    line(heading);
    std::string words = option.get_description();
    if (!option.get_default_str().empty()) words += fmt::format(" (default: {})", option.get_default_str());
    if (option.get_required()) words += " (required)";
    line(roff(words));
  }

  void commands() {
    if (shown_commands(command_).empty()) return;
    line(".SH COMMANDS");
    for (const CLI::App* command : shown_commands(command_)) {
      line(".TP");
      line(bold(page_name(*command)) + "(1)");
      line(roff(command->get_description()));
    }
  }

  void examples(const std::vector<std::string>& examples) {
    if (examples.empty()) return;
    line(".SH EXAMPLES");
    line(".nf");
    for (const std::string& example : examples) line(roff(example));
    line(".fi");
  }

  void see_also() {
    std::vector<std::string> pages;
    if (command_.get_parent() != nullptr) pages.push_back(page_name(*command_.get_parent()));
    for (const CLI::App* command : shown_commands(command_)) pages.push_back(page_name(*command));
    line(".SH SEE ALSO");
    for (std::size_t i = 0; i < pages.size(); ++i) {
      line(fmt::format("{}(1){}", bold(pages[i]), i + 1 < pages.size() ? "," : ""));
    }
  }

  const CLI::App& command_;
  std::string name_;
  std::string text_;
};

// Calls `visit` with a command and all below it.
void each_command(const CLI::App& command, const std::function<void(const CLI::App&)>& visit) {
  visit(command);
  for (const CLI::App* below : shown_commands(command)) each_command(*below, visit);
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw system_error(path.string(), "cannot write", errno);
}

void write_manual(const CLI::App& weft, const std::filesystem::path& folder) {
  each_command(weft, [&](const CLI::App& command) {
    write_text(folder / "man1" / (page_name(command) + ".1"), manual_page(command));
  });
  write_text(folder / "completions" / "weft", bash_completion(weft));
}

}  // namespace

std::vector<std::string> words_of(const CLI::App& command) {
  std::vector<std::string> words;
  const CLI::App* at = &command;
  for (; at->get_parent() != nullptr; at = at->get_parent()) words.insert(words.begin(), at->get_name());
  words.insert(words.begin(), "weft");
  return words;
}

std::vector<const CLI::App*> shown_commands(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::string manual_page(const CLI::App& command) { return Page(command).text(); }

std::string bash_completion(const CLI::App& weft) {
  std::string known;
  std::string words;
  each_command(weft, [&](const CLI::App& command) {
    const std::string path = fmt::format("{}", fmt::join(words_of(command), " "));
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options([](const CLI::Option* one) { return one->nonpositional(); })) {
      for (const std::string& name : names_of(*option)) options.push_back(name);
    }
    std::vector<std::string> below;
    for (const CLI::App* one : shown_commands(command)) below.push_back(one->get_name());
    if (command.get_parent() != nullptr) known += fmt::format("{}'{}'", known.empty() ? "" : " | ", path);
    words += fmt::format("    '{}')\n      options='{}'\n      commands='{}'\n      ;;\n", path,
                         fmt::join(options, " "), fmt::join(below, " "));
  });
  return fmt::format(
      R"bash(# bash completion for weft: made from what weft --help says.
_weft() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command=weft options='' commands='' i
  # Up to a file or the command of another program: what weft campaign run takes is not what weft run does.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command="$command ${{COMP_WORDS[i]}}" ;;
      *) [[ ${{COMP_WORDS[i]}} == -* ]] || break ;;
    esac
  done
  case $command in
{}  esac
  # Programs of their own (weft-campaign): their names, and what their --help says.
  local first=${{COMP_WORDS[1]}} own
  if [[ $command == weft && $COMP_CWORD -gt 1 && $first =~ ^[a-z0-9-]+$ ]] && own=$(type -P "weft-$first"); then
    options=$("$own" --help 2> /dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)
    commands=$("$own" --help 2> /dev/null | sed -n 's/^    \([a-z][a-z-]*\)  .*/\1/p')
    if [[ $COMP_CWORD -gt 2 ]]; then
      options=$("$own" "${{COMP_WORDS[2]}}" --help 2> /dev/null | grep -o -- '--[a-z][a-z-]*' | sort -u)
      commands=''
    fi
  elif [[ $command == weft ]]; then
    commands="$commands $(compgen -c weft- | sed 's/^weft-//' | sort -u)"
  fi
  [[ $current == = ]] && current=''
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _weft weft
)bash",
      known, words);
}

void add_manual_command(CLI::App& weft) {
  CLI::App* command = weft.add_subcommand("manual", "Write the manual pages and the completion for bash")->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "The output folder")->required();
  command->callback([&weft, folder] { write_manual(weft, *folder); });
}

}  // namespace weft::cli
