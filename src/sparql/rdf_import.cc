#include "sparql/rdf_import.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text/text_table.h"
#include "sparql/detail/language_tag.h"
#include "sparql/plan/dataset.h"
#include "sparql/proposition_names.h"
#include "sparql/rdf_mapping.h"
#include "store/bulk.h"
#include "store/holds.h"
#include "store/own_graphs.h"
#include "store/restate.h"

namespace anima::sparql {
namespace {

using store::EntityId;
using store::Predicate;
using store::Term;

// The number that is kept for a name, 0 for a new one.
using NameTable = TextTable<std::uint32_t>;

bool is_proposition(const RdfTerm& term) {
  return term.kind == RdfKind::kIri && term.text.starts_with(kPropositionPrefix);
}

// A term that outlives the reader's batch.
struct OwnTerm {
  RdfKind kind = RdfKind::kIri;
  std::string text;
  std::string extra;

  OwnTerm() = default;
  explicit OwnTerm(const RdfTerm& term) : kind(term.kind), text(term.text), extra(term.extra) {}
  RdfTerm view() const { return {kind, text, extra}; }
};

// A triple about a proposition, or whose object is one.
struct Waiting {
  std::size_t graph = 0;
  OwnTerm subject;
  std::string predicate;
  OwnTerm object;
};

struct Reified {
  OwnTerm subject, predicate, object;  // empty text: not said
  EntityId link = EntityId::kNone;
  bool open = false;  // its ends are being resolved: met again below them means a circle
};

struct Mention {
  std::size_t graph = 0;  // its place among those that are written
  EntityId entity = EntityId::kNone;
};

// What is found or made once an import, and in which graph it was asserted first.
struct KnownThing {
  std::uint32_t id = 0;
  std::size_t graph = 0;
};

store::AssertOptions assert_in(store::GraphId graph) {
  store::AssertOptions options;
  options.graph = graph;
  return options;
}

}  // namespace

struct RdfImporter::State {
  // A graph that is written.
  struct Graph {
    Graph(store::Transaction& to, store::GraphId id)
        : assertion(assert_in(id)), bulk(to, assertion) {}
    store::AssertOptions assertion;
    store::BulkWriter bulk;
  };

  State(store::Transaction& to, RdfImportOptions given)
      : transaction(to), options(std::move(given)) {
    graphs.push_back(std::make_unique<Graph>(transaction, options.graph));
    graph = graphs[0].get();
    graph_places[options.graph] = 0;
  }

  Status enter(const RdfTerm* name);
  Status enter_named(const RdfTerm& name);
  void enter_place(std::size_t place);
  Status add(const RdfTriple& triple);
  Status finish();

  Result<EntityId> entity(const RdfTerm& term);
  Result<EntityId> make_entity(const RdfTerm& term);
  Result<EntityId> assert_entity(std::string_view name);
  Result<Predicate> link_predicate(std::string_view iri);
  Result<Predicate> attribute_key(std::string_view key);
  Result<Term> value(const RdfTerm& term);
  Result<EntityId> proposition(const std::string& name);
  Result<Reified*> described(const std::string& name);
  Result<bool> wait_for_ends(Reified& said, const std::string& name,
                             std::vector<std::string>* open);
  Result<EntityId> quote(const Reified& said, const std::string& name);
  Result<EntityId> reified_end(const OwnTerm& term, std::string_view which);
  Status say(EntityId subject, std::string_view predicate, const RdfTerm& object);
  Status say_special(EntityId subject, std::string_view predicate, const RdfTerm& object);
  Status add_value(EntityId subject, std::string_view key, const RdfTerm& object);
  Status add_link(EntityId subject, std::string_view predicate, EntityId object);
  bool has_room_for_one(Predicate link);
  bool says_more_of(const store::Triple& link) const;
  Status state_again();
  Status say_waiting(const Waiting& waiting);
  bool is_existence(const RdfTriple& triple) const;
  void say_existence(EntityId entity);
  void assert_mentions();
  std::string_view own_label(std::string_view label);
  bool is_label_taken(const std::string& label) const;
  // Finds the thing of this name, or makes it, and asserts it in the graph that is written.
  template <typename Make>
  Result<EntityId> known_thing(std::uint32_t& number, const Make& make);

  store::Transaction& transaction;
  RdfImportOptions options;
  std::vector<std::unique_ptr<Graph>> graphs;  // that of the options first
  std::unordered_map<store::GraphId, std::size_t> graph_places;
  std::unordered_map<std::string, std::size_t> named_graphs;  // by the term as written
  std::string graph_name_now;                                 // of the triple before; empty: none
  Graph* graph = nullptr;                                     // that is written
  std::size_t place = 0;                                      // its place in graphs
  std::unordered_map<std::uint32_t, bool> functional;         // by predicate
  std::vector<std::pair<std::size_t, store::Triple>> stated_again;  // by place; functional ones
  RdfImportCounts counts;
  NameTable iris, blanks, predicates, keys;
  NameTable labels;  // of the file's blank nodes: 1 = kept, else its place in relabelled + 2
  std::vector<std::string> relabelled;
  std::vector<KnownThing> known{1};  // numbers of the tables iris, blanks, predicates
  std::unordered_set<std::uint64_t> asserted_elsewhere;  // (thing, graph) beyond the first graph
  std::string last_subject;  // files say everything about one thing in a row
  EntityId last_entity = EntityId::kNone;
  // Of concepts that have a type: where they are mentioned, and which of them are said to exist.
  std::vector<Mention> mentions;
  std::unordered_map<EntityId, EntityId> types;
  std::unordered_set<EntityId> said_to_exist;
  std::map<std::tuple<std::size_t, EntityId, std::string>, std::vector<Term>> metadata;
  std::map<std::string, Reified> reified;
  std::vector<Waiting> waiting;
};

RdfImporter::RdfImporter(store::Transaction& transaction, RdfImportOptions options)
    : state_(std::make_unique<State>(transaction, std::move(options))) {}
RdfImporter::~RdfImporter() = default;

Status RdfImporter::add(const RdfTriple& triple) { return add(triple, nullptr); }
Status RdfImporter::add(const RdfTriple& triple, const RdfTerm* graph) {
  ANIMA_TRY(state_->enter(graph));
  return state_->add(triple);
}
Status RdfImporter::finish() { return state_->finish(); }
const RdfImportCounts& RdfImporter::counts() const { return state_->counts; }
void RdfImporter::next_file(std::string blank_scope) {
  state_->options.blank_scope = std::move(blank_scope);
  state_->blanks = {};
  state_->labels = {};
  state_->relabelled.clear();
  state_->named_graphs.clear();
  state_->graph_name_now.clear();
  state_->enter_place(0);
}

Status RdfImporter::State::enter(const RdfTerm* name) {
  if (name == nullptr) {
    if (place != 0) enter_place(0);
    graph_name_now.clear();
    return {};
  }
  // Files say what stands in one graph in a row.
  const bool blank = name->kind == RdfKind::kBlank;
  const std::string_view before = graph_name_now;
  if (!before.empty() && before.front() == (blank ? '_' : '<') && before.substr(1) == name->text) {
    return {};
  }
  ANIMA_TRY(enter_named(*name));
  graph_name_now = blank ? "_" : "<";
  graph_name_now += name->text;
  return {};
}

Status RdfImporter::State::enter_named(const RdfTerm& term) {
  const bool blank = term.kind == RdfKind::kBlank;
  const auto [found, made] =
      named_graphs.try_emplace((blank ? "_" : "<") + std::string(term.text), 0);
  if (made) {
    const std::string name =
        blank ? "_:" + std::string(own_label(term.text)) : plan::stored_graph_name(term.text);
    if (store::is_own_graph(name)) {
      return fail(ErrorCode::kDenied, "the graph is one of Anima's own books", name,
                  "name the graph otherwise");
    }
    const store::GraphId id = name.empty() ? options.graph : transaction.graph(name);
    const auto [known_place, fresh] = graph_places.try_emplace(id, graphs.size());
    if (fresh) graphs.push_back(std::make_unique<Graph>(transaction, id));
    found->second = known_place->second;
  }
  enter_place(found->second);
  return {};
}

void RdfImporter::State::enter_place(std::size_t to) {
  place = to;
  graph = graphs[to].get();
  last_subject.clear();
  last_entity = EntityId::kNone;
}

bool RdfImporter::State::is_label_taken(const std::string& label) const {
  const store::Snapshot& live = transaction.live();
  return live.find_string("_:" + label) || live.find(literal_value({RdfKind::kBlank, label, {}}));
}

// What stands in the space for a label of the file.
std::string_view RdfImporter::State::own_label(std::string_view label) {
  if (options.blank_scope.empty()) return label;
  std::uint32_t& number = labels[label];
  if (number == 1) return label;
  if (number > 1) return relabelled[number - 2];
  std::string name(label);
  if (!is_label_taken(name)) {
    number = 1;
    return label;
  }
  while (is_label_taken(name)) name = options.blank_scope + "." + name;
  relabelled.push_back(std::move(name));
  number = static_cast<std::uint32_t>(relabelled.size() + 1);
  return relabelled.back();
}

Status RdfImporter::State::add(const RdfTriple& triple) {
  ++counts.triples;
  if (is_proposition(triple.subject) || is_proposition(triple.object)) {
    waiting.push_back({place, OwnTerm(triple.subject), std::string(triple.predicate.text),
                       OwnTerm(triple.object)});
    // Blank nodes belong to the file that they stand in.
    for (OwnTerm* term : {&waiting.back().subject, &waiting.back().object}) {
      if (term->kind == RdfKind::kBlank) term->text = std::string(own_label(term->text));
    }
    return {};
  }
  EntityId subject = last_entity;
  if (triple.subject.kind != RdfKind::kIri || triple.subject.text != last_subject) {
    ANIMA_ASSIGN(subject, entity(triple.subject));
    if (triple.subject.kind == RdfKind::kIri) {
      last_subject.assign(triple.subject.text);
      last_entity = subject;
    }
  }
  if (is_existence(triple)) {
    say_existence(subject);
    return {};
  }
  return say(subject, triple.predicate.text, triple.object);
}

// Things without a type of their own exist where they are mentioned, so there is nothing to say.
void RdfImporter::State::say_existence(EntityId entity) {
  const auto type = types.find(entity);
  if (type == types.end()) return;
  said_to_exist.insert(entity);
  graph->bulk.add({entity, store::kTypePredicate, Term::entity(type->second)});
}

// What is mentioned exists in the graph that mentions it, unless the import says where it does.
void RdfImporter::State::assert_mentions() {
  for (const Mention& mention : mentions) {
    if (said_to_exist.contains(mention.entity)) continue;
    graphs[mention.graph]->bulk.add(
        {mention.entity, store::kTypePredicate, Term::entity(types.at(mention.entity))});
  }
}

// CONCEPT rdf:type urn:anima:concept:%24ConceptType:TYPE, where TYPE is the concept's own.
bool RdfImporter::State::is_existence(const RdfTriple& triple) const {
  if (triple.object.kind != RdfKind::kIri ||
      !triple.object.text.starts_with("urn:anima:concept:%24ConceptType:") ||
      triple.predicate.text != kRdfType) {
    return false;
  }
  const Named object = read_iri(triple.object.text);
  if (object.kind != Named::Kind::kConcept) return false;
  if (triple.subject.kind == RdfKind::kBlank) return object.name == "Entity";
  const Named subject = read_iri(triple.subject.text);
  return object.name == (subject.kind == Named::Kind::kConcept ? subject.type : "Entity");
}

Status RdfImporter::State::say(EntityId subject, std::string_view predicate,
                               const RdfTerm& object) {
  if (predicate.starts_with(kAnima)) return say_special(subject, predicate, object);
  if (object.kind != RdfKind::kIri && object.kind != RdfKind::kBlank) {
    return add_value(subject, predicate, object);
  }
  ANIMA_ASSIGN(const EntityId target, entity(object));
  return add_link(subject, predicate, target);
}

Status RdfImporter::State::say_special(EntityId subject, std::string_view predicate,
                                       const RdfTerm& object) {
  const Named named = read_iri(predicate);
  if (named.kind == Named::Kind::kAttribute) return add_value(subject, named.name, object);
  if (named.kind == Named::Kind::kMetadata) {
    ANIMA_ASSIGN(const Term term, value(object));
    metadata[{place, subject, named.name}].push_back(term);
    ++counts.attributes;
    return {};
  }
  if (object.kind != RdfKind::kIri && object.kind != RdfKind::kBlank) {
    return add_value(subject, predicate, object);
  }
  ANIMA_ASSIGN(const EntityId target, entity(object));
  return add_link(subject, predicate, target);
}

Status RdfImporter::State::add_link(EntityId subject, std::string_view predicate, EntityId object) {
  ANIMA_ASSIGN(const Predicate link, link_predicate(predicate));
  const store::Triple triple{subject, link, Term::entity(object)};
  ++counts.links;
  const store::Snapshot& now = transaction.live();
  if (has_room_for_one(link) && now.contains(triple)) {
    stated_again.emplace_back(place, triple);
  } else {
    graph->bulk.add(triple);
  }
  return {};
}

bool RdfImporter::State::has_room_for_one(Predicate link) {
  const auto [known, fresh] = functional.try_emplace(link.code, false);
  if (fresh) known->second = store::is_functional(transaction.live(), link);
  return known->second;
}

// Such as when it holds.
bool RdfImporter::State::says_more_of(const store::Triple& link) const {
  const auto proposition = transaction.live().find_proposition(link);
  return std::ranges::any_of(
      metadata, [&](const auto& said) { return std::get<1>(said.first) == proposition; });
}

// What a file says again of a subject with room for one object is said anew, as by any other door;
// but not where the file itself names several: then it does not tell which.
Status RdfImporter::State::state_again() {
  std::map<std::tuple<std::size_t, EntityId, std::uint32_t>, std::size_t> objects;
  std::sort(stated_again.begin(), stated_again.end());
  stated_again.erase(std::unique(stated_again.begin(), stated_again.end()), stated_again.end());
  for (const auto& [in, link] : stated_again) ++objects[{in, link.subject, link.predicate.code}];
  const store::Sequence entry = transaction.live().sequence();
  store::Scratch scratch;
  for (const auto& [in, link] : stated_again) {
    const store::AssertOptions& how = graphs[in]->assertion;
    bool alone = objects[{in, link.subject, link.predicate.code}] == 1;
    const auto codes = transaction.live().objects(link.subject, link.predicate, scratch);
    for (const std::uint32_t code : std::vector<std::uint32_t>(codes.begin(), codes.end())) {
      for (const auto& one :
           transaction.live().assertions({link.subject, link.predicate, Term{code}}))
        alone = alone && (one.born != entry || one.graph != how.graph);
    }
    Result<EntityId> stated = !alone ? transaction.assert_link(link, how)
                              : says_more_of(link)
                                  ? store::state_untimed_link(transaction, link, how)
                                  : store::state_link(transaction, link, how);
    if (!stated) return fail(std::move(stated).error());
  }
  return {};
}

Status RdfImporter::State::add_value(EntityId subject, std::string_view key,
                                     const RdfTerm& object) {
  ANIMA_ASSIGN(const Term term, value(object));
  ANIMA_ASSIGN(const Predicate attribute, attribute_key(key));
  graph->bulk.add({subject, attribute, term});
  ++counts.attributes;
  return {};
}

Result<Term> RdfImporter::State::value(const RdfTerm& term) {
  if (term.kind == RdfKind::kLanguageString) {
    std::string scratch;
    const std::string_view tag = usual_language_tag(term.extra, scratch);
    return graph->bulk.term(literal_value({RdfKind::kLanguageString, term.text, tag}));
  }
  if (term.kind != RdfKind::kBlank) return graph->bulk.term(literal_value(term));
  return graph->bulk.term(literal_value({RdfKind::kBlank, own_label(term.text), {}}));
}

template <typename Make>
Result<EntityId> RdfImporter::State::known_thing(std::uint32_t& number, const Make& make) {
  if (number != 0) {
    const KnownThing thing = known[number];
    if (thing.graph == place) return static_cast<EntityId>(thing.id);
    const std::uint64_t pair = std::uint64_t{thing.id} << 32 | place;
    if (!asserted_elsewhere.insert(pair).second) return static_cast<EntityId>(thing.id);
    return make();
  }
  ANIMA_ASSIGN(const EntityId id, make());
  number = static_cast<std::uint32_t>(known.size());
  known.push_back({static_cast<std::uint32_t>(id), place});
  return id;
}

Result<EntityId> RdfImporter::State::entity(const RdfTerm& term) {
  NameTable& table = term.kind == RdfKind::kBlank ? blanks : iris;
  return known_thing(table[term.text], [&] { return make_entity(term); });
}

// A concept of type Entity.
Result<EntityId> RdfImporter::State::assert_entity(std::string_view name) {
  ANIMA_ASSIGN(const EntityId id, graph->bulk.concept_id(store::kEntityType, name));
  graph->bulk.add({id, store::kTypePredicate, Term::entity(store::kEntityType)});
  return id;
}

Result<EntityId> RdfImporter::State::make_entity(const RdfTerm& term) {
  if (term.kind == RdfKind::kBlank) return assert_entity("_:" + std::string(own_label(term.text)));
  if (!term.text.starts_with(kAnima)) return assert_entity(term.text);
  const Named named = read_iri(term.text);
  if (named.kind != Named::Kind::kConcept) return assert_entity(term.text);
  if (named.type == "Entity") return assert_entity(named.name);
  const store::AssertOptions& in = graph->assertion;
  if (named.type == "$ConceptType") return transaction.upsert_type(named.name, in);
  if (named.type == "$PropositionType") return transaction.upsert_predicate(named.name, in);
  ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(named.type, in));
  ANIMA_ASSIGN(const EntityId id, graph->bulk.concept_id(type, named.name));
  mentions.push_back({place, id});
  types[id] = type;
  return id;
}

Result<Predicate> RdfImporter::State::link_predicate(std::string_view iri) {
  ANIMA_ASSIGN(const EntityId id, known_thing(predicates[iri], [&] {
                 const Named named = read_iri(iri);
                 return transaction.upsert_predicate(
                     named.kind == Named::Kind::kPredicate ? named.name : std::string(iri),
                     graph->assertion);
               }));
  return Predicate::link(id);
}

Result<Predicate> RdfImporter::State::attribute_key(std::string_view key) {
  std::uint32_t& known = keys[key];
  if (known == 0) {
    if (key.empty()) return fail(ErrorCode::kInvalidArgument, "an attribute needs a key");
    store::ValueView name;
    name.kind = store::ValueKind::kString;
    name.text = key;
    ANIMA_ASSIGN(const Term term, graph->bulk.term(name));
    known = Predicate::attribute(term).code;
  }
  return Predicate{known};
}

Result<EntityId> RdfImporter::State::reified_end(const OwnTerm& term, std::string_view which) {
  if (term.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a proposition has no rdf:" + std::string(which));
  }
  if (is_proposition(term.view())) return proposition(term.text);
  if (term.kind == RdfKind::kBlank) {
    return assert_entity("_:" + term.text);
  }
  if (term.kind != RdfKind::kIri) {
    return fail(ErrorCode::kInvalidArgument, "a proposition is about things, not literals");
  }
  return entity(term.view());
}

Result<Reified*> RdfImporter::State::described(const std::string& name) {
  const auto found = reified.find(name);
  if (found != reified.end()) return &found->second;
  return fail(ErrorCode::kInvalidArgument, "nothing says what the proposition is", name,
              "it needs rdf:subject, rdf:predicate and rdf:object");
}

// Puts the propositions that this one is about, and that have no link yet, on top of `open`; false
// when there are none.
Result<bool> RdfImporter::State::wait_for_ends(Reified& said, const std::string& name,
                                               std::vector<std::string>* open) {
  said.open = true;
  bool waits = false;
  for (const OwnTerm* end : {&said.object, &said.subject}) {
    if (!is_proposition(end->view())) continue;
    ANIMA_ASSIGN(const Reified* const about, described(end->text));
    if (about->link != EntityId::kNone) continue;
    if (about->open)
      return fail(ErrorCode::kInvalidArgument, "the proposition is about itself", name);
    open->push_back(end->text);
    waits = true;
  }
  return waits;
}

// Requires that the propositions it is about have their links.
Result<EntityId> RdfImporter::State::quote(const Reified& said, const std::string& name) {
  const auto end = [this](const OwnTerm& term, std::string_view which) -> Result<EntityId> {
    if (is_proposition(term.view())) return reified.find(term.text)->second.link;
    return reified_end(term, which);
  };
  store::Triple link;
  ANIMA_ASSIGN(link.subject, end(said.subject, "subject"));
  ANIMA_ASSIGN(const EntityId object, end(said.object, "object"));
  link.object = Term::entity(object);
  if (said.predicate.text.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the proposition has no rdf:predicate", name);
  }
  ANIMA_ASSIGN(link.predicate, link_predicate(said.predicate.text));
  return transaction.quote_link(link);
}

// With a stack of its own: a proposition about one about one may go on as long as a file does.
Result<EntityId> RdfImporter::State::proposition(const std::string& name) {
  ANIMA_ASSIGN(const Reified* const wanted, described(name));
  if (wanted->link != EntityId::kNone) return wanted->link;
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const std::string next = open.back();
    ANIMA_ASSIGN(Reified* const said, described(next));
    if (said->link == EntityId::kNone) {
      ANIMA_ASSIGN(const bool waits, wait_for_ends(*said, next, &open));
      if (waits) continue;
      ANIMA_ASSIGN(said->link, quote(*said, next));
    }
    open.pop_back();
  }
  return wanted->link;
}

Status RdfImporter::State::say_waiting(const Waiting& item) {
  enter_place(item.graph);
  ANIMA_ASSIGN(const EntityId subject, reified_end(item.subject, "subject"));
  const RdfTerm object = item.object.view();
  if (object.kind == RdfKind::kIri && !item.predicate.starts_with(kAnima)) {
    ANIMA_ASSIGN(const EntityId target, reified_end(item.object, "object"));
    return add_link(subject, item.predicate, target);
  }
  if (is_proposition(object)) {
    ANIMA_ASSIGN(const EntityId target, proposition(item.object.text));
    return add_link(subject, item.predicate, target);
  }
  // The label of a blank node is the space's already.
  const std::string scope = std::exchange(options.blank_scope, {});
  NameTable apart;
  std::swap(apart, blanks);
  const Status said = say(subject, item.predicate, object);
  std::swap(apart, blanks);
  options.blank_scope = scope;
  return said;
}

Status RdfImporter::State::finish() {
  std::vector<Waiting> said;
  for (Waiting& item : waiting) {
    Reified* about = is_proposition(item.subject.view()) ? &reified[item.subject.text] : nullptr;
    if (about != nullptr && item.predicate == kRdfSubject) {
      about->subject = std::move(item.object);
    } else if (about != nullptr && item.predicate == kRdfPredicate) {
      about->predicate = std::move(item.object);
    } else if (about != nullptr && item.predicate == kRdfObject) {
      about->object = std::move(item.object);
    } else {
      said.push_back(std::move(item));
    }
  }
  waiting.clear();
  enter_place(0);
  for (const auto& [name, about] : reified) ANIMA_TRY(proposition(name));
  for (const Waiting& item : said) ANIMA_TRY(say_waiting(item));
  for (const auto& [key, values] : metadata) {
    const auto& [in, subject, name] = key;
    ANIMA_TRY(transaction.set_metadata(subject, name, values, graphs[in]->assertion));
  }
  assert_mentions();
  for (const std::unique_ptr<Graph>& written : graphs) ANIMA_TRY(written->bulk.finish());
  return state_again();
}

}  // namespace anima::sparql
