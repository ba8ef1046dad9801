#include "load/write/kept_mapping.h"

#include <span>

#include "load/load.h"
#include "store/own_graphs.h"
#include "store/statements.h"

namespace anima::load {
namespace {

using store::EntityId;

constexpr std::string_view kMappingType = store::kTypeOfTables;

std::optional<Json> json_of(const store::Snapshot& view, EntityId entity, std::string_view key) {
  const auto term = view.attribute(entity, key);
  if (!term) return std::nullopt;
  const store::ValueView value = view.value(*term);
  if (value.kind != store::ValueKind::kJson) return std::nullopt;
  auto json = parse_json(value.text);
  return json ? std::optional(std::move(*json)) : std::nullopt;
}

Status set_json(store::Transaction& transaction, EntityId entity, std::string_view key,
                const Json& json, const store::AssertOptions& options) {
  ANIMA_ASSIGN(const store::Term term, transaction.term(store::Value::from_json(json).view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1), options);
}

std::optional<TableMapping> mapping_of(const store::Snapshot& view, EntityId entity) {
  const auto json = json_of(view, entity, "mapping");
  if (!json) return std::nullopt;
  auto mapping = table_mapping_from_json(*json);
  return mapping ? std::optional(std::move(*mapping)) : std::nullopt;
}

}  // namespace

KeptMapping kept_mapping(const store::Snapshot& snapshot, std::string_view table) {
  KeptMapping kept;
  const store::Snapshot view = store::in_graph(snapshot, kLoadGraph);
  const auto type = view.find_type(kMappingType);
  const auto entity = type ? view.find_concept(*type, table) : std::nullopt;
  if (!entity) return kept;
  kept.mapping = mapping_of(view, *entity);
  if (const auto records = json_of(view, *entity, "records")) {
    for (const Json& id : records->as_array())
      kept.records.insert(static_cast<std::uint64_t>(id.as_integer()));
  }
  return kept;
}

Status keep_mapping(store::Transaction& transaction, const TableMapping& mapping,
                    const std::string& file, const std::set<std::uint64_t>& records) {
  store::AssertOptions options;
  options.graph = transaction.graph(kLoadGraph);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kMappingType, options));
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, mapping.table, options));
  Json ids = Json::array();
  for (const std::uint64_t id : records) ids.push_back(id);
  ANIMA_TRY(set_json(transaction, entity, "mapping", to_json(mapping), options));
  ANIMA_TRY(set_json(transaction, entity, "records", ids, options));
  ANIMA_ASSIGN(const store::Term name, transaction.term(store::Value::string(file).view()));
  return transaction.set_attribute(entity, "file", std::span(&name, 1), options);
}

Status keep_rows(store::Transaction& transaction, const std::string& table,
                 const store::WholeRows& rows) {
  store::AssertOptions options;
  options.graph = transaction.graph(kLoadGraph);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kMappingType, options));
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, table, options));
  return store::keep_whole_rows(transaction, entity, rows, options);
}

std::string key_attribute_of(const TableMapping& mapping) {
  if (mapping.key.size() != 1 || is_named_by_key(mapping)) return {};
  const ColumnMapping* column = mapping.find(mapping.key[0]);
  return column == nullptr ? std::string() : column->attribute;
}

Mapping kept_mappings(const store::Snapshot& snapshot) {
  Mapping all;
  const store::Snapshot view = store::in_graph(snapshot, kLoadGraph);
  const auto type = view.find_type(kMappingType);
  if (!type) return all;
  store::Pattern members;
  members.predicate = store::kTypePredicate;
  members.object = store::Term::entity(*type);
  store::each_statement(view, members, [&](const store::Triple& row) {
    if (auto mapping = mapping_of(view, row.subject)) all.tables.push_back(std::move(*mapping));
  });
  return all;
}

}  // namespace anima::load
