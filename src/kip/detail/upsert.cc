// UPSERT: items in the order of the text, all or nothing.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "kip/detail/context.h"
#include "kip/detail/look_alike.h"
#include "kip/detail/pattern.h"
#include "kip/detail/write.h"

namespace anima::kip::detail {

namespace {

Json empty_object() { return Json(JsonObject{}); }

// Members of `stronger` win.
Json merged(const Json& weaker, const Json& stronger) {
  Json result = weaker;
  for (const JsonMember& member : stronger.as_object()) result.set(member.first, member.second);
  return result;
}

// A SET PROPOSITIONS entry with its placeholders replaced.
struct BoundEntry {
  std::string_view predicate;
  const PropositionEntry* source = nullptr;
  Json metadata;
};

struct BoundItem {
  const UpsertItem* source = nullptr;
  Json attributes, own_metadata;
  bool has_own_metadata = false;
  std::optional<std::int64_t> expected_version;
  std::vector<BoundEntry> entries;
};

// Looks up the names of a group of items before the items are run, in the order in which running
// them asks. What is found stays found, because nothing is taken away by an UPSERT; what is not may
// be made by an item before, and is looked up again in its turn.
class NamesAhead {
 public:
  void look(std::span<const BoundItem> items, const Binder& binder, Writing& writing) {
    names_.clear();
    starts_.clear();
    for (const BoundItem& item : items) {
      starts_.push_back(names_.size());
      collect(item, binder, writing);
    }
    found_.resize(names_.size());
    writing.view().find_concepts(names_, found_);
    prefetch_links(items, writing);
  }
  // The names of item i of the group are asked for next.
  void start(std::size_t i) { at_ = starts_[i]; }
  EntityId next() { return found_[at_++]; }

 private:
  void collect(const BoundItem& item, const Binder& binder, Writing& writing) {
    if (item.source->is_proposition) {
      collect(item.source->link, binder, writing);
    } else {
      collect(item.source->concept_match, binder, writing);
    }
    for (const BoundEntry& entry : item.entries) collect(entry.source->target, binder, writing);
  }
  void collect(const LinkMatch& link, const Binder& binder, Writing& writing) {
    if (link.id) return;
    collect(link.subject, binder, writing);
    collect(link.object, binder, writing);
  }
  void collect(const Target& target, const Binder& binder, Writing& writing) {
    if (target.kind == Endpoint::Kind::kConcept) collect(target.concept_match, binder, writing);
    if (target.kind == Endpoint::Kind::kLink) collect(target.link.front(), binder, writing);
  }
  void collect(const ConceptMatch& match, const Binder& binder, Writing& writing) {
    if (match.id || !match.type || !match.name) return;
    store::ConceptName name;
    const auto type = binder.text(*match.type, "a type");
    const auto text = binder.text(*match.name, "a name");
    if (type && text) name = {writing.known_type(*type), *text};
    names_.push_back(name);
  }

  // Links between what is there already: their places in the indexes.
  void prefetch_links(std::span<const BoundItem> items, Writing& writing) const {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const LinkMatch& link = items[i].source->link;
      const std::size_t end = i + 1 < items.size() ? starts_[i + 1] : found_.size();
      if (!items[i].source->is_proposition || end - starts_[i] != 2 ||
          link.predicate.names.empty() || link.predicate.names[0].placeholder)
        continue;
      const EntityId subject = found_[starts_[i]], object = found_[starts_[i] + 1];
      const EntityId predicate = writing.known_predicate(link.predicate.names[0].text);
      if (subject == EntityId::kNone || object == EntityId::kNone || predicate == EntityId::kNone)
        continue;
      writing.view().prefetch_link(
          {subject, store::Predicate::link(predicate), Term::entity(object)});
    }
  }

  std::vector<store::ConceptName> names_;
  std::vector<EntityId> found_;
  std::vector<std::size_t> starts_;  // of each item's names
  std::size_t at_ = 0;
};

class UpsertRunner {
 public:
  UpsertRunner(const Upsert& upsert, Context& context)
      : upsert_(upsert), context_(context), writing_(context) {}

  Outcome<Reply> run() {
    for (const UpsertBlock& block : upsert_.blocks) ANIMA_TRY(run_block(block));
    Reply reply;
    reply.result = Json::object({{"blocks", static_cast<std::int64_t>(upsert_.blocks.size())},
                                 {"upsert_concept_nodes", ids(concepts_)},
                                 {"upsert_proposition_links", ids(links_)}});
    if (!writing_.defined().empty()) reply.extra.emplace_back("defined", Json(writing_.defined()));
    if (!writing_.outranked().empty())
      reply.extra.emplace_back("outranked", Json(writing_.outranked()));
    if (!warnings_.empty()) reply.extra.emplace_back("warnings", Json(std::move(warnings_)));
    return reply;
  }

 private:
  Json ids(const std::vector<EntityId>& entities) {
    JsonArray array;
    for (const EntityId entity : entities) array.emplace_back(id_text(writing_.view(), entity));
    return Json(std::move(array));
  }

  // --- binding

  Outcome<Json> bind_object(const std::optional<Value>& value) const {
    if (!value) return empty_object();
    return context_.binder.value(*value);
  }

  Outcome<BoundItem> bind(const UpsertItem& item) const {
    BoundItem bound;
    bound.source = &item;
    ANIMA_ASSIGN(bound.attributes, bind_object(item.attributes));
    ANIMA_ASSIGN(bound.own_metadata, bind_object(item.metadata));
    bound.has_own_metadata = item.metadata.has_value();
    ANIMA_TRY(refuse_reserved(bound.own_metadata, item.place));
    if (item.expected_version) {
      ANIMA_ASSIGN(bound.expected_version,
                   context_.binder.count(*item.expected_version, "EXPECT VERSION", 0));
    }
    for (const PropositionEntry& entry : item.propositions) {
      BoundEntry made;
      made.source = &entry;
      ANIMA_ASSIGN(made.predicate, context_.binder.text(entry.predicate, "a predicate"));
      ANIMA_ASSIGN(made.metadata, bind_object(entry.metadata));
      ANIMA_TRY(refuse_reserved(made.metadata, entry.place));
      bound.entries.push_back(std::move(made));
    }
    return bound;
  }

  Check run_block(const UpsertBlock& block) {
    ANIMA_ASSIGN(block_metadata_, bind_object(block.metadata));
    ANIMA_TRY(refuse_reserved(block_metadata_, block.items.front().place));
    block_members_.reset();
    std::vector<BoundItem> items;
    items.reserve(block.items.size());
    for (const UpsertItem& item : block.items) {
      ANIMA_ASSIGN(BoundItem bound, bind(item));
      items.push_back(std::move(bound));
    }
    if (!block.where) return run_items(items, {});
    return run_solutions(*block.where, items);
  }

  using Names = std::unordered_set<std::string>;
  using Handles = std::unordered_map<std::string, EntityId>;

  // Once for each solution of WHERE; its variables serve as handles.
  Check run_solutions(const std::vector<Clause>& where, const std::vector<BoundItem>& items) {
    const Snapshot snapshot = context_.transaction->view();
    PatternPlanner planner(snapshot, context_.binder, {context_.strict, false});
    ANIMA_ASSIGN(query::NodePtr node, planner.where(where));
    std::vector<query::Slot> slots;
    std::vector<std::string> names;
    for (const auto& [name, variable] : planner.visible()) {
      slots.push_back(variable.slot);
      names.push_back(name);
    }
    ANIMA_TRY(check_handles(items, names));
    node = query::distinct(std::move(node), slots);
    const query::Plan plan = planner.finish(std::move(node), slots);
    ANIMA_ASSIGN(const query::Answer answer, query::run(plan, context_.run));
    for (std::size_t row = 0; row < answer.table.rows; ++row) {
      Handles handles;
      for (std::size_t k = 0; k < names.size(); ++k) {
        const Term term{answer.table.columns[k][row]};
        if (term.is_entity()) handles.emplace(names[k], term.as_entity());
      }
      ANIMA_TRY(run_items(items, std::move(handles)));
    }
    return {};
  }

  // Without a single solution, a handle that is bound nowhere must still be told.
  Check check_handles(const std::vector<BoundItem>& items,
                      const std::vector<std::string>& names) const {
    Names known(names.begin(), names.end());
    for (const BoundItem& item : items) {
      const auto check = [&](const Target& target) { return check_target(target, known); };
      if (item.source->is_proposition && !item.source->link.id) {
        ANIMA_TRY(check(item.source->link.subject));
        ANIMA_TRY(check(item.source->link.object));
      }
      for (const BoundEntry& entry : item.entries) ANIMA_TRY(check(entry.source->target));
      if (!item.source->handle.empty()) known.insert(item.source->handle);
    }
    return {};
  }

  static Check check_target(const Target& target, const Names& known) {
    if (target.kind != Endpoint::Kind::kVariable || known.contains(target.variable)) return {};
    return unbound(target);
  }

  static Unexpected<Fault> unbound(const Target& target) {
    return refuse(Code::kUnboundReference,
                  "the handle ?" + target.variable + " is not defined before it is used",
                  "define it earlier in the same UPSERT, or bind it in its WHERE: ?" +
                      target.variable + " {type: \"..\", name: \"..\"}",
                  target.place.offset);
  }

  // --- items

  Check run_items(const std::vector<BoundItem>& items, Handles handles) {
    constexpr std::size_t kGroup = 32;
    for (std::size_t at = 0; at < items.size(); at += kGroup) {
      const std::size_t count = std::min(kGroup, items.size() - at);
      const std::span<const BoundItem> group(items.data() + at, count);
      ahead_.look(group, context_.binder, writing_);
      for (std::size_t i = 0; i < count; ++i) {
        ahead_.start(i);
        const BoundItem& item = group[i];
        if (item.source->is_proposition) {
          ANIMA_TRY(run_proposition(item, &handles));
        } else {
          ANIMA_TRY(run_concept(item, &handles));
        }
      }
    }
    return {};
  }

  static void define(const BoundItem& item, EntityId entity, Handles* handles) {
    if (!item.source->handle.empty()) (*handles)[item.source->handle] = entity;
  }

  void warn_of_name(EntityId made) {
    constexpr std::size_t kMostWarnings = 20;
    if (warnings_.size() >= kMostWarnings) return;
    if (auto warning = look_alike_warning(writing_.view(), made))
      warnings_.emplace_back(std::move(*warning));
  }

  static void note(std::vector<EntityId>* list, EntityId entity) { list->push_back(entity); }

  Check expect_version(const BoundItem& item, EntityId entity) const {
    if (!item.expected_version) return {};
    const bool was_there =
        entity != EntityId::kNone && context_.snapshot.kind(entity) != store::EntityKind::kNone;
    const std::int64_t version = was_there ? version_of(context_.snapshot, entity) : 0;
    if (version == *item.expected_version) return {};
    return refuse(Code::kVersionConflict,
                  "expected version " + std::to_string(*item.expected_version) + ", found " +
                      std::to_string(version),
                  "read it again (metadata._version) and decide anew", item.source->place.offset);
  }

  Outcome<Made> identify(const BoundItem& item) {
    const ConceptMatch& match = item.source->concept_match;
    if (match.id) {
      ANIMA_ASSIGN(const std::string_view id, context_.binder.text(*match.id, "an id"));
      ANIMA_ASSIGN(const EntityId entity, require_id(writing_.view(), id, match.id->place));
      if (writing_.view().kind(entity) != store::EntityKind::kConcept) {
        return refuse(Code::kNotFound, quote_json(id) + " is a link, no concept", {},
                      match.id->place.offset);
      }
      ANIMA_TRY(expect_version(item, entity));
      ANIMA_TRY(writing_.may_write(entity, match.id->place));
      return Made{entity, false};
    }
    ANIMA_ASSIGN(const std::string_view type_name, context_.binder.text(*match.type, "a type"));
    ANIMA_ASSIGN(const std::string_view name, context_.binder.text(*match.name, "a name"));
    ANIMA_ASSIGN(const EntityId type, writing_.type(type_name, match.type->place));
    if (item.expected_version) {
      const auto known = writing_.view().find_concept(type, name);
      ANIMA_TRY(expect_version(item, known ? *known : EntityId::kNone));
    }
    return writing_.create_concept(type, name, match.name->place, ahead_.next());
  }

  Check run_concept(const BoundItem& item, Handles* handles) {
    ANIMA_ASSIGN(const Made made, identify(item));
    if (made.created) warn_of_name(made.entity);
    ANIMA_TRY(writing_.set_attributes(made, item.attributes, item.source->place));
    ANIMA_TRY(concept_metadata(item, made));
    define(item, made.entity, handles);
    note(&concepts_, made.entity);
    for (const BoundEntry& entry : item.entries)
      ANIMA_TRY(run_entry(item, entry, made.entity, *handles));
    return {};
  }

  // A default for the whole block does not touch what is protected; metadata of its own does, and
  // is refused.
  Check concept_metadata(const BoundItem& item, const Made& made) {
    const bool fixed =
        !made.created && !context_.privileged && is_schema_node(writing_.view(), made.entity);
    if (fixed && item.has_own_metadata && !item.own_metadata.as_object().empty()) {
      return refuse(
          Code::kImmutableTarget,
          "the metadata of " + quote_json(writing_.view().name(made.entity)) + " cannot be changed",
          {}, item.source->place.offset);
    }
    if (fixed) return {};
    Mixture mixture;
    ANIMA_ASSIGN(const Members* const members, metadata_of(item, &mixture));
    ANIMA_TRY(writing_.set_metadata(made, *members));
    return {};
  }

  // What holds for one item: the block's metadata, or a mixture where it has some of its own.
  struct Mixture {
    Json object;
    Members members;
  };
  Outcome<const Members*> metadata_of(const BoundItem& item, Mixture* room) {
    if (item.own_metadata.as_object().empty()) {
      if (!block_members_) {
        ANIMA_ASSIGN(block_members_, writing_.prepare_metadata(block_metadata_));
      }
      return &*block_members_;
    }
    room->object = merged(block_metadata_, item.own_metadata);
    ANIMA_ASSIGN(room->members, writing_.prepare_metadata(room->object));
    return &room->members;
  }

  Check run_entry(const BoundItem& item, const BoundEntry& entry, EntityId subject,
                  const Handles& handles) {
    ANIMA_ASSIGN(const EntityId predicate,
                 writing_.predicate(entry.predicate, entry.source->predicate.place));
    ANIMA_ASSIGN(const EntityId object, resolve(entry.source->target, handles));
    Mixture mixture;
    ANIMA_ASSIGN(const Members* members, metadata_of(item, &mixture));
    if (!entry.metadata.as_object().empty()) {
      mixture.object = merged(*members->object, entry.metadata);
      ANIMA_ASSIGN(mixture.members, writing_.prepare_metadata(mixture.object));
      members = &mixture.members;
    }
    ANIMA_ASSIGN(const Made made, writing_.assert_link(subject, predicate, Term::entity(object),
                                                       members->confidence));
    ANIMA_TRY(writing_.set_metadata(made, *members));
    return {};
  }

  Check run_proposition(const BoundItem& item, Handles* handles) {
    const LinkMatch& link = item.source->link;
    Mixture mixture;
    ANIMA_ASSIGN(const Members* const members, metadata_of(item, &mixture));
    Made made;
    if (link.id) {
      ANIMA_ASSIGN(made.entity, link_by_id(*link.id));
      ANIMA_TRY(expect_version(item, made.entity));
    } else {
      ANIMA_ASSIGN(const EntityId subject, resolve(link.subject, *handles));
      ANIMA_ASSIGN(const EntityId predicate, link_predicate(link));
      ANIMA_ASSIGN(const EntityId object, resolve(link.object, *handles));
      if (item.expected_version) {
        const auto known = writing_.view().find_proposition(
            {subject, store::Predicate::link(predicate), Term::entity(object)});
        ANIMA_TRY(expect_version(item, known ? *known : EntityId::kNone));
      }
      ANIMA_ASSIGN(made, writing_.assert_link(subject, predicate, Term::entity(object),
                                              members->confidence));
    }
    ANIMA_TRY(writing_.set_attributes(made, item.attributes, item.source->place));
    ANIMA_TRY(writing_.set_metadata(made, *members));
    define(item, made.entity, handles);
    note(&links_, made.entity);
    return {};
  }

  Outcome<EntityId> link_predicate(const LinkMatch& link) {
    if (link.predicate.names.empty()) {
      return refuse(Code::kInvalidSyntax,
                    "a proposition that is written needs its predicate by name", {},
                    link.predicate.place.offset);
    }
    ANIMA_ASSIGN(const std::string_view name,
                 context_.binder.text(link.predicate.names[0], "a predicate"));
    return writing_.predicate(name, link.predicate.place);
  }

  Outcome<EntityId> link_by_id(const Atom& atom) {
    ANIMA_ASSIGN(const std::string_view id, context_.binder.text(atom, "an id"));
    ANIMA_ASSIGN(const EntityId entity, require_id(writing_.view(), id, atom.place));
    if (writing_.view().kind(entity) == store::EntityKind::kProposition) return entity;
    return refuse(Code::kNotFound, quote_json(id) + " is a concept, no link", {},
                  atom.place.offset);
  }

  // Something that must exist: a handle, a concept by type and name or id, a link.
  Outcome<EntityId> resolve(const Target& target, const Handles& handles) {
    if (target.kind == Endpoint::Kind::kVariable) {
      const auto found = handles.find(target.variable);
      if (found != handles.end()) return found->second;
      return unbound(target);
    }
    if (target.kind == Endpoint::Kind::kConcept) return resolve_concept(target.concept_match);
    const LinkMatch& link = target.link.front();
    if (link.id) return link_by_id(*link.id);
    ANIMA_ASSIGN(const EntityId subject, resolve(link.subject, handles));
    ANIMA_ASSIGN(const EntityId predicate, link_predicate(link));
    ANIMA_ASSIGN(const EntityId object, resolve(link.object, handles));
    const auto found = writing_.view().find_proposition(
        {subject, store::Predicate::link(predicate), Term::entity(object)});
    if (found) return *found;
    return refuse(Code::kNotFound, "the link that is pointed at does not exist",
                  "write it first as a PROPOSITION with a handle, in the same UPSERT",
                  link.place.offset);
  }

  Outcome<EntityId> resolve_concept(const ConceptMatch& match) {
    if (match.id) {
      ANIMA_ASSIGN(const std::string_view id, context_.binder.text(*match.id, "an id"));
      return require_id(writing_.view(), id, match.id->place);
    }
    if (!match.type || !match.name) {
      return refuse(Code::kInvalidSyntax,
                    "a concept that is pointed at is named by type and name, or by id", {},
                    match.place.offset);
    }
    ANIMA_ASSIGN(const std::string_view type_name, context_.binder.text(*match.type, "a type"));
    ANIMA_ASSIGN(const std::string_view name, context_.binder.text(*match.name, "a name"));
    ANIMA_ASSIGN(const EntityId type, writing_.type(type_name, match.type->place));
    if (const EntityId known = ahead_.next(); known != EntityId::kNone) return known;
    if (const auto found = writing_.view().find_concept(type, name)) return *found;
    return no_such_concept(writing_.view(), type, type_name, name, match.name->place);
  }

  const Upsert& upsert_;
  Context& context_;
  Writing writing_;
  NamesAhead ahead_;
  Json block_metadata_;
  std::optional<Members> block_members_;  // of block_metadata_, once somebody is given them
  std::vector<EntityId> concepts_, links_;
  JsonArray warnings_;
};

}  // namespace

Outcome<Reply> run_upsert(const Upsert& upsert, Context& context) {
  return UpsertRunner(upsert, context).run();
}

}  // namespace anima::kip::detail
