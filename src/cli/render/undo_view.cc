#include "cli/render/undo_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/frame/sequence_number.h"
#include "store/history.h"

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

// The facts in words, and how many there are of those that were not listed.
std::size_t facts(const std::vector<std::string>& lines, const store::StatementsTold& told) {
  return lines.size() + (told.count - told.statements.size());
}

void add_lines(std::string& text, char mark, const std::vector<std::string>& lines, std::size_t all,
               std::size_t limit) {
  const std::size_t listed = std::min(lines.size(), limit);
  for (std::size_t i = 0; i < listed; ++i) text += fmt::format("  {} {}\n", mark, lines[i]);
  if (all > listed) text += fmt::format("  {} and {} more\n", mark, all - listed);
}

Json lines_json(const std::vector<std::string>& lines, std::size_t all, std::size_t limit) {
  JsonArray list;
  for (std::size_t i = 0; i < lines.size() && i < limit; ++i) list.emplace_back(lines[i]);
  return Json::object({{"count", all}, {"facts", std::move(list)}});
}

}  // namespace

UndoShown undo_shown(const store::Snapshot& before, std::vector<store::Act> acts,
                     store::UndoneActs undone, bool dry_run) {
  UndoShown shown{std::move(acts), std::move(undone), {}, {}, {}, dry_run};
  shown.going = store::statement_lines(before, shown.undone.going.statements, {});
  shown.coming = store::statement_lines(before, shown.undone.coming.statements, {});
  for (const auto* told : {&shown.undone.going, &shown.undone.coming}) {
    for (const store::Triple& triple : told->statements) {
      if (store::statement_lines(before, {&triple, 1}, {}).empty()) continue;
      std::string name(before.name(triple.subject));
      if (!name.empty()) shown.about.push_back(std::move(name));
    }
  }
  std::sort(shown.about.begin(), shown.about.end());
  shown.about.erase(std::unique(shown.about.begin(), shown.about.end()), shown.about.end());
  return shown;
}

std::string undo_summary(const UndoShown& shown, Timestamp now) {
  const std::size_t going = facts(shown.going, shown.undone.going);
  const std::size_t coming = facts(shown.coming, shown.undone.coming);
  const std::string title = shown.acts.size() == 1 ? act_title(shown.acts.front(), now)
                                                   : counted(shown.acts.size(), "act");
  if (going == 0 && coming == 0) return title + ": no fact, only what Anima keeps of itself";
  if (coming == 0)
    return fmt::format("{}: {}{}", title, counted(going, "fact"), names(shown.about));
  if (going == 0)
    return fmt::format("{}: {}{} {} back", title, counted(coming, "fact"), names(shown.about),
                       coming == 1 ? "comes" : "come");
  return fmt::format("{}: {}{}, and {} {} back", title, counted(going, "fact"), names(shown.about),
                     coming, coming == 1 ? "comes" : "come");
}

std::string undo_text(const UndoShown& shown, Timestamp now, std::size_t limit) {
  std::string text = (shown.dry_run ? "would undo " : "undid ") + undo_summary(shown, now) + "\n";
  if (shown.acts.size() > 1) {
    for (const store::Act& act : shown.acts)
      text += fmt::format("  {} (entry {})\n", act_title(act, now), sequence_number(act.first));
  }
  add_lines(text, '-', shown.going, facts(shown.going, shown.undone.going), limit);
  add_lines(text, '+', shown.coming, facts(shown.coming, shown.undone.coming), limit);
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

Json undo_json(const UndoShown& shown, std::size_t limit) {
  const store::UndoReport& report = shown.undone.report;
  JsonArray acts, entries;
  for (const store::Act& act : shown.acts) {
    JsonArray members;
    for (const store::Sequence entry : act.entries) members.emplace_back(sequence_number(entry));
    acts.emplace_back(Json::object({{"act", sequence_number(act.first)},
                                    {"name", act.name},
                                    {"time", format_timestamp(act.info.time)},
                                    {"author", act.info.author},
                                    {"entries", std::move(members)}}));
  }
  for (const store::Sequence entry : report.entries) entries.emplace_back(sequence_number(entry));
  Json json = Json::object(
      {{"dry_run", shown.dry_run},
       {"acts", std::move(acts)},
       {"entries", std::move(entries)},
       {"keys", report.keys},
       {"forgotten_in", static_cast<std::uint64_t>(shown.undone.taken_from)},
       {"going", lines_json(shown.going, facts(shown.going, shown.undone.going), limit)},
       {"coming", lines_json(shown.coming, facts(shown.coming, shown.undone.coming), limit)}});
  if (!shown.dry_run) json.set("sequence", sequence_number(report.receipt.sequence));
  return json;
}

}  // namespace anima::cli
