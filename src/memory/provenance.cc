#include "memory/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/bytes.h"
#include "base/text/text.h"
#include "memory/detail/item_store.h"
#include "memory/detail/provenance_codec.h"
#include "memory/names.h"
#include "store/own_graphs.h"
#include "store/restate.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;

// A batch in which somebody speaks has the names as well; others are as they ever were.
constexpr std::uint8_t kVersion = 1, kVersionWithSpeakers = 2;
constexpr std::string_view kLedgerType = "Ledger";
constexpr std::string_view kLedgerName = "anima:provenance";
constexpr std::string_view kNextId = "next_id";

struct KindName {
  ProvenanceKind kind;
  std::string_view name;
};
constexpr KindName kKindNames[] = {
    {ProvenanceKind::kExtracted, "Extracted"},
    {ProvenanceKind::kSeed, "Seed"},
    {ProvenanceKind::kGraphEdge, "GraphEdge"},
    {ProvenanceKind::kVsaRecovery, "VsaRecovery"},
    {ProvenanceKind::kAnalogy, "Analogy"},
    {ProvenanceKind::kFillerRecovery, "FillerRecovery"},
    {ProvenanceKind::kReasoned, "Reasoned"},
    {ProvenanceKind::kAggregated, "Aggregated"},
    {ProvenanceKind::kAgentDecision, "AgentDecision"},
    {ProvenanceKind::kAgentConsolidation, "AgentConsolidation"},
    {ProvenanceKind::kRuleInference, "RuleInference"},
    {ProvenanceKind::kFusedInference, "FusedInference"},
    {ProvenanceKind::kGapIdentified, "GapIdentified"},
    {ProvenanceKind::kSchemaDiscovered, "SchemaDiscovered"},
    {ProvenanceKind::kSemanticEnrichment, "SemanticEnrichment"},
    {ProvenanceKind::kCompartmentLoaded, "CompartmentLoaded"},
    {ProvenanceKind::kShadowVeto, "ShadowVeto"},
    {ProvenanceKind::kPsycheEvolution, "PsycheEvolution"},
    {ProvenanceKind::kLearningSaved, "LearningSaved"},
    {ProvenanceKind::kLearningForgotten, "LearningForgotten"},
    {ProvenanceKind::kToolProposed, "ToolProposed"},
    {ProvenanceKind::kToolRejected, "ToolRejected"},
    {ProvenanceKind::kToolCommitted, "ToolCommitted"},
    {ProvenanceKind::kToolApproved, "ToolApproved"},
    {ProvenanceKind::kToolAssertion, "ToolAssertion"},
    {ProvenanceKind::kContradiction, "Contradiction"},
    {ProvenanceKind::kLoaded, "Loaded"},
    {ProvenanceKind::kTold, "Told"},
};

std::uint64_t read_next_id(const store::Snapshot& all) {
  const store::Snapshot view = store::in_graph(all, kAgentGraph);
  const auto type = view.find_type(kLedgerType);
  const auto ledger = type ? view.find_concept(*type, kLedgerName) : std::nullopt;
  const auto value = ledger ? view.attribute(*ledger, kNextId) : std::nullopt;
  if (!value) return 1;
  const store::ValueView number = view.value(*value);
  return number.kind == store::ValueKind::kInteger && number.integer > 0
             ? static_cast<std::uint64_t>(number.integer)
             : 1;
}

// Texts repeat (one file loads thousands of triples), so a batch holds each once.
class TextTable {
 public:
  std::uint64_t place(const std::string& text) {
    const auto [found, fresh] = places_.emplace(text, texts_.size());
    if (fresh) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::uint64_t> places_;
  std::vector<std::string> texts_;
};

Result<ProvenanceRecord> read_record(ByteReader& reader, const std::vector<std::string>& texts,
                                     bool with_speaker) {
  ProvenanceRecord record;
  ANIMA_ASSIGN(const std::uint64_t tag, reader.varint());
  const auto kind = provenance_kind(tag);
  if (!kind) return fail(ErrorCode::kCorrupt, "a provenance record is of no known kind");
  record.kind = *kind;
  ANIMA_ASSIGN(const std::uint64_t derived, reader.varint());
  record.derived = static_cast<EntityId>(derived);
  ANIMA_ASSIGN(const std::uint64_t count, reader.varint());
  for (std::uint64_t i = 0; i < count; ++i) {
    ANIMA_ASSIGN(const std::uint64_t source, reader.varint());
    record.sources.push_back(static_cast<EntityId>(source));
  }
  ANIMA_ASSIGN(const std::uint64_t text, reader.varint());
  ANIMA_ASSIGN(const std::uint64_t text2, reader.varint());
  if (text >= texts.size() || text2 >= texts.size()) {
    return fail(ErrorCode::kCorrupt, "a provenance record names a text that is not there");
  }
  record.text = texts[text];
  record.text2 = texts[text2];
  ANIMA_ASSIGN(record.number, reader.f64());
  ANIMA_ASSIGN(record.cycle, reader.varint());
  ANIMA_ASSIGN(record.confidence, reader.f64());
  ANIMA_ASSIGN(const std::uint64_t depth, reader.varint());
  record.depth = static_cast<std::uint32_t>(depth);
  if (!with_speaker) return record;
  ANIMA_ASSIGN(const std::uint64_t speaker, reader.varint());
  if (speaker >= texts.size())
    return fail(ErrorCode::kCorrupt, "a provenance record names a text that is not there");
  record.speaker = texts[speaker];
  return record;
}

}  // namespace

std::string_view to_string(ProvenanceKind kind) {
  for (const KindName& each : kKindNames) {
    if (each.kind == kind) return each.name;
  }
  return "Extracted";
}

std::optional<ProvenanceKind> provenance_kind(std::uint64_t tag) {
  for (const KindName& each : kKindNames) {
    if (static_cast<std::uint64_t>(each.kind) == tag) return each.kind;
  }
  return std::nullopt;
}

std::string describe(const ProvenanceRecord& record) {
  const std::string_view name = to_string(record.kind);
  switch (record.kind) {
    case ProvenanceKind::kTold:
      return fmt::format("{}(\"{}\", memory {})", name, record.text, record.text2);
    case ProvenanceKind::kCompartmentLoaded:
      return fmt::format("{}({}, {})", name, record.text, record.text2);
    case ProvenanceKind::kShadowVeto:
    case ProvenanceKind::kAgentConsolidation:
    case ProvenanceKind::kGapIdentified:
      return fmt::format("{}({}, {:.2f})", name, record.text, record.number);
    case ProvenanceKind::kAgentDecision:
    case ProvenanceKind::kPsycheEvolution:
    case ProvenanceKind::kToolAssertion:
    case ProvenanceKind::kContradiction:
      return fmt::format("{}({}, cycle {})", name, record.text, record.cycle);
    default:
      break;
  }
  return record.text.empty() ? std::string(name) : fmt::format("{}({})", name, record.text);
}

std::string describe(const ProvenanceRecord& record, EntityId subject) {
  if (record.kind != ProvenanceKind::kLoaded) return describe(record);
  std::string rows;
  for (const std::uint64_t row : loaded_rows(record, subject))
    rows += (rows.empty() ? ", row " : ", ") + std::to_string(row);
  return fmt::format("{}({}{})", to_string(record.kind), record.text, rows);
}

std::vector<std::uint64_t> loaded_rows(const ProvenanceRecord& record, EntityId subject,
                                       std::size_t limit) {
  std::vector<std::uint64_t> rows;
  if (record.kind != ProvenanceKind::kLoaded) return rows;
  const auto wanted = static_cast<std::uint64_t>(subject);
  for (const std::string_view run : split(record.text2, ' ')) {
    std::uint64_t first = 0, count = 0, row = 0;
    const char* const end = run.data() + run.size();
    auto at = std::from_chars(run.data(), end, first).ptr;
    if (at == end || *at != '+') continue;
    at = std::from_chars(at + 1, end, count).ptr;
    if (at == end || *at != '=') continue;
    std::from_chars(at + 1, end, row);
    if (wanted >= first && wanted - first < count) rows.push_back(row + (wanted - first));
  }
  std::sort(rows.begin(), rows.end());
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Json to_json(const ProvenanceRecord& record, const store::Snapshot& snapshot) {
  Json sources = Json::array();
  for (const EntityId source : record.sources) {
    sources.push_back(store::symbol_label(snapshot, source));
  }
  Json json = Json::object({{"id", record.id},
                            {"derived", store::symbol_label(snapshot, record.derived)},
                            {"sources", std::move(sources)},
                            {"kind", to_string(record.kind)},
                            {"tag", static_cast<std::int64_t>(record.kind)},
                            {"text", record.text},
                            {"text2", record.text2},
                            {"number", record.number},
                            {"cycle", record.cycle},
                            {"confidence", record.confidence},
                            {"depth", record.depth},
                            {"time", format_timestamp(record.time)},
                            {"entry", static_cast<std::uint64_t>(record.entry)}});
  if (!record.speaker.empty()) json.set("speaker", record.speaker);
  return json;
}

namespace {

Status write_count(store::Transaction& transaction, std::uint64_t next) {
  store::AssertOptions options;
  options.graph = transaction.graph(kAgentGraph);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kLedgerType, options));
  ANIMA_ASSIGN(const EntityId ledger, transaction.upsert_concept(type, kLedgerName, options));
  const store::Value number = store::Value::of(static_cast<std::int64_t>(next));
  ANIMA_ASSIGN(const store::Term term, transaction.term(number.view()));
  return transaction.set_attribute(ledger, kNextId, std::span(&term, 1), options);
}

}  // namespace

ProvenanceBatch::ProvenanceBatch(store::Transaction& transaction)
    : transaction_(transaction), next_(read_next_id(transaction.view())) {}

std::uint64_t ProvenanceBatch::add(ProvenanceRecord record) {
  record.id = next_++;
  records_.push_back(std::move(record));
  return records_.back().id;
}

std::string detail::encode_provenance(const std::vector<ProvenanceRecord>& records) {
  const bool with_speakers = std::any_of(records.begin(), records.end(),
                                         [](const auto& each) { return !each.speaker.empty(); });
  TextTable table;
  for (const ProvenanceRecord& record : records) {
    table.place(record.text);
    table.place(record.text2);
    if (with_speakers) table.place(record.speaker);
  }
  ByteWriter out;
  out.u8(with_speakers ? kVersionWithSpeakers : kVersion);
  out.varint(table.texts().size());
  for (const std::string& text : table.texts()) out.string(text);
  out.varint(records.front().id);
  out.varint(records.size());
  for (const ProvenanceRecord& record : records) {
    out.varint(static_cast<std::uint64_t>(record.kind));
    out.varint(static_cast<std::uint64_t>(record.derived));
    out.varint(record.sources.size());
    for (const EntityId source : record.sources) out.varint(static_cast<std::uint64_t>(source));
    out.varint(table.place(record.text));
    out.varint(table.place(record.text2));
    out.f64(record.number);
    out.varint(record.cycle);
    out.f64(record.confidence);
    out.varint(record.depth);
    if (with_speakers) out.varint(table.place(record.speaker));
  }
  return out.take();
}

Status ProvenanceBatch::write() {
  if (records_.empty()) return {};
  ANIMA_TRY(
      transaction_.record(store::RecordKind::kProvenance, detail::encode_provenance(records_)));
  for (const ProvenanceRecord& one : records_) {
    if (one.kind == ProvenanceKind::kTold && !one.text2.empty())
      ANIMA_TRY(detail::note_told(transaction_, one.text2, one.id));
  }
  records_.clear();
  return write_count(transaction_, next_);
}

Status keep_provenance_count(store::Space& space) {
  const store::Origin origin{std::string(store::kSystemAuthor), "anima forget",
                             store::Trust::kSystem, store::Sequence::kNone};
  const auto count_anew = [](store::Transaction& transaction) -> Status {
    const std::uint64_t next = read_next_id(transaction.view());
    if (next == 1) return {};
    ANIMA_TRY(store::state_existence_anew(transaction, transaction.graph(kAgentGraph), kLedgerType,
                                          kLedgerName));
    // Another number than the one that is there, so that it is a statement of this entry.
    return write_count(transaction, next + 1);
  };
  return space.write(origin, count_anew).map([](const store::Receipt&) {});
}

bool counts_provenance(const store::Snapshot& now, const store::WrittenKey& key) {
  const auto graph = now.find_graph(kAgentGraph);
  if (!graph || key.graph != *graph) return false;
  const auto type = now.find_type(kLedgerType);
  return type && (key.subject == *type ||
                  (now.type_of(key.subject) == *type && now.name(key.subject) == kLedgerName));
}

Result<std::vector<ProvenanceRecord>> decode_provenance(std::string_view payload) {
  ByteReader reader(payload);
  ANIMA_ASSIGN(const std::uint8_t version, reader.u8());
  if (version != kVersion && version != kVersionWithSpeakers) {
    return fail(ErrorCode::kVersionMismatch, "provenance of an unknown version");
  }
  ANIMA_ASSIGN(const std::uint64_t text_count, reader.varint());
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < text_count; ++i) {
    ANIMA_ASSIGN(const std::string_view text, reader.string());
    texts.emplace_back(text);
  }
  ANIMA_ASSIGN(std::uint64_t id, reader.varint());
  ANIMA_ASSIGN(const std::uint64_t count, reader.varint());
  std::vector<ProvenanceRecord> records;
  for (std::uint64_t i = 0; i < count; ++i) {
    ANIMA_ASSIGN(ProvenanceRecord record,
                 read_record(reader, texts, version == kVersionWithSpeakers));
    record.id = id++;
    records.push_back(std::move(record));
  }
  return records;
}

Status ProvenanceLedger::refresh() {
  return space_.changes(read_to_, [&](const store::LogEntry& entry) -> Status {
    read_to_ = entry.sequence;
    return store::visit_records(
        entry, [&](store::RecordKind kind, std::string_view payload) -> Status {
          if (kind != store::RecordKind::kProvenance) return {};
          ANIMA_ASSIGN(std::vector<ProvenanceRecord> batch, decode_provenance(payload));
          for (ProvenanceRecord& record : batch) {
            record.time = entry.time;
            record.entry = entry.sequence;
            const std::size_t place = records_.size();
            derived_[static_cast<std::uint32_t>(record.derived)].push_back(place);
            kind_[static_cast<std::uint32_t>(record.kind)].push_back(place);
            for (const EntityId source : record.sources) {
              source_[static_cast<std::uint32_t>(source)].push_back(place);
            }
            records_.push_back(std::move(record));
          }
          return {};
        });
  });
}

const ProvenanceRecord* ProvenanceLedger::find(std::uint64_t id) const {
  const auto found = std::lower_bound(
      records_.begin(), records_.end(), id,
      [](const ProvenanceRecord& record, std::uint64_t wanted) { return record.id < wanted; });
  return found == records_.end() || found->id != id ? nullptr : &*found;
}

std::vector<const ProvenanceRecord*> ProvenanceLedger::pick(const Index& index,
                                                            std::uint32_t key) const {
  std::vector<const ProvenanceRecord*> list;
  const auto found = index.find(key);
  if (found == index.end()) return list;
  for (const std::size_t place : found->second) list.push_back(&records_[place]);
  return list;
}

std::vector<const ProvenanceRecord*> ProvenanceLedger::by_derived(EntityId symbol) const {
  return pick(derived_, static_cast<std::uint32_t>(symbol));
}
std::vector<const ProvenanceRecord*> ProvenanceLedger::by_source(EntityId symbol) const {
  return pick(source_, static_cast<std::uint32_t>(symbol));
}
std::vector<const ProvenanceRecord*> ProvenanceLedger::by_kind(ProvenanceKind kind) const {
  return pick(kind_, static_cast<std::uint32_t>(kind));
}

}  // namespace anima::memory
