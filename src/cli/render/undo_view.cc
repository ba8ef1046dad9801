#include "cli/render/undo_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/sequence_number.h"

namespace anima::cli {
namespace {

constexpr std::size_t kMostNames = 3;

std::string counted(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

// 2026-11-28T14:02:33.5Z is 14:02 on its own day.
std::string short_time(Timestamp time, Timestamp now) {
  const std::string text = format_timestamp(time), today = format_timestamp(now);
  const std::string day = text.substr(0, 10), minute = text.substr(11, 5);
  return day == today.substr(0, 10) ? minute : day + " " + minute;
}

std::string act_title(const store::Act& act, Timestamp now) {
  return fmt::format("{} of {}", act.name.empty() ? "entry" : act.name,
                     short_time(act.info.time, now));
}

std::string names(const std::vector<std::string>& about) {
  if (about.empty()) return {};
  if (about.size() > kMostNames) return fmt::format(" about {} things", about.size());
  std::string text = " about ";
  for (std::size_t i = 0; i < about.size(); ++i)
    text += (i == 0 ? "" : i + 1 == about.size() ? " and " : ", ") + about[i];
  return text;
}

void add_lines(std::string& text, char mark, const std::vector<std::string>& lines, std::size_t all,
               std::size_t limit) {
  const std::size_t listed = std::min(lines.size(), limit);
  for (std::size_t i = 0; i < listed; ++i) text += fmt::format("  {} {}\n", mark, lines[i]);
  if (all > listed) text += fmt::format("  {} and {} more\n", mark, all - listed);
}

}  // namespace

std::string undo_summary(const agent::UndoShown& shown, Timestamp now) {
  const std::size_t going = agent::fact_count(shown.going, shown.undone.going);
  const std::size_t coming = agent::fact_count(shown.coming, shown.undone.coming);
  const std::string title = shown.acts.size() == 1 ? act_title(shown.acts.front(), now)
                                                   : counted(shown.acts.size(), "act");
  if (going == 0 && coming == 0) return title + ": no fact changes";
  if (coming == 0)
    return fmt::format("{}: {}{}", title, counted(going, "fact"), names(shown.about));
  if (going == 0)
    return fmt::format("{}: {}{} {} back", title, counted(coming, "fact"), names(shown.about),
                       coming == 1 ? "comes" : "come");
  return fmt::format("{}: {}{}, and {} {} back", title, counted(going, "fact"), names(shown.about),
                     coming, coming == 1 ? "comes" : "come");
}

std::string undo_text(const agent::UndoShown& shown, Timestamp now, std::size_t limit) {
  std::string text = (shown.dry_run ? "would undo " : "undid ") + undo_summary(shown, now) + "\n";
  if (shown.acts.size() > 1) {
    for (const store::Act& act : shown.acts)
      text += fmt::format("  {} (entry {})\n", act_title(act, now), sequence_number(act.first));
  }
  add_lines(text, '-', shown.going, agent::fact_count(shown.going, shown.undone.going), limit);
  add_lines(text, '+', shown.coming, agent::fact_count(shown.coming, shown.undone.coming), limit);
  for (const std::string& change : shown.psyche) text += fmt::format("  psyche: {}\n", change);
  const store::UndoReport& report = shown.undone.report;
  const std::string what =
      fmt::format("{}, {} put back",
                  report.entries.size() == 1 ? std::string("1 entry")
                                             : fmt::format("{} entries", report.entries.size()),
                  counted(report.keys, "key"));
  text += shown.dry_run ? what + "; nothing is written\n"
                        : fmt::format("{0} in entry {1}; anima undo {1} brings them back\n", what,
                                      sequence_number(report.receipt.sequence));
  if (const std::size_t taken = shown.undone.taken_from; taken > 0) {
    text += fmt::format("something of {} was forgotten for good: that does not come back\n",
                        taken == 1 ? std::string("1 entry") : fmt::format("{} entries", taken));
  }
  return text;
}

}  // namespace anima::cli
