#include "govern/detail/shell_paths.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "govern/detail/shell_values.h"

namespace anima::govern::detail {
namespace {

// The folder whose files are sent (tools/external.h), at the top of the work folder.
constexpr std::string_view kOutbox = "outbox";

// Whether a pattern may find the name: judged by what stands before its first and behind its last
// unknown character.
bool may_find(std::string_view pattern, std::string_view name) {
  const std::size_t first = pattern.find_first_of("*?[");
  if (first == std::string_view::npos) return pattern == name;
  const std::size_t last = pattern.find_last_of("*?]");
  return name.starts_with(pattern.substr(0, first)) &&
         name.ends_with(pattern.substr(std::max(first, last) + 1));
}

// The text without the numbers before its first other unknown byte. They may be missing, and no
// closed name holds a digit or a minus.
std::string without_numbers(std::string_view text) {
  std::string rest(text);
  std::size_t at = rest.find_first_of("*?[");
  while (at != rest.npos && std::string_view(rest).substr(at).starts_with(kNumber)) {
    rest.erase(at, kNumber.size());
    at = rest.find_first_of("*?[", at);
  }
  return rest;
}

// Whether what patterns stand for in a path, perhaps nothing, can complete a name that is closed,
// or leave none.
bool may_be_closed(std::string_view path) {
  constexpr std::array<std::string_view, 4> kClosed = {".", "..", ".git", kOutbox};
  return std::ranges::any_of(split(path, '/'), [&](std::string_view step) {
    if (step.find_first_of("*?[") == step.npos) return false;
    const std::string rest = without_numbers(step);
    return std::ranges::any_of(kClosed,
                               [&](std::string_view name) { return may_find(rest, name); });
  });
}

// Whether `meets` is true of a step of the path that leads somewhere, and of its place among them.
template <typename Meets>
bool any_step(std::string_view path, const Meets& meets) {
  std::size_t number = 0;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view step = path.substr(at, end - at);
    if (!step.empty() && step != "." && meets(step, number++)) return true;
    at = end + 1;
  }
  return false;
}

// Empty: the path leads nowhere.
std::string_view last_step(std::string_view path) {
  std::string_view last;
  any_step(path, [&](std::string_view step, std::size_t) {
    last = step;
    return false;
  });
  return last;
}

}  // namespace

bool has_plain_tail(std::string_view pattern) {
  const std::size_t last = pattern.find_last_of("*?]");
  if (last == std::string_view::npos || last + 2 >= pattern.size()) return false;
  return pattern[last + 1] == '.' && pattern.find_first_not_of('.', last + 1) != pattern.npos;
}

bool leaves_folder(std::string_view path) {
  if (path.empty() || path == "/dev/null" || path == "/dev/stdout" || path == "/dev/stderr")
    return false;
  if (path.front() == '/' || path.front() == '~') return true;
  if (path.find_first_of("$`") != std::string_view::npos) return true;
  return any_step(
      path, [](std::string_view step, std::size_t) { return step == ".." || step == ".git"; });
}

bool leads_to_outbox(std::string_view path) {
  // Deeper ones too: a folder of this name could be moved up.
  return any_step(path, [](std::string_view step, std::size_t number) {
    return step == kOutbox || (number == 0 && may_find(step, kOutbox));
  });
}

bool leads_out(std::string_view argument, WordForm form) {
  switch (form) {
    case WordForm::kFixed:
      break;
    case WordForm::kPrefixed:
      if (may_be_closed(argument)) return true;
      break;
    case WordForm::kShaped:
      // Numbers and what stands beside them, which may be all that is left.
      if (const std::string rest = without_numbers(argument);
          rest.find_first_of("*?[") == rest.npos) {
        return argument.starts_with('-') || rest.starts_with('-') || rest.find('/') != rest.npos ||
               leaves_folder(rest) || leads_to_outbox(rest);
      }
      // An option can begin so.
      return argument.starts_with('-') || argument.find('/') != std::string_view::npos ||
             !has_plain_tail(argument) || leaves_folder(argument) || may_be_closed(argument);
    case WordForm::kNames: {
      // .? finds .. and .git; {} of find is wherever find looks.
      if (argument.find("{}") != std::string_view::npos ||
          any_step(argument, [](std::string_view step, std::size_t) {
            return step.starts_with('.') && step.find_first_of("*?[") != step.npos;
          }))
        return true;
      break;
    }
    case WordForm::kPattern:
      return argument.find('/') != std::string_view::npos || !has_plain_tail(argument) ||
             leads_to_outbox(argument);
    case WordForm::kOne:
    case WordForm::kOpen:
      return true;
  }
  if (!argument.starts_with('-') || argument.size() == 1)
    return leaves_folder(argument) || leads_to_outbox(argument);
  // Of an option the value counts: --target-directory=/etc, -t/etc, -vt../x.
  if (argument.starts_with("--")) {
    const std::size_t value = argument.find('=');
    return value != std::string_view::npos && (leaves_folder(argument.substr(value + 1)) ||
                                               leads_to_outbox(argument.substr(value + 1)));
  }
  return argument.find_first_of("/~$`") != std::string_view::npos ||
         argument.find("..") != std::string_view::npos ||
         argument.find(".git") != std::string_view::npos ||
         argument.find(kOutbox) != std::string_view::npos;
}

bool brings_along(const SimpleCommand& command) {
  const std::vector<std::string>& arguments = command.arguments;
  const bool copies = command.program.ends_with("cp");
  bool merges = false;
  bool to_top = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view place = arguments[i];
    if (place.starts_with("--")) {
      merges = merges || (copies && place.starts_with("--no-t"));
      place.remove_prefix(std::min(place.find('='), place.size() - 1) + 1);
    } else if (place.starts_with('-')) {
      merges = merges || (copies && place.find('T') != place.npos);
      place.remove_prefix(std::min(place.find('t'), place.size() - 1) + 1);
    } else {
      while (place.size() > 1 && place.ends_with('/')) place.remove_suffix(1);
      merges = merges || place.ends_with("/.") || (place == "." && i + 1 < arguments.size());
    }
    to_top = to_top || (place.starts_with('.') && last_step(place).empty());
  }
  if (merges) return true;
  return to_top && std::ranges::any_of(arguments, [](std::string_view argument) {
           const std::string_view last = last_step(argument);
           return !last.empty() && may_find(last, kOutbox);
         });
}

}  // namespace anima::govern::detail
