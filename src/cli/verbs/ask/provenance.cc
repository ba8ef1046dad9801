// anima provenance: the ledger's records about a symbol.
#include "memory/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/table.h"
#include "store/symbols.h"
#include "store/verify/audit.h"

namespace anima::cli {
namespace {

using Records = std::vector<const memory::ProvenanceRecord*>;

Records records_about(const memory::ProvenanceLedger& ledger, store::EntityId symbol) {
  Records records = ledger.by_derived(symbol);
  const Records sources = ledger.by_source(symbol);
  records.insert(records.end(), sources.begin(), sources.end());
  std::sort(records.begin(), records.end(),
            [](const auto* a, const auto* b) { return a->id < b->id; });
  records.erase(std::unique(records.begin(), records.end()), records.end());
  return records;
}

// The entries that changed the symbol and hold no record about it: what a person, an import or a
// KIP command stated, for which the entry itself says who and from where.
std::vector<store::EntryInfo> plain_entries(const store::Snapshot& snapshot, store::EntityId symbol,
                                            const Records& records) {
  std::vector<store::EntryInfo> entries;
  for (const store::Sequence sequence : snapshot.history(symbol)) {
    const bool recorded = std::any_of(records.begin(), records.end(), [&](const auto* record) {
      return record->entry == sequence;
    });
    if (!recorded) entries.push_back(snapshot.entry(sequence));
  }
  return entries;
}

template <typename Rows>
std::size_t shorten(Rows& rows, std::int64_t limit) {
  const std::size_t total = rows.size();
  if (limit > 0 && total > static_cast<std::size_t>(limit)) {
    rows.resize(static_cast<std::size_t>(limit));
  }
  return total - rows.size();
}

void print_text(Context& context, const store::Snapshot& snapshot, const Records& records,
                const std::vector<store::EntryInfo>& stated, std::size_t more) {
  Table ledger({"id", "derived", "what", "confidence", "entry"});
  ledger.align_right(3);
  for (const memory::ProvenanceRecord* record : records) {
    ledger.add({fmt::format("prov:{}", record->id), store::symbol_label(snapshot, record->derived),
                memory::describe(*record), fmt::format("{:.2f}", record->confidence),
                std::to_string(static_cast<std::uint64_t>(record->entry))});
  }
  Table entries({"entry", "time", "author", "trust", "source"});
  for (const store::EntryInfo& entry : stated) {
    entries.add({std::to_string(static_cast<std::uint64_t>(entry.sequence)),
                 format_timestamp(entry.time), std::string(entry.author),
                 std::string(store::trust_label(entry.trust)), std::string(entry.source)});
  }
  if (ledger.empty() && entries.empty()) context.print("no record\n");
  if (!ledger.empty()) context.print(ledger.render(context));
  if (!entries.empty()) {
    context.print("stated directly (anima history shows what):\n" + entries.render(context));
  }
  if (more > 0) context.print(fmt::format(".. and {} more (--limit N)\n", more));
}

Json to_json(const store::Snapshot& snapshot, const Records& records,
             const std::vector<store::EntryInfo>& stated) {
  Json list = Json::array();
  for (const memory::ProvenanceRecord* record : records) {
    list.push_back(memory::to_json(*record, snapshot));
  }
  for (const store::EntryInfo& entry : stated) {
    list.push_back(Json::object({{"kind", "Stated"},
                                 {"entry", static_cast<std::uint64_t>(entry.sequence)},
                                 {"time", format_timestamp(entry.time)},
                                 {"author", entry.author},
                                 {"source", entry.source},
                                 {"trust", store::trust_label(entry.trust)}}));
  }
  return list;
}

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
  const auto now = (*space)->snapshot();
  if (!now) return context.fail(now.error());
  const store::Snapshot& snapshot = *now;
  memory::ProvenanceLedger ledger(**space);
  if (Status read = ledger.refresh(); !read) return context.fail(read.error());
  Records records;
  std::vector<store::EntryInfo> stated;
  if (symbol) {
    const auto entity = store::resolve_symbol(snapshot, *symbol);
    if (!entity) return context.fail(entity.error());
    records = records_about(ledger, *entity);
    if (!kind) stated = plain_entries(snapshot, *entity, records);
    if (kind) std::erase_if(records, [&](const auto* record) { return record->kind != *kind; });
  } else {
    records = ledger.by_kind(*kind);
  }
  const std::size_t more = shorten(records, limit) + shorten(stated, limit);
  if (context.json) {
    context.print_json(to_json(snapshot, records, stated));
  } else {
    print_text(context, snapshot, records, stated, more);
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
