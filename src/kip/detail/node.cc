#include "kip/detail/node.h"

#include <algorithm>

#include "base/clock.h"
#include "kip/detail/schema.h"
#include "store/holds.h"
#include "store/number_key.h"

namespace anima::kip::detail {

using query::Values;
using store::EntityId;
using store::Pattern;
using store::Predicate;
using store::PredicateClass;
using store::Snapshot;
using store::Term;
using store::Triple;
using store::ValueKind;
using store::ValueView;

Json json_of(const Snapshot& snapshot, const ValueView& view) {
  switch (view.kind) {
    case ValueKind::kNull:
      return {};
    case ValueKind::kBoolean:
      return Json(view.integer != 0);
    case ValueKind::kInteger:
      return Json(view.integer);
    case ValueKind::kDouble:
      return Json(view.number);
    case ValueKind::kJson: {
      auto parsed = parse_json(view.text);
      return parsed ? std::move(*parsed) : Json(view.text);
    }
    case ValueKind::kDecimal: {
      auto parsed = parse_json(view.text);
      return parsed && parsed->is_number() ? std::move(*parsed) : Json(view.text);
    }
    case ValueKind::kTyped: {
      auto parsed = parse_json(view.text);
      return parsed && parsed->is_long_integer() && store::number_key(view) ? std::move(*parsed)
                                                                            : Json(view.text);
    }
    case ValueKind::kEntity:
      return Json(id_text(snapshot, view.entity));
    case ValueKind::kBlank:
      return Json("_:" + std::string(view.text));
    default:
      return Json(view.text);
  }
}

Json json_of(const Values& values, std::uint32_t code) {
  return code == 0 ? Json() : json_of(values.snapshot(), values.view(code));
}

namespace {

std::vector<store::Assertion> assertions_of_link(const Snapshot& snapshot, EntityId entity) {
  if (snapshot.kind(entity) != store::EntityKind::kProposition) return {};
  return snapshot.assertions(snapshot.triple_of(entity));
}

}  // namespace

namespace {

// Keys and values of one class, in key order of the store; several values that one graph gives a
// key read as an array.
Json collect(const Snapshot& snapshot, EntityId entity, PredicateClass kind) {
  Json object{JsonObject{}};
  Pattern pattern;
  pattern.subject = entity;
  pattern.predicate_class = kind;
  Predicate key;
  std::vector<std::uint32_t> codes;
  const auto finish = [&] {
    if (codes.size() > 1) codes = store::holding_values(snapshot, entity, key, codes);
    if (codes.empty()) return;
    const auto json = [&](std::uint32_t code) {
      return json_of(snapshot, snapshot.value(Term{code}));
    };
    Json value = json(codes.front());
    if (codes.size() > 1) {
      value = Json(JsonArray{});
      for (const std::uint32_t code : codes) value.push_back(json(code));
    }
    object.as_object().emplace_back(snapshot.value(key.key()).text, std::move(value));
    codes.clear();
  };
  store::Cursor cursor = snapshot.scan(pattern, store::Order::kSubjectPredicateObject);
  Triple rows[64];
  while (const std::size_t count = cursor.next(rows)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (rows[i].predicate.code != key.code) finish();
      key = rows[i].predicate;
      codes.push_back(rows[i].object.code);
    }
  }
  finish();
  return object;
}

}  // namespace

Json attributes_of(const Snapshot& snapshot, EntityId entity) {
  return collect(snapshot, entity, PredicateClass::kAttribute);
}

Json engine_metadata(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  if (key == "_version") return version_of(snapshot, entity);
  const std::vector<store::Sequence> history = snapshot.history(entity);
  if (history.empty()) return {};
  if (key == "_seq") return static_cast<std::int64_t>(history.back());
  if (key == "_created_at") return format_timestamp(snapshot.entry(history.front()).time);
  if (key == "_updated_at") return format_timestamp(snapshot.entry(history.back()).time);
  // A link is somebody's word, whoever wrote it again; a concept is what was made of it last.
  const std::vector<store::Assertion> link = assertions_of_link(snapshot, entity);
  const store::EntryInfo last = snapshot.entry(link.empty() ? history.back() : link.front().born);
  if (key == "_author") return last.author;
  if (key == "_source") return last.source;
  if (key == "_trust") return static_cast<std::int64_t>(last.trust);
  return {};
}

LinkConfidence confidence_of(const Snapshot& snapshot, EntityId entity, Predicate key,
                             std::span<const std::uint32_t> codes) {
  const std::vector<store::Assertion> link = assertions_of_link(snapshot, entity);
  if (link.empty()) return {};
  for (const std::uint32_t code : codes) {
    for (const store::Assertion& one : snapshot.assertions({entity, key, Term{code}})) {
      if (one.graph == link.front().graph) return {code, {}};
    }
  }
  if (codes.empty() && link.front().confidence == 1.0) return {};
  return {{}, link.front().confidence};
}

Json metadata_of(const Snapshot& snapshot, EntityId entity) {
  Json object = collect(snapshot, entity, PredicateClass::kMetadata);
  const std::vector<store::Assertion> link = assertions_of_link(snapshot, entity);
  if (link.size() > 1 || (link.size() == 1 && object.find("confidence") == nullptr)) {
    Predicate key;
    std::span<const std::uint32_t> codes;
    store::Scratch scratch;
    if (const auto term = snapshot.find_string("confidence")) {
      key = Predicate::metadata(*term);
      codes = snapshot.objects(entity, key, scratch);
    }
    const LinkConfidence confidence = confidence_of(snapshot, entity, key, codes);
    if (confidence.number) object.set("confidence", *confidence.number);
    if (confidence.code)
      object.set("confidence", json_of(snapshot, snapshot.value(Term{*confidence.code})));
  }
  for (const char* key : {"_version", "_created_at", "_updated_at"}) {
    Json value = engine_metadata(snapshot, entity, key);
    if (!value.is_null()) object.as_object().emplace_back(key, std::move(value));
  }
  return object;
}

Json node_of(const Snapshot& snapshot, EntityId entity) {
  Json node{JsonObject{}};
  JsonObject& members = node.as_object();
  members.reserve(7);
  if (snapshot.kind(entity) == store::EntityKind::kProposition) {
    const Triple triple = snapshot.triple_of(entity);
    members.emplace_back("_type", "PropositionLink");
    members.emplace_back("id", id_text(snapshot, entity));
    members.emplace_back("subject", id_text(snapshot, triple.subject));
    members.emplace_back("predicate", snapshot.name(triple.predicate.as_link()));
    members.emplace_back("object", json_of(snapshot, snapshot.value(triple.object)));
  } else {
    members.emplace_back("_type", "ConceptNode");
    members.emplace_back("id", id_text(snapshot, entity));
    members.emplace_back("type", snapshot.name(snapshot.type_of(entity)));
    members.emplace_back("name", snapshot.name(entity));
  }
  members.emplace_back("attributes", attributes_of(snapshot, entity));
  members.emplace_back("metadata", metadata_of(snapshot, entity));
  return node;
}

}  // namespace anima::kip::detail
