#include "govern/detail/shell_table.h"

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "base/text.h"
#include "govern/detail/shell_paths.h"
#include "govern/detail/shell_table_rows.h"

namespace anima::govern::detail {
namespace {

bool is_listed(std::string_view list, std::string_view word, char separator = ' ') {
  const auto words = split(list, separator);
  return !word.empty() && std::ranges::find(words, word) != words.end();
}

// Reads the arguments of one command as one row says.
class RowMatch {
 public:
  RowMatch(const TableRow& row, const SimpleCommand& command) : row_(row), command_(command) {}

  bool matches() {
    const auto words = split(row_.words, ' ');
    std::size_t at = 0;
    for (std::size_t i = 1; i < words.size(); ++i, ++at) {
      if (at >= command_.arguments.size() || !is_fixed(at) || command_.arguments[at] != words[i])
        return false;
    }
    for (; at < command_.arguments.size(); ++at) {
      const bool is_option = !behind_options_ && is_fixed(at) &&
                             command_.arguments[at].size() > 1 && command_.arguments[at][0] == '-';
      if (is_option && operands_ > 0 && has(kOptionsFirst)) return false;
      if (!(is_option ? option(at) : operand(at))) return false;
    }
    return operands_ >= row_.least && (row_.needs.empty() || has_needed_);
  }

 private:
  bool is_fixed(std::size_t at) const { return command_.forms[at] == WordForm::kFixed; }
  bool has(Trait trait) const { return (row_.traits & trait) != 0; }
  void saw(std::string_view option) { has_needed_ = has_needed_ || is_listed(row_.needs, option); }

  // Steps over the option's value.
  bool option(std::size_t& at) {
    const std::string& argument = command_.arguments[at];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (equals != std::string::npos &&
        (is_listed(row_.options, name + "=") || is_listed(row_.options, name + ":"))) {
      saw(name);
      return may_hold(argument.substr(equals + 1), WordForm::kFixed);
    }
    if (is_listed(row_.options, argument)) {
      saw(argument);
      behind_options_ = argument == "--";
      return true;
    }
    if (is_listed(row_.options, argument + ":")) {
      saw(argument);
      return next_value(at);
    }
    return !argument.starts_with("--") && letters(at);
  }

  bool letters(std::size_t& at) {
    const std::string& argument = command_.arguments[at];
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const bool valued = row_.valued.find(argument[i]) != std::string_view::npos;
      if (!valued && row_.flags.find(argument[i]) == std::string_view::npos) return false;
      saw(std::string("-") + argument[i]);
      if (!valued) continue;
      if (i + 1 == argument.size()) return next_value(at);
      return may_hold(argument.substr(i + 1), WordForm::kFixed);
    }
    return true;
  }

  bool next_value(std::size_t& at) {
    if (++at >= command_.arguments.size()) return false;
    const WordForm form = command_.forms[at];
    const bool one = form == WordForm::kFixed || form == WordForm::kPrefixed ||
                     form == WordForm::kShaped || form == WordForm::kOne;
    const std::string& value = command_.arguments[at];
    return one && (value == "-" || !value.starts_with('-')) && may_hold(value, form);
  }

  bool operand(std::size_t at) {
    const std::string& argument = command_.arguments[at];
    const WordForm form = command_.forms[at];
    const bool several = form == WordForm::kNames || form == WordForm::kPattern;
    if (form == WordForm::kOpen || (several && row_.most != kAny)) return false;
    const bool may_be_option =
        several ? form == WordForm::kPattern : form == WordForm::kShaped || form == WordForm::kOne;
    const bool tailed = has(kTailed) && has_plain_tail(argument);
    if (may_be_option && !behind_options_ && !tailed) return false;
    if (!row_.choices.empty() && !chosen_) {
      chosen_ = true;
      return is_fixed(at) && is_listed(row_.choices, argument, '|');
    }
    if (argument.starts_with('+')) return false;  // an option too: less +COMMAND
    if (has(kNoDot) && argument.starts_with('.')) return false;
    if (has(kStatement) && operands_ == 1) {
      ++operands_;
      return row_.most == 2 && is_fixed(at) && makes_nothing(argument);
    }
    if (has(kPlain) && !(is_fixed(at) && is_plain(argument))) return false;
    return ++operands_ <= row_.most && may_hold(argument, form);
  }

  // Whether a program of this row may be given the text as a value or operand.
  bool may_hold(std::string_view text, WordForm form) const {
    if (has(kLocal) && !is_local(text, form)) return false;
    return !has(kInside) || !(leads_out(text, form) || is_hidden(text));
  }

  // No machine's name, address or scheme, and no file of arguments.
  static bool is_local(std::string_view text, WordForm form) {
    if (text.starts_with('@')) return false;
    if (form == WordForm::kFixed) return text.find(':') == std::string_view::npos;
    if (form != WordForm::kPrefixed && form != WordForm::kNames) return false;
    return text.find('/') < text.find_first_of("$`*?[{:");
  }

  // A table of its own can write a file, also where the database is only read and -safe is given:
  // CREATE VIRTUAL TABLE temp.a USING zipfile('b').
  static bool makes_nothing(std::string_view statement) {
    return to_lower(statement).find("create") == std::string::npos;
  }

  static bool is_plain(std::string_view text) {
    return text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
           std::string_view::npos;
  }

  // What a program adds to the name may complete it: .gi becomes .git.
  static bool is_hidden(std::string_view path) {
    const auto steps = split(path, '/');
    return steps.back() == "." || std::ranges::any_of(steps, [](std::string_view step) {
             return step.starts_with('.') && step.size() > 1;
           });
  }

  const TableRow& row_;
  const SimpleCommand& command_;
  bool behind_options_ = false;
  bool chosen_ = false;
  bool has_needed_ = false;
  std::size_t operands_ = 0;
};

// Of a program, in their order.
std::span<const TableRow* const> rows_of(std::string_view program) {
  static const auto kRows = [] {
    std::map<std::string_view, std::vector<const TableRow*>> rows;
    for (const std::span<const TableRow> each : {table_rows(), git_rows()}) {
      for (const TableRow& row : each)
        rows[row.words.substr(0, row.words.find(' '))].push_back(&row);
    }
    return rows;
  }();
  const auto found = kRows.find(program);
  return found == kRows.end() ? std::span<const TableRow* const>() : found->second;
}

}  // namespace

std::optional<JudgedPart> judge_by_table(const SimpleCommand& command, std::string_view name) {
  std::optional<SimpleCommand> joined;
  if (name == "tar" && !command.arguments.empty() && command.forms[0] == WordForm::kFixed &&
      !command.arguments[0].starts_with('-')) {
    // tar tf is tar -tf; in tar tfI the values of both letters stand in the next words.
    const std::string& letters = command.arguments[0];
    const std::size_t valued = letters.find_first_of("fC");
    if (valued != std::string::npos && valued + 1 != letters.size()) return std::nullopt;
    joined = command;
    joined->arguments[0].insert(0, "-");
  }
  const SimpleCommand& read = joined ? *joined : command;
  for (const TableRow* row : rows_of(name)) {
    if (!RowMatch(*row, read).matches()) continue;
    if ((row->traits & kMakes) != 0)
      return JudgedPart{{}, ShellEffect::kWrites, "makes files in the work folder"};
    return JudgedPart{{}, ShellEffect::kReads, "a form that only reads"};
  }
  return std::nullopt;
}

}  // namespace anima::govern::detail
