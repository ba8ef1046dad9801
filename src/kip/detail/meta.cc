// DESCRIBE, SEARCH, EXPORT.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/text/text.h"
#include "kip/detail/context.h"
#include "kip/detail/cursor.h"
#include "kip/detail/pattern.h"
#include "kip/detail/schema.h"
#include "kip/format.h"
#include "store/holds.h"

namespace anima::kip::detail {

namespace {

constexpr std::size_t kMaxDomains = 256;
constexpr std::int64_t kMaxHits = 100;
constexpr std::size_t kShortHits = 10;
constexpr std::size_t kShortLine = 160;  // code points of what is said about a hit

std::vector<EntityId> concepts_of_type(const Snapshot& snapshot, EntityId type) {
  store::Scratch scratch;
  std::vector<EntityId> entities;
  for (const std::uint32_t code :
       snapshot.subjects(store::kTypePredicate, Term::entity(type), scratch))
    entities.push_back(EntityId{code});
  std::sort(entities.begin(), entities.end(),
            [&](EntityId a, EntityId b) { return snapshot.name(a) < snapshot.name(b); });
  return entities;
}

std::vector<EntityId> domains(const Snapshot& snapshot) {
  const auto type = snapshot.find_type("Domain");
  return type ? concepts_of_type(snapshot, *type) : std::vector<EntityId>{};
}

Json brief(const Snapshot& snapshot, EntityId entity) {
  return Json::object({{"id", id_text(snapshot, entity)},
                       {"type", snapshot.name(snapshot.type_of(entity))},
                       {"name", snapshot.name(entity)},
                       {"attributes", attributes_of(snapshot, entity)}});
}

Json text_attribute(const Snapshot& snapshot, EntityId entity, std::string_view key) {
  const auto term = snapshot.attribute(entity, key);
  return term ? json_of(snapshot, snapshot.value(*term)) : Json();
}

Json domain_entry(const Snapshot& snapshot, EntityId domain, std::optional<EntityId> membership) {
  JsonArray types, predicates;
  if (membership) {
    store::Scratch scratch;
    const auto members =
        snapshot.subjects(store::Predicate::link(*membership), Term::entity(domain), scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(members.begin(), members.end())) {
      const EntityId type = snapshot.type_of(EntityId{code});
      if (type == store::kConceptType) types.emplace_back(snapshot.name(EntityId{code}));
      if (type == store::kPropositionType) predicates.emplace_back(snapshot.name(EntityId{code}));
    }
  }
  return Json::object({{"name", snapshot.name(domain)},
                       {"description", text_attribute(snapshot, domain, "description")},
                       {"key_concept_types", Json(std::move(types))},
                       {"key_proposition_types", Json(std::move(predicates))}});
}

Json primer(const Snapshot& snapshot) {
  Json identity;
  const auto person = snapshot.find_type("Person");
  const auto self = person ? snapshot.find_concept(*person, "$self") : std::nullopt;
  // A client is told to read this first: who is not trusted does not say who it is.
  if (self) identity = brief(store::trusted_view(snapshot, store::Trust::kStandard), *self);
  const auto membership = snapshot.find_predicate("belongs_to_domain");
  const std::vector<EntityId> all = domains(snapshot);
  JsonArray map;
  for (std::size_t i = 0; i < all.size() && i < kMaxDomains; ++i)
    map.push_back(domain_entry(snapshot, all[i], membership));
  return Json::object({{"identity", std::move(identity)},
                       {"domain_map", Json(std::move(map))},
                       {"total_domains", static_cast<std::int64_t>(all.size())},
                       {"search_modes", Json::array({"keyword"})}});
}

Outcome<Reply> describe_types(const Describe& describe, EntityId of_type, Context& context) {
  std::vector<std::string> names = defined_names(context.snapshot, of_type);
  const std::uint64_t fingerprint = of_type == store::kConceptType ? 1 : 2;
  std::size_t first = 0, count = names.size();
  if (describe.cursor) {
    ANIMA_ASSIGN(const std::string_view token, context.binder.text(*describe.cursor, "CURSOR"));
    ANIMA_ASSIGN(const JsonArray keys,
                 decode_cursor(token, fingerprint, describe.cursor->place.offset));
    if (keys.size() != 1 || !keys[0].is_string())
      return refuse(Code::kInvalidSyntax, "this is no cursor of this engine", {},
                    describe.cursor->place.offset);
    first = static_cast<std::size_t>(
        std::upper_bound(names.begin(), names.end(), keys[0].as_string()) - names.begin());
  }
  if (describe.limit) {
    ANIMA_ASSIGN(const std::int64_t limit, context.binder.count(*describe.limit, "LIMIT", 1));
    count = static_cast<std::size_t>(limit);
  }
  Reply reply;
  JsonArray page;
  std::size_t at = first;
  for (; at < names.size() && page.size() < count; ++at) page.emplace_back(names[at]);
  if (at < names.size()) reply.next_cursor = encode_cursor(fingerprint, {Json(names[at - 1])});
  reply.result = Json(std::move(page));
  return reply;
}

Outcome<Reply> describe_type(const Describe& describe, EntityId of_type, Context& context) {
  ANIMA_ASSIGN(const std::string_view name, context.binder.text(*describe.name, "a type's name"));
  const bool concept_type = of_type == store::kConceptType;
  auto found = concept_type ? require_type(context.snapshot, name, describe.name->place)
                            : require_predicate(context.snapshot, name, describe.name->place);
  if (!found) {
    Fault fault = std::move(found).error();
    fault.code = Code::kNotFound;
    return fail(std::move(fault));
  }
  Reply reply;
  reply.result = node_of(context.snapshot, *found);
  return reply;
}

}  // namespace

Outcome<Reply> run_describe(const Describe& describe, Context& context) {
  Reply reply;
  switch (describe.kind) {
    case Describe::Kind::kPrimer:
      reply.result = primer(context.snapshot);
      return reply;
    case Describe::Kind::kDomains: {
      JsonArray list;
      for (const EntityId domain : domains(context.snapshot))
        list.push_back(brief(context.snapshot, domain));
      reply.result = Json(std::move(list));
      return reply;
    }
    case Describe::Kind::kConceptTypes:
      return describe_types(describe, store::kConceptType, context);
    case Describe::Kind::kPropositionTypes:
      return describe_types(describe, store::kPropositionType, context);
    case Describe::Kind::kConceptType:
      return describe_type(describe, store::kConceptType, context);
    case Describe::Kind::kPropositionType:
      return describe_type(describe, store::kPropositionType, context);
  }
  return reply;
}

// --- SEARCH

namespace {

// BM25 has no upper bound; THRESHOLD wants 0 .. 1.
double squash(double score) { return score <= 0 ? 0 : score / (score + 2); }

Outcome<double> threshold_of(const Search& search, const Context& context) {
  if (!search.threshold) return 0.0;
  ANIMA_ASSIGN(const Json json, context.binder.value(*search.threshold));
  if (!json.is_number() || json.as_number() < 0 || json.as_number() > 1) {
    return refuse(Code::kInvalidSyntax, "THRESHOLD is a number from 0 to 1", {},
                  search.threshold->place.offset);
  }
  return json.as_number();
}

Check note_mode(const Search& search, const Context& context, Reply* reply) {
  if (!search.mode) return {};
  ANIMA_ASSIGN(const std::string_view mode, context.binder.text(*search.mode, "MODE"));
  if (mode != "keyword" && mode != "semantic" && mode != "hybrid") {
    return refuse(Code::kInvalidSyntax, "there is no search mode " + quote_json(mode),
                  "the modes are \"keyword\", \"semantic\" and \"hybrid\"",
                  search.mode->place.offset);
  }
  if (mode != "keyword") {
    reply->extra.emplace_back("search_mode", "keyword");
    reply->extra.emplace_back(
        "notice", "there is no vector index: MODE " + quote_json(mode) + " was run as \"keyword\"");
  }
  return {};
}

std::string plain(const Json& value) {
  return value.is_string() ? value.as_string() : value.dump();
}

// The description, or else the attributes, as far as they fit on a line.
std::string about(const Snapshot& snapshot, EntityId entity) {
  const Json attributes = attributes_of(snapshot, entity);
  std::string line;
  if (const Json* description = attributes.find("description")) {
    line = plain(*description);
  } else {
    for (const JsonMember& each : attributes.as_object())
      line += (line.empty() ? "" : "; ") + each.first + ": " + plain(each.second);
  }
  const std::string_view beginning = substring_by_code_points(line, 0, kShortLine);
  if (beginning.size() == line.size()) return line;
  return std::string(beginning) + "..";
}

std::string end_name(const Snapshot& snapshot, Term end) {
  if (!end.is_entity()) return plain(json_of(snapshot, snapshot.value(end)));
  const bool link = snapshot.kind(end.as_entity()) == store::EntityKind::kProposition;
  return link ? id_text(snapshot, end.as_entity()) : std::string(snapshot.name(end.as_entity()));
}

Json short_hit(const Snapshot& snapshot, EntityId entity, double score) {
  Json hit = Json::object({{"id", id_text(snapshot, entity)}});
  if (snapshot.kind(entity) == store::EntityKind::kProposition) {
    const store::Triple triple = snapshot.triple_of(entity);
    hit.set("subject", end_name(snapshot, Term::entity(triple.subject)));
    hit.set("predicate", snapshot.name(triple.predicate.as_link()));
    hit.set("object", end_name(snapshot, triple.object));
  } else {
    hit.set("type", snapshot.name(snapshot.type_of(entity)));
    hit.set("name", snapshot.name(entity));
  }
  hit.set("score", std::round(score * 1000) / 1000);
  if (std::string line = about(snapshot, entity); !line.empty()) hit.set("about", std::move(line));
  return hit;
}

// `more` receives whether a hit beyond the limit was found.
void add_hits(const Snapshot& snapshot, const std::vector<store::TextHit>& hits, double threshold,
              std::size_t limit, bool short_hits, JsonArray* list, bool* more) {
  for (const store::TextHit& hit : hits) {
    const double score = squash(hit.score);
    if (score < threshold || !snapshot.exists(hit.entity)) continue;
    if (list->size() >= limit) {
      *more = true;
      return;
    }
    if (short_hits) {
      list->push_back(short_hit(snapshot, hit.entity, score));
      continue;
    }
    Json node = node_of(snapshot, hit.entity);
    node.find("metadata")->set("_score", score);
    list->push_back(std::move(node));
  }
}

}  // namespace

Outcome<Reply> run_search(const Search& search, Context& context) {
  const Snapshot& snapshot = context.snapshot;
  Reply reply;
  ANIMA_ASSIGN(const std::string_view term, context.binder.text(search.term, "SEARCH"));
  ANIMA_TRY(note_mode(search, context, &reply));
  ANIMA_ASSIGN(const double threshold, threshold_of(search, context));
  store::TextQuery query;
  query.text = term;
  query.propositions = search.propositions;
  std::size_t limit = context.short_hits ? kShortHits : kMaxHits;
  if (search.limit) {
    ANIMA_ASSIGN(const std::int64_t asked, context.binder.count(*search.limit, "LIMIT", 1));
    limit = static_cast<std::size_t>(std::min(asked, kMaxHits));
  }
  query.limit = limit + 1;  // whether there are more
  JsonArray list;
  bool more = false;
  const auto add = [&] {
    add_hits(snapshot, snapshot.search(query), threshold, limit, context.short_hits, &list, &more);
  };
  bool known_type = true;
  if (search.type) {
    ANIMA_ASSIGN(const std::string_view name, context.binder.text(*search.type, "WITH TYPE"));
    query.type = search.propositions ? snapshot.find_predicate(name) : snapshot.find_type(name);
    known_type = query.type.has_value();
  }
  if (known_type) add();
  if (search.propositions && list.empty() && known_type) {
    // No link says it: the definitions of predicates may.
    query.propositions = false;
    query.type = store::kPropositionType;
    add();
  }
  if (context.short_hits && more && !search.limit) {
    reply.extra.emplace_back("notice", "there are more than " + std::to_string(limit) +
                                           " hits: LIMIT gives up to " + std::to_string(kMaxHits));
  }
  reply.result = Json(std::move(list));
  return reply;
}

// --- EXPORT

namespace {

Value to_value(const Json& json) {
  Value value;
  switch (json.kind()) {
    case Json::Kind::kNull:
      break;
    case Json::Kind::kBool:
      value.kind = Value::Kind::kBool;
      value.boolean = json.as_bool();
      break;
    case Json::Kind::kInteger:
      value.kind = Value::Kind::kInteger;
      value.integer = json.as_integer();
      break;
    case Json::Kind::kDouble:
      value.kind = json.is_long_integer() ? Value::Kind::kInteger : Value::Kind::kDouble;
      if (json.is_long_integer()) value.text = json.long_digits();
      value.number = json.as_number();
      break;
    case Json::Kind::kString:
      value.kind = Value::Kind::kString;
      value.text = json.as_string();
      break;
    case Json::Kind::kArray:
      value.kind = Value::Kind::kArray;
      for (const Json& item : json.as_array()) value.items.push_back(to_value(item));
      break;
    case Json::Kind::kObject:
      value.kind = Value::Kind::kObject;
      for (const JsonMember& member : json.as_object()) {
        value.keys.push_back(member.first);
        value.items.push_back(to_value(member.second));
      }
      break;
  }
  return value;
}

Atom atom(std::string_view text) {
  Atom result;
  result.text = text;
  return result;
}

std::optional<Value> members(const Json& object) {
  Json own{JsonObject{}};
  for (const JsonMember& member : object.as_object()) {
    if (!member.first.starts_with('_')) own.set(member.first, member.second);
  }
  if (own.as_object().empty()) return std::nullopt;
  return to_value(own);
}

ConceptMatch matcher(const Snapshot& snapshot, EntityId entity) {
  ConceptMatch match;
  match.type = atom(snapshot.name(snapshot.type_of(entity)));
  match.name = atom(snapshot.name(entity));
  return match;
}

class Exporter {
 public:
  // Spends from `meter`, which may be null.
  Exporter(const Snapshot& snapshot, std::vector<EntityId> entities, query::Meter* meter)
      : snapshot_(snapshot), entities_(std::move(entities)), meter_(meter) {
    std::sort(entities_.begin(), entities_.end());
  }

  // Cut short when the meter's budget is used up.
  std::string text() {
    std::vector<UpsertItem> concepts, links;
    for (const EntityId entity : entities_) {
      if (!pay(sizeof(UpsertItem))) return {};
      if (snapshot_.kind(entity) == store::EntityKind::kConcept)
        concepts.push_back(concept_item(entity));
    }
    collect_links();
    for (const EntityId link : links_) {
      if (!pay(sizeof(UpsertItem))) return {};
      links.push_back(link_item(link));
    }
    Script script;
    add(std::move(concepts), &script);
    add(std::move(links), &script);
    return format(script);
  }
  std::size_t links() const { return links_.size(); }

 private:
  bool pay(std::uint64_t bytes) const {
    return meter_ == nullptr || (meter_->take_memory(bytes) && meter_->spend(1));
  }

  static void add(std::vector<UpsertItem> items, Script* script) {
    if (items.empty()) return;
    Upsert upsert;
    upsert.blocks.emplace_back();
    upsert.blocks[0].items = std::move(items);
    Statement statement;
    statement.body = std::move(upsert);
    script->statements.push_back(std::move(statement));
  }

  bool exported(EntityId entity) const {
    return std::binary_search(entities_.begin(), entities_.end(), entity);
  }

  UpsertItem concept_item(EntityId entity) const {
    UpsertItem item;
    item.concept_match = matcher(snapshot_, entity);
    item.attributes = members(attributes_of(snapshot_, entity));
    item.metadata = members(metadata_of(snapshot_, entity));
    return item;
  }

  // Links between exported things, the exported links themselves, and the links that any of these
  // stand on. In the order of their ids, which is an order in which each finds its ends written.
  void collect_links() {
    for (const EntityId entity : entities_) {
      if (snapshot_.kind(entity) == store::EntityKind::kProposition) {
        offer(entity);
      } else {
        offer_links_of(entity);
      }
    }
    for (std::size_t i = 0; i < links_.size() && pay(sizeof(EntityId)); ++i) {
      const store::Triple triple = snapshot_.triple_of(links_[i]);
      for (const EntityId end : {triple.subject, triple.object.as_entity()}) {
        if (snapshot_.kind(end) == store::EntityKind::kProposition && offer(end))
          handles_.try_emplace(end);
      }
    }
    std::sort(links_.begin(), links_.end());
    std::erase_if(links_, [this](EntityId link) { return !ends_written(link); });
    std::size_t number = 0;
    for (const EntityId link : links_) {
      const auto found = handles_.find(link);
      if (found != handles_.end()) found->second = "l" + std::to_string(++number);
    }
  }

  // Asked in the order of the links: takes those that cannot be written out of `offered_`.
  bool ends_written(EntityId link) {
    const store::Triple triple = snapshot_.triple_of(link);
    for (const EntityId end : {triple.subject, triple.object.as_entity()}) {
      if (snapshot_.kind(end) == store::EntityKind::kConcept || offered_.contains(end)) continue;
      offered_.erase(link);
      return false;
    }
    return true;
  }

  // False for a link to a value, which has no form in KIP.
  bool offer(EntityId link) {
    if (!snapshot_.triple_of(link).object.is_entity()) return false;
    if (offered_.insert(link).second) links_.push_back(link);
    return true;
  }

  void offer_links_of(EntityId entity) {
    store::Pattern pattern;
    pattern.subject = entity;
    store::Cursor cursor = snapshot_.scan(pattern);
    std::vector<store::Triple> rows(256);
    while (const std::size_t count = cursor.next(rows)) {
      if (!pay(0)) return;
      for (std::size_t i = 0; i < count; ++i) {
        if (!rows[i].object.is_entity() || !exported(rows[i].object.as_entity())) continue;
        if (const auto link = snapshot_.find_proposition(rows[i])) offer(*link);
      }
    }
  }

  UpsertItem link_item(EntityId link) const {
    const store::Triple triple = snapshot_.triple_of(link);
    UpsertItem item;
    item.is_proposition = true;
    if (const auto handle = handles_.find(link); handle != handles_.end())
      item.handle = handle->second;
    item.link.subject = endpoint(triple.subject);
    item.link.predicate.names.push_back(atom(snapshot_.name(triple.predicate.as_link())));
    item.link.object = endpoint(triple.object.as_entity());
    item.attributes = members(attributes_of(snapshot_, link));
    item.metadata = members(metadata_of(snapshot_, link));
    return item;
  }

  // A link by its handle: written out, it would bring everything that it stands on along.
  Endpoint endpoint(EntityId entity) const {
    Endpoint end;
    if (const auto handle = handles_.find(entity); handle != handles_.end()) {
      end.kind = Endpoint::Kind::kVariable;
      end.variable = handle->second;
    } else {
      end.kind = Endpoint::Kind::kConcept;
      end.concept_match = matcher(snapshot_, entity);
    }
    return end;
  }

  const Snapshot& snapshot_;
  std::vector<EntityId> entities_;
  query::Meter* meter_;
  std::vector<EntityId> links_;
  std::unordered_set<EntityId> offered_;
  std::unordered_map<EntityId, std::string> handles_;  // of the links that others are about
};

}  // namespace

Outcome<Reply> run_export(const Export& it, Context& context) {
  PatternPlanner planner(context.snapshot, context.binder, {context.strict, false});
  ANIMA_ASSIGN(query::NodePtr node, planner.where(it.where));
  DotPath path;
  path.variable = it.variable;
  path.place = it.place;
  ANIMA_ASSIGN(const auto variable, planner.require(path));
  node = query::order_by(query::distinct(std::move(node), {variable.slot}),
                         {{variable.slot, false, true, nullptr}});
  const query::Plan plan = planner.finish(std::move(node), {variable.slot});
  ANIMA_ASSIGN(const query::Answer answer, query::run(plan, context.run));
  std::uint32_t after = 0;
  constexpr std::uint64_t kFingerprint = 3;
  if (it.cursor) {
    ANIMA_ASSIGN(const std::string_view token, context.binder.text(*it.cursor, "CURSOR"));
    ANIMA_ASSIGN(const JsonArray keys, decode_cursor(token, kFingerprint, it.cursor->place.offset));
    if (keys.size() == 1 && keys[0].is_integer())
      after = static_cast<std::uint32_t>(keys[0].as_integer());
  }
  std::size_t limit = ~std::size_t{0};
  if (it.limit) {
    ANIMA_ASSIGN(const std::int64_t count, context.binder.count(*it.limit, "LIMIT", 1));
    limit = static_cast<std::size_t>(count);
  }
  Reply reply;
  std::vector<EntityId> entities;
  for (const std::uint32_t code : answer.table.columns[0]) {
    if (!Term{code}.is_entity() || code <= after) continue;
    if (entities.size() == limit) {
      reply.next_cursor =
          encode_cursor(kFingerprint, {Json(static_cast<std::int64_t>(code_of(entities.back())))});
      break;
    }
    entities.push_back(EntityId{code});
  }
  const auto count = static_cast<std::int64_t>(entities.size());
  Exporter exporter(context.snapshot, std::move(entities), context.meter.get());
  std::string text = exporter.text();
  if (context.meter != nullptr && !context.meter->look())
    return fail(Fault(*context.meter->error()));
  reply.result = Json::object({{"exported", count},
                               {"links", static_cast<std::int64_t>(exporter.links())},
                               {"capsule", std::move(text)}});
  return reply;
}

}  // namespace anima::kip::detail
