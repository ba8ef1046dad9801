#include "store/whole_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "store/own_graphs.h"
#include "store/state/versions.h"

namespace anima::store {
namespace {

constexpr std::string_view kWholeRows = "whole_rows_";
constexpr std::string_view kThings = "things", kKeys = "keys", kLinks = "links",
                           kRecords = "records";

std::string_view label_of(const Snapshot& now, Predicate predicate) {
  return predicate.predicate_class() == PredicateClass::kAttribute ? now.value(predicate.key()).text
                                                                   : std::string_view();
}

std::string text_of_runs(const WholeRows& rows) {
  std::string text;
  for (const auto& [first, count] : rows.things)
    text += (text.empty() ? "" : " ") + std::to_string(first) + "+" + std::to_string(count);
  return text;
}

void read_runs(std::string_view text, WholeRows& rows) {
  for (const std::string_view run : split(text, ' ')) {
    const std::size_t plus = run.find('+');
    const auto first = read_number<std::uint32_t>(run.substr(0, plus));
    const auto count =
        plus == run.npos ? std::nullopt : read_number<std::uint32_t>(run.substr(plus + 1));
    if (first && count) rows.things.emplace_back(*first, *count);
  }
  std::ranges::sort(rows.things);
}

template <typename Visit>
void each_in(const Json& json, std::string_view key, const Visit& visit) {
  const Json* const list = json.find(key);
  if (list == nullptr || !list->is_array()) return;
  for (const Json& one : list->as_array()) visit(one);
}

std::optional<WholeRows> read_rows(const Snapshot& now, std::string_view text) {
  const auto json = parse_json(text);
  const Json* const things = json && json->is_object() ? json->find(kThings) : nullptr;
  if (things == nullptr || !things->is_string()) return std::nullopt;
  WholeRows rows;
  read_runs(things->as_string(), rows);
  each_in(*json, kKeys, [&](const Json& one) {
    const auto key = one.is_string() ? now.find_string(one.as_string()) : std::nullopt;
    if (key) rows.predicates.push_back(Predicate::attribute(*key));
  });
  each_in(*json, kLinks, [&](const Json& one) {
    if (one.is_integer())
      rows.predicates.push_back(
          Predicate::link(EntityId{static_cast<std::uint32_t>(one.as_integer())}));
  });
  each_in(*json, kRecords, [&](const Json& one) {
    if (one.is_integer()) rows.records.insert(static_cast<std::uint64_t>(one.as_integer()));
  });
  return rows;
}

}  // namespace

bool WholeRows::covers(const WrittenKey& key) const {
  if (key.graph != GraphId::kDefault ||
      std::ranges::find(predicates, key.predicate) == predicates.end())
    return false;
  const auto thing = static_cast<std::uint32_t>(key.subject);
  const auto next =
      std::ranges::upper_bound(things, thing, {}, [](const auto& run) { return run.first; });
  return next != things.begin() && thing - std::prev(next)->first < std::prev(next)->second;
}

Status keep_whole_rows(Transaction& transaction, EntityId table, const WholeRows& rows,
                       const AssertOptions& options) {
  Json keys = Json::array(), links = Json::array(), records = Json::array();
  for (const Predicate one : rows.predicates) {
    if (one.predicate_class() == PredicateClass::kLink) {
      links.push_back(static_cast<std::uint32_t>(one.as_link()));
    } else {
      keys.push_back(std::string(transaction.live().value(one.key()).text));
    }
  }
  for (const std::uint64_t record : rows.records) records.push_back(record);
  const Json json = Json::object({{std::string(kThings), text_of_runs(rows)},
                                  {std::string(kKeys), std::move(keys)},
                                  {std::string(kLinks), std::move(links)},
                                  {std::string(kRecords), std::move(records)}});
  ANIMA_ASSIGN(const Term term, transaction.term(Value::string(json.dump()).view()));
  return transaction.set_attribute(table, std::string(kWholeRows) + std::to_string(rows.record),
                                   std::span(&term, 1), options);
}

AllWholeRows::AllWholeRows(const Snapshot& state) {
  const Snapshot now = state.with_books();
  const auto type = now.find_type(kTypeOfTables);
  if (!type) return;
  std::set<EntityId> tables;
  detail::visit_versions_of_object(now.state(), ObjectCode{static_cast<std::uint32_t>(*type)},
                                   [&](const detail::Version& version) {
                                     if (version.triple.predicate == kTypePredicate)
                                       tables.insert(version.triple.subject);
                                   });
  for (const EntityId table : tables) add_table(now, table);
  std::ranges::sort(all_, {}, &WholeRows::entry);
}

// Each load once, also one that is undone.
void AllWholeRows::add_table(const Snapshot& now, EntityId table) {
  std::map<Sequence, WholeRows> loads;
  std::set<std::uint64_t> records;
  detail::visit_versions(now.state(), table, {}, {}, [&](const detail::Version& version) {
    const std::string_view label = label_of(now, version.triple.predicate);
    if (version.quoted() || !label.starts_with(kWholeRows)) return;
    const auto record = read_number<std::uint64_t>(label.substr(kWholeRows.size()));
    now.state().each_context(version.set, [&](std::uint32_t, const detail::Context& context) {
      const Sequence entry{context.word_of()};
      const auto graph = static_cast<GraphId>(context.graph);
      if (!record || loads.contains(entry) || !is_own_graph(now.graph_name(graph))) return;
      auto rows = read_rows(now, now.value(version.triple.object).text);
      if (!rows) return;
      rows->record = *record;
      rows->entry = entry;
      records.insert(*record);
      records.insert(rows->records.begin(), rows->records.end());
      loads.emplace(entry, *std::move(rows));
    });
  });
  for (auto& [entry, rows] : loads) {
    rows.records = records;
    all_.push_back(std::move(rows));
  }
}

std::vector<const WholeRows*> AllWholeRows::of(const WrittenKey& key) const {
  std::vector<const WholeRows*> found;
  for (const WholeRows& one : all_)
    if (one.covers(key)) found.push_back(&one);
  return found;
}

std::vector<const WholeRows*> AllWholeRows::of(Sequence entry) const {
  std::vector<const WholeRows*> found;
  for (const WholeRows& one : all_)
    if (one.entry == entry) found.push_back(&one);
  return found;
}

}  // namespace anima::store
