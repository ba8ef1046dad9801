// anima search: concepts (or links) by words of their names, attributes and metadata.
#include <fmt/format.h>

#include <optional>

#include "agent/house/space_reads.h"
#include "base/text/white_space.h"
#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "store/text_hits.h"

namespace anima::cli {
namespace {

int run_search(Context& context, Arguments arguments) {
  std::string text;
  std::optional<std::string> type;
  std::int64_t limit = 10;
  bool links = false;
  bool exact = false;
  Options options;
  options.positional("TEXT", text, "words to look for; the last may be the start of a word")
      .required();
  options.value("--type T", type, "only concepts of this type (with --links: of this predicate)");
  options.value("--limit N", limit, "at most so many (default 10)");
  options.flag("--links", links, "look for links instead of concepts");
  options.flag("--exact", exact, "no starts of words, no other forms, no typos");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (limit < 1 || limit > 10'000) return context.usage_error("--limit must be 1 to 10000");
  if (is_only_white_space(text))
    return context.usage_error("words to look for are needed", "anima search aspirin");
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const auto snapshot = space_snapshot(context, **space);
  if (!snapshot) return context.fail(snapshot.error());
  store::TextQuery query;
  query.text = text;
  query.propositions = links;
  query.prefix = query.fuzzy = query.parts = !exact;
  query.limit = static_cast<std::size_t>(limit);
  if (type) {
    if (links) {
      query.type = snapshot->find_predicate(*type);
      if (!query.type)
        return context.fail({ErrorCode::kNotFound, "there is no such predicate", *type, {}});
    } else {
      const auto known = agent::type_called(*snapshot, *type);
      if (!known) return context.fail(known.error());
      query.type = *known;
    }
  }
  Json list = Json::array();
  Table table({"id", "type", "name", "score"});
  table.align_right(3);
  for (const store::TextHit& hit : snapshot->search(query)) {
    const store::FoundText found = store::found_text(*snapshot, hit);
    table.add({found.id, found.type, found.name, fmt::format("{:.2f}", found.score)});
    list.push_back(Json::object(
        {{"id", found.id}, {"type", found.type}, {"name", found.name}, {"score", found.score}}));
  }
  if (context.json) {
    context.print_json(Json::object({{"hits", std::move(list)}}));
  } else if (table.empty()) {
    context.note("nothing found");
  } else {
    context.print(table.render(context));
  }
  return kDone;
}

}  // namespace

extern const Verb kSearch;
const Verb kSearch{"search",
                   Group::kKnowledge,
                   "finds concepts by their words",
                   "TEXT [--type T] [--limit N] [--links] [--exact]",
                   "anima search \"asprin heada\" --type Drug",
                   run_search,
                   true};

}  // namespace anima::cli
