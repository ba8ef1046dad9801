// anima provenance: the ledger's records about a symbol.
#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/space_access.h"
#include "cli/table.h"
#include "memory/provenance.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

int run_provenance(Context& context, Arguments arguments) {
  std::optional<std::string> symbol;
  std::optional<std::int64_t> tag;
  std::int64_t limit = 100;
  Options options;
  options.positional("SYMBOL", symbol, "what the records are about; without, of one kind");
  options.value("--kind TAG", tag, "only records of this kind (15: loaded with a compartment)");
  options.value("--limit N", limit, "how many at most (100)");
  if (const auto exit = options.parse(context, arguments)) return *exit;
  if (!symbol && !tag) return context.usage_error("a SYMBOL or --kind is needed");
  const auto kind = tag ? memory::provenance_kind(static_cast<std::uint64_t>(*tag)) : std::nullopt;
  if (tag && !kind) return context.usage_error(fmt::format("there is no kind {}", *tag));
  const auto space = open_space(context, Access::kRead);
  if (!space) return context.fail(space.error());
  const store::Snapshot snapshot = (*space)->snapshot();
  memory::ProvenanceLedger ledger(**space);
  if (Status read = ledger.refresh(); !read) return context.fail(read.error());
  std::vector<const memory::ProvenanceRecord*> records;
  if (symbol) {
    const auto entity = store::resolve_symbol(snapshot, *symbol);
    if (!entity) return context.fail(entity.error());
    records = ledger.by_derived(*entity);
    const auto sources = ledger.by_source(*entity);
    records.insert(records.end(), sources.begin(), sources.end());
    std::sort(records.begin(), records.end(),
              [](const auto* a, const auto* b) { return a->id < b->id; });
    records.erase(std::unique(records.begin(), records.end()), records.end());
    if (kind) std::erase_if(records, [&](const auto* record) { return record->kind != *kind; });
  } else {
    records = ledger.by_kind(*kind);
  }
  const std::size_t total = records.size();
  if (limit > 0 && records.size() > static_cast<std::size_t>(limit)) {
    records.resize(static_cast<std::size_t>(limit));
  }
  Json list = Json::array();
  Table table({"id", "derived", "what", "confidence", "entry"});
  table.align_right(3);
  for (const memory::ProvenanceRecord* record : records) {
    list.push_back(memory::to_json(*record, snapshot));
    table.add({fmt::format("prov:{}", record->id), store::symbol_label(snapshot, record->derived),
               memory::describe(*record), fmt::format("{:.2f}", record->confidence),
               std::to_string(static_cast<std::uint64_t>(record->entry))});
  }
  if (context.json) {
    context.print_json(list);
  } else if (table.empty()) {
    context.print("no record\n");
  } else {
    context.print(table.render(context));
    if (total > records.size()) {
      context.print(fmt::format(".. and {} more (--limit N)\n", total - records.size()));
    }
  }
  return kDone;
}

}  // namespace

extern const Verb kProvenance;
const Verb kProvenance{"provenance",
                       Group::kKnowledge,
                       "where what is known about a symbol came from",
                       "SYMBOL [--kind TAG] [--limit N]",
                       "anima provenance Earth",
                       run_provenance};

}  // namespace anima::cli
