#include "cli/render/statement_view.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text/shown_text.h"
#include "base/text/text.h"

namespace anima::cli {
namespace {

std::string_view what_it_does(const std::string& what) {
  if (what == "grant") return "lets this call run once:";
  if (what == "resume") return "lets the line go on:";
  if (what == "lift") return "lifts the emergency stop, for one of two persons:";
  if (what == "register") return "makes somebody an approver of the space:";
  if (what == "remove") return "takes an approver of the space out:";
  return "says something that this program does not know:";
}

bool is_time(const std::string& name) { return name == "asked" || name == "at" || name == "until"; }

std::string line_of(const std::string& name, const Json& value) {
  std::string text = value.is_string() ? value.as_string() : value.dump();
  if (is_time(name) && value.is_integer()) text = format_timestamp({value.as_integer()});
  return fmt::format("  {:<15} {}\n", visible_text(name), visible_text(text));
}

// A difference is read line by line; the rest of the evidence follows it whole.
std::string evidence_lines(const Json& evidence) {
  std::string text;
  Json rest = evidence;
  Json* changes = rest.find("changes");
  const Json* shown = changes == nullptr ? nullptr : changes->find("text");
  if (shown != nullptr && shown->is_string()) {
    text += "  changes\n";
    for (const std::string_view line : split(shown->as_string(), '\n')) {
      if (!line.empty()) text += "    " + visible_text(line) + "\n";
    }
    std::erase_if(changes->as_object(),
                  [](const JsonMember& each) { return each.first == "text"; });
  }
  return text + line_of("evidence", rest);
}

}  // namespace

std::string statement_text(const govern::Statement& statement) {
  std::string text = fmt::format("To be signed ({}): it {}\n", visible_text(statement.what),
                                 what_it_does(statement.what));
  if (!statement.content.is_object()) return text + line_of("content", statement.content);
  for (const JsonMember& member : statement.content.as_object()) {
    text += member.first == "evidence" && member.second.is_object()
                ? evidence_lines(member.second)
                : line_of(member.first, member.second);
  }
  std::string letters;
  for (const char32_t c : look_alikes(statement.content.dump())) {
    append_utf8(letters += letters.empty() ? "" : ", ", c);
    letters += fmt::format(" (U+{:04X})", static_cast<std::uint32_t>(c));
  }
  if (!letters.empty())
    text += "  beware          characters that look like others: " + letters + "\n";
  return text;
}

}  // namespace anima::cli
