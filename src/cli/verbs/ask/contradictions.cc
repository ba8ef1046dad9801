// anima contradictions: statements that cannot hold together, and which of them is effective.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "govern/trust.h"
#include "memory/contradiction.h"
#include "memory/merge_conflicts.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

Json statement(const store::Snapshot& snapshot, const store::Triple& triple) {
  const store::Standing standing = store::standing_of(snapshot, triple);
  const store::EntryInfo entry = snapshot.entry(standing.asserted);
  return Json::object({{"subject", store::symbol_label(snapshot, triple.subject)},
                       {"predicate", store::predicate_label(snapshot, triple.predicate)},
                       {"object", store::term_label(snapshot, triple.object)},
                       {"trust", govern::trust_name(standing.trust)},
                       {"author", entry.author},
                       {"source", entry.source},
                       {"entry", static_cast<std::uint64_t>(standing.asserted)},
                       {"asserted", format_timestamp(entry.time)},
                       {"observed", format_timestamp(standing.observed)}});
}

std::string said_by(const Json& statement) {
  const std::string& source = statement.find("source")->as_string();
  return fmt::format("{}{}{}{}, trust {}", statement.find("author")->as_string(),
                     source.empty() ? "" : " (source given: ", source, source.empty() ? "" : ")",
                     statement.find("trust")->as_string());
}

std::string text_of(const store::Snapshot& snapshot, const memory::Conflict& conflict,
                    const Json& other) {
  const bool open = conflict.verdict == memory::Verdict::kOutranked;
  const bool even = conflict.verdict == memory::Verdict::kEven;
  return fmt::format("\"{}\" {} \"{}\" {}\n  {}\n  said by {}\n",
                     store::symbol_label(snapshot, conflict.superseded.subject),
                     store::predicate_label(snapshot, conflict.superseded.predicate),
                     store::term_label(snapshot, conflict.superseded.object),
                     open   ? "contradicts what is trusted more"
                     : even ? "contradicts what was said with it"
                            : "is superseded",
                     conflict.reason, said_by(other));
}

// What two things that are one now said differently.
void add_merged(Context& context, const store::Snapshot& snapshot,
                std::optional<store::EntityId> subject, Json& list) {
  for (const memory::MergeConflict& conflict : memory::merge_conflicts(snapshot)) {
    if (subject && conflict.subject != *subject) continue;
    const std::string name = store::symbol_label(snapshot, conflict.subject);
    list.push_back(Json::object({{"subject", name},
                                 {"key", conflict.key},
                                 {"kept", conflict.kept},
                                 {"other", conflict.other},
                                 {"of", conflict.of}}));
    if (context.json) continue;
    const std::string who = conflict.of == name
                                ? "before it was merged, it"
                                : "\"" + conflict.of + "\", which was merged into it,";
    context.print(fmt::format("\"{}\" .{} is {}\n  {} said {}\n", name, conflict.key,
                              conflict.kept.dump(), who, conflict.other.dump()));
  }
}

int run_contradictions(Context& context, Arguments arguments) {
  std::string about;
  Options options;
  options.positional("SYMBOL", about, "only those of this subject");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  std::optional<store::EntityId> subject;
  if (!about.empty()) {
    const auto known = store::resolve_symbol(*snapshot, about);
    if (!known) return context.fail(known.error());
    subject = *known;
  }
  const memory::Contradictions contradictions(*snapshot);
  Json list = Json::array();
  for (const memory::Conflict& conflict : contradictions.all()) {
    if (subject && conflict.superseded.subject != *subject) continue;
    const Json other = statement(*snapshot, conflict.superseded);
    const bool open = memory::is_open(conflict.verdict);
    if (!context.json) context.print(text_of(*snapshot, conflict, other));
    list.push_back(Json::object({{"effective", statement(*snapshot, conflict.effective)},
                                 {"superseded", other},
                                 {"open", open},
                                 {"reason", conflict.reason}}));
  }
  add_merged(context, *snapshot, subject, list);
  if (context.json) {
    context.print_json(list);
  } else if (list.as_array().empty()) {
    context.print(
        contradictions.declared()
            ? "Nothing contradicts.\n"
            : "Nothing contradicts. (No predicate is declared functional or disjoint.)\n");
  }
  return kDone;
}

}  // namespace

extern const Verb kContradictions;
const Verb kContradictions{"contradictions",
                           Group::kKnowledge,
                           "statements that cannot hold together, and which is effective",
                           "[SYMBOL]",
                           "anima contradictions Germany",
                           run_contradictions,
                           true};

}  // namespace anima::cli
