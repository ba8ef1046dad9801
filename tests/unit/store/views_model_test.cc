// Random transactions against a naive model: a map from (graph, subject, predicate, object) to what
// the graph says. Every snapshot ever published is kept and compared again at the end; every
// sequence is read back with as_of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/files/file.h"
#include "base/random.h"
#include "store/bulk.h"
#include "store/space/views.h"

namespace anima::store::views_model_test {
namespace {

using detail::Finished;
using detail::Views;
using detail::ViewsOptions;

struct Key {
  std::uint32_t graph;
  Triple triple;
  auto operator<=>(const Key&) const = default;
};
struct Word {
  double confidence;
  std::uint64_t provenance;
  std::uint64_t born;
  auto operator<=>(const Word&) const = default;
};
using Model = std::map<Key, Word>;

// What the model asserts in a scope, in SPO order; names are left out (they follow existence).
std::set<Triple> statements(const Model& model, const std::set<std::uint32_t>* scope = nullptr) {
  std::set<Triple> found;
  for (const auto& [key, word] : model) {
    if (scope == nullptr || scope->contains(key.graph)) found.insert(key.triple);
  }
  return found;
}

std::vector<Triple> read_all(Cursor cursor, std::size_t batch = 7) {
  std::vector<Triple> rows;
  std::vector<Triple> buffer(batch);
  while (const std::size_t got = cursor.next(buffer))
    rows.insert(rows.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got));
  return rows;
}

class Harness {
 public:
  explicit Harness(std::uint64_t seed, bool disk) : random(seed) {
    if (disk) folder.emplace("anima-views");
    open();
  }

  ViewsOptions options() const {
    ViewsOptions options;
    options.big_bulk_rows = 12;  // some bulks become a base, some do not
    if (folder) {
      options.folder = folder->path();
      options.files = &system_files();
    }
    return options;
  }

  void open() {
    views = std::move(*Views::open(options()));
    replay(*views);
  }
  void replay(Views& views) const {
    const auto from = static_cast<std::uint64_t>(views.head().sequence);
    for (std::size_t i = from; i < log.size(); ++i) {
      const Status applied = views.apply(log[i]);
      ASSERT_TRUE(applied) << applied.error().describe();
    }
    views.publish();
  }

  EntryInfo next_info() const {
    EntryInfo info;
    info.sequence = static_cast<Sequence>(log.size() + 1);
    info.time = {static_cast<std::int64_t>(log.size() + 1) * 1000};
    info.trust = Trust::kStandard;
    info.author = "tester";
    info.source = "model";
    return info;
  }

  // Runs `change` as one entry; false = rolled back by its own wish.
  template <typename Change>
  void entry(const Change& change, bool abort = false) {
    const auto mark = views->mark();
    const Model before = model;
    Transaction transaction(views->begin(next_info()));
    change(transaction);
    if (abort) {
      views->rollback(mark);
      model = before;
      return;
    }
    const auto finished = views->finish();
    ASSERT_TRUE(finished);
    if (finished->payload.empty()) return;
    LogEntry entry;
    const EntryInfo info = next_info();
    entry.sequence = info.sequence;
    entry.time = info.time;
    entry.origin = {"tester", "model", Trust::kStandard, Sequence::kNone};
    entry.payload = finished->payload;
    log.push_back(entry);
    history.push_back(model);
    snapshots.push_back(views->publish());
  }

  std::uint64_t now() const { return log.size() + 1; }
  std::uint64_t below(std::uint64_t n) { return random.below(n); }

  void random_change(Transaction& t);
  void first_change(Transaction& t);
  void assert_concept(Transaction& t, const AssertOptions& options);
  void assert_link(Transaction& t, const AssertOptions& options);
  void quote_link(Transaction& t);
  void retract_link(Transaction& t, const AssertOptions& options);
  void set_values(Transaction& t, const AssertOptions& options);
  void retract_concept(Transaction& t, const AssertOptions& options);
  void write_bulk(Transaction& t, const AssertOptions& options);
  std::set<std::uint32_t> detach_from(Transaction& t, std::uint32_t graph, EntityId id);
  void say(const AssertOptions& options, const Triple& triple);
  Term literal(Transaction& t);
  EntityId any(const std::vector<EntityId>& from) { return from[below(from.size())]; }
  static void keep(std::vector<EntityId>& list, EntityId id) {
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }

  void check(const Snapshot& snapshot, const Model& model, bool deep);
  void check_scans(const Snapshot& snapshot, const std::set<Triple>& expected);
  void check_assertions(const Snapshot& snapshot, const Model& model);
  void check_neighbours(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId id);
  void check_counts(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId id);
  void check_names(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId id);
  void check_edges(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId id);
  void check_values(const Snapshot& snapshot, const std::set<Triple>& expected);
  void check_scopes(const Snapshot& snapshot, const Model& model);
  void checkpoint() {
    const Snapshot at = views->snapshot();
    Head head;
    head.sequence = at.sequence();
    ASSERT_TRUE(views->write_base(at, head, {}));
  }

  SeededRandom random;
  std::optional<TemporaryDirectory> folder;
  std::unique_ptr<Views> views;
  std::vector<LogEntry> log;
  Model model;
  std::vector<Model> history;
  std::vector<Snapshot> snapshots;
  std::vector<EntityId> concepts;
  std::vector<EntityId> predicates;
  std::vector<EntityId> links;
  EntityId type = EntityId::kNone;
};

void Harness::say(const AssertOptions& options, const Triple& triple) {
  const Key key{static_cast<std::uint32_t>(options.graph), triple};
  const auto found = model.find(key);
  if (found != model.end() && found->second.confidence == options.confidence &&
      found->second.provenance == options.provenance) {
    return;
  }
  model[key] = {options.confidence, options.provenance, now()};
}

Term Harness::literal(Transaction& t) {
  switch (below(4)) {
    case 0:
      return *t.term(Value::of(static_cast<std::int64_t>(below(6))).view());
    case 1:
      return *t.term(Value::string("v" + std::to_string(below(8))).view());
    case 2:
      return *t.term(Value::of(static_cast<double>(below(10)) / 2).view());
    default:
      return *t.term(Value::boolean(below(2) == 0).view());
  }
}

void Harness::first_change(Transaction& t) {
  AssertOptions plain;
  type = *t.upsert_type("Thing", plain);
  model[{0, {type, kTypePredicate, Term::entity(kConceptType)}}] = {1, 0, now()};
  for (int i = 0; i < 3; ++i) {
    predicates.push_back(*t.upsert_predicate("p" + std::to_string(i), plain));
    model[{0, {predicates.back(), kTypePredicate, Term::entity(kPropositionType)}}] = {1, 0, now()};
  }
  for (int i = 0; i < 4; ++i) {
    concepts.push_back(*t.upsert_concept(type, "c" + std::to_string(i), plain));
    model[{0, {concepts.back(), kTypePredicate, Term::entity(type)}}] = {1, 0, now()};
  }
}

void Harness::assert_concept(Transaction& t, const AssertOptions& options) {
  const EntityId id = *t.upsert_concept(type, "c" + std::to_string(below(12)), options);
  keep(concepts, id);
  say(options, {id, kTypePredicate, Term::entity(type)});
}

void Harness::assert_link(Transaction& t, const AssertOptions& options) {
  EntityId subject = any(concepts);
  if (!links.empty() && below(4) == 0) subject = any(links);
  Term object = Term::entity(any(concepts));
  if (!links.empty() && below(5) == 0) object = Term::entity(any(links));
  if (below(6) == 0) object = literal(t);
  const Triple link{subject, Predicate::link(any(predicates)), object};
  const auto id = t.assert_link(link, options);
  ASSERT_TRUE(id) << id.error().describe();
  keep(links, *id);
  say(options, link);
}

void Harness::quote_link(Transaction& t) {
  const Triple link{any(concepts), Predicate::link(any(predicates)), Term::entity(any(concepts))};
  const auto id = t.quote_link(link);
  ASSERT_TRUE(id);
  keep(links, *id);
}

void Harness::retract_link(Transaction& t, const AssertOptions& options) {
  const auto graph = static_cast<std::uint32_t>(options.graph);
  std::vector<Triple> there;
  for (const auto& [key, word] : model) {
    if (key.graph == graph && key.triple.predicate.predicate_class() == PredicateClass::kLink) {
      there.push_back(key.triple);
    }
  }
  if (there.empty()) return;
  const Triple link = there[below(there.size())];
  const EntityId id = *t.view().find_proposition(link);
  ASSERT_TRUE(t.retract_link(link, options.graph));
  model.erase({graph, link});
  std::erase_if(model, [&](const auto& item) {
    return item.first.graph == graph && item.first.triple.subject == id &&
           item.first.triple.predicate.predicate_class() >= PredicateClass::kAttribute;
  });
}

void Harness::set_values(Transaction& t, const AssertOptions& options) {
  const auto graph = static_cast<std::uint32_t>(options.graph);
  EntityId subject = any(concepts);
  if (!links.empty() && below(3) == 0) subject = any(links);
  const bool meta = below(2) == 0;
  const std::string key = "k" + std::to_string(below(3));
  std::vector<Term> values;
  for (std::uint64_t n = below(3); n-- > 0;) {
    const Term value = literal(t);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  ASSERT_TRUE(meta ? t.set_metadata(subject, key, values, options)
                   : t.set_attribute(subject, key, values, options));
  const auto term = t.view().find_string(key);
  if (!term) return;
  const Predicate predicate = meta ? Predicate::metadata(*term) : Predicate::attribute(*term);
  std::erase_if(model, [&](const auto& item) {
    return item.first.graph == graph && item.first.triple.subject == subject &&
           item.first.triple.predicate == predicate &&
           std::find(values.begin(), values.end(), item.first.triple.object) == values.end();
  });
  for (const Term value : values) say(options, {subject, predicate, value});
}

// Takes away the links of a graph about the concept, and those about them; gives their
// propositions.
std::set<std::uint32_t> Harness::detach_from(Transaction& t, std::uint32_t graph, EntityId id) {
  std::set<std::uint32_t> gone;
  std::vector<std::uint32_t> open{static_cast<std::uint32_t>(id)};
  while (!open.empty()) {
    const std::uint32_t about = open.back();
    open.pop_back();
    for (auto at = model.begin(); at != model.end();) {
      const Triple& triple = at->first.triple;
      if (at->first.graph == graph && triple.predicate.predicate_class() == PredicateClass::kLink &&
          (static_cast<std::uint32_t>(triple.subject) == about || triple.object.code == about)) {
        const Snapshot view = t.view();
        EntityId proposition = EntityId::kNone;
        for (const EntityId link : links) {
          if (view.triple_of(link) == triple) proposition = link;
        }
        open.push_back(static_cast<std::uint32_t>(proposition));
        gone.insert(static_cast<std::uint32_t>(proposition));
        at = model.erase(at);
      } else {
        ++at;
      }
    }
  }
  return gone;
}

void Harness::retract_concept(Transaction& t, const AssertOptions& options) {
  const auto graph = static_cast<std::uint32_t>(options.graph);
  const EntityId id = any(concepts);
  const Key existence{graph, {id, kTypePredicate, Term::entity(type)}};
  const bool detach = below(2) == 0;
  const Status done = t.retract_concept(id, options.graph, detach);
  ASSERT_EQ(done.has_value(), model.contains(existence));
  if (!done) return;
  model.erase(existence);
  std::set<std::uint32_t> gone;
  if (detach) gone = detach_from(t, graph, id);
  gone.insert(static_cast<std::uint32_t>(id));
  std::erase_if(model, [&](const auto& item) {
    return item.first.graph == graph &&
           gone.contains(static_cast<std::uint32_t>(item.first.triple.subject)) &&
           item.first.triple.predicate.predicate_class() >= PredicateClass::kAttribute;
  });
}

void Harness::write_bulk(Transaction& t, const AssertOptions& options) {
  const auto graph = static_cast<std::uint32_t>(options.graph);
  BulkWriter bulk(t, options);
  for (std::uint64_t n = below(30); n-- > 0;) {
    switch (below(3)) {
      case 0: {
        const EntityId id = *bulk.upsert_concept(type, "c" + std::to_string(below(14)));
        keep(concepts, id);
        say(options, {id, kTypePredicate, Term::entity(type)});
        break;
      }
      case 1: {
        const Triple value{any(concepts),
                           Predicate::attribute(*bulk.term(Value::string("k0").view())),
                           literal(t)};
        bulk.add(value);
        say(options, value);
        break;
      }
      default: {
        const Triple link{any(concepts), Predicate::link(any(predicates)),
                          Term::entity(any(concepts))};
        bulk.add(link);
        say(options, link);
      }
    }
  }
  ASSERT_TRUE(bulk.finish());
  const Snapshot view = t.view();
  for (const auto& [key, word] : model) {
    if (key.graph != graph || key.triple.predicate.predicate_class() != PredicateClass::kLink)
      continue;
    keep(links, *view.find_proposition(key.triple));
  }
}

void Harness::random_change(Transaction& t) {
  AssertOptions options;
  static const char* const kGraphs[] = {"", "g:a", "g:b", "g:c"};
  options.graph = t.graph(kGraphs[below(4)]);
  if (below(3) == 0) options.confidence = static_cast<double>(below(5)) / 4;
  if (below(5) == 0) options.provenance = below(3);
  if (type == EntityId::kNone) return first_change(t);
  switch (below(13)) {
    case 0:
      return assert_concept(t, options);
    case 1:
    case 2:
    case 3:
    case 4:
      return assert_link(t, options);
    case 5:
      return quote_link(t);
    case 6:
      return retract_link(t, options);
    case 7:
    case 8:
    case 9:
      return set_values(t, options);
    case 10:
      return retract_concept(t, options);
    case 11:
      return write_bulk(t, options);
    default:
      if (below(6) != 0 || options.graph == GraphId::kDefault) return;
      ASSERT_TRUE(t.drop_graph(options.graph));
      std::erase_if(model, [&](const auto& item) {
        return item.first.graph == static_cast<std::uint32_t>(options.graph);
      });
  }
}

// Genesis is not in the model, nor are names.
bool in_model(const Triple& triple) {
  return triple.subject > kEntityType && triple.predicate != kNamePredicate;
}

bool in_order(Order order, const Triple& a, const Triple& b) {
  switch (order) {
    case Order::kAny:
      return false;
    case Order::kSubjectPredicateObject:
      return a < b;
    case Order::kPredicateObjectSubject:
      return std::tie(a.predicate, a.object, a.subject) <
             std::tie(b.predicate, b.object, b.subject);
    case Order::kObjectPredicateSubject:
      return std::tie(a.object, a.predicate, a.subject) <
             std::tie(b.object, b.predicate, b.subject);
    case Order::kObjectSubjectPredicate:
      return std::tie(a.object, a.subject, a.predicate) <
             std::tie(b.object, b.subject, b.predicate);
  }
  return false;
}

void Harness::check_scans(const Snapshot& snapshot, const std::set<Triple>& expected) {
  for (const Order order :
       {Order::kAny, Order::kSubjectPredicateObject, Order::kPredicateObjectSubject,
        Order::kObjectPredicateSubject, Order::kObjectSubjectPredicate}) {
    std::set<Triple> got;
    for (const PredicateClass kind : {PredicateClass::kLink, PredicateClass::kStructural,
                                      PredicateClass::kAttribute, PredicateClass::kMetadata}) {
      Pattern all;
      all.predicate_class = kind;
      const auto rows = read_all(snapshot.scan(all, order));
      ASSERT_EQ(rows.size(), snapshot.count(all));
      ASSERT_TRUE(std::is_sorted(
          rows.begin(), rows.end(),
          [order](const Triple& a, const Triple& b) { return in_order(order, a, b); }));
      for (const Triple& row : rows) {
        if (!in_model(row)) continue;
        ASSERT_TRUE(got.insert(row).second);
      }
    }
    ASSERT_EQ(got, expected) << "order " << static_cast<int>(order);
  }
}

void Harness::check_assertions(const Snapshot& snapshot, const Model& model) {
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const auto& [key, word] : model) {
    sizes[key.graph] += key.triple.predicate == kTypePredicate ? 2 : 1;
    const auto assertions = snapshot.assertions(key.triple);
    const auto in_graph = [graph = key.graph](const Assertion& a) {
      return static_cast<std::uint32_t>(a.graph) == graph;
    };
    const auto own = std::find_if(assertions.begin(), assertions.end(), in_graph);
    ASSERT_NE(own, assertions.end());
    ASSERT_EQ((Word{own->confidence, own->provenance, static_cast<std::uint64_t>(own->born)}),
              word);
    ASSERT_TRUE(std::is_sorted(
        assertions.begin(), assertions.end(), [](const Assertion& a, const Assertion& b) {
          return a.confidence != b.confidence ? a.confidence > b.confidence : a.graph < b.graph;
        }));
  }
  for (const auto& [graph, size] : sizes) {
    ASSERT_EQ(snapshot.graph_size(static_cast<GraphId>(graph)), size + (graph == 0 ? 6 : 0))
        << graph;
  }
}

void Harness::check_neighbours(const Snapshot& snapshot, const std::set<Triple>& expected,
                               EntityId s) {
  Scratch scratch;
  for (const EntityId p : predicates) {
    for (const EntityId o : concepts) {
      const Triple triple{s, Predicate::link(p), Term::entity(o)};
      ASSERT_EQ(snapshot.contains(triple), expected.contains(triple));
      ASSERT_EQ(snapshot.find_proposition(triple).has_value(), expected.contains(triple));
    }
    std::vector<std::uint32_t> objects, subjects;
    for (const Triple& t : expected) {
      if (t.subject == s && t.predicate == Predicate::link(p)) objects.push_back(t.object.code);
      if (t.object == Term::entity(s) && t.predicate == Predicate::link(p)) {
        subjects.push_back(static_cast<std::uint32_t>(t.subject));
      }
    }
    std::sort(objects.begin(), objects.end());
    std::sort(subjects.begin(), subjects.end());
    const auto got_objects = snapshot.objects(s, Predicate::link(p), scratch);
    ASSERT_EQ(std::vector<std::uint32_t>(got_objects.begin(), got_objects.end()), objects);
    const auto got_subjects = snapshot.subjects(Predicate::link(p), Term::entity(s), scratch);
    ASSERT_EQ(std::vector<std::uint32_t>(got_subjects.begin(), got_subjects.end()), subjects);
  }
}

void Harness::check_counts(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId s) {
  const auto count_if = [&](const auto& test) {
    return static_cast<std::uint64_t>(std::count_if(expected.begin(), expected.end(), test));
  };
  Pattern by_subject;
  by_subject.subject = s;
  ASSERT_EQ(snapshot.count(by_subject), count_if([&](const Triple& t) {
              return t.subject == s && t.predicate.predicate_class() == PredicateClass::kLink;
            }));
  Pattern by_object;
  by_object.object = Term::entity(s);
  ASSERT_EQ(snapshot.count(by_object), count_if([&](const Triple& t) {
              return t.object == Term::entity(s) &&
                     t.predicate.predicate_class() == PredicateClass::kLink;
            }));
  for (const EntityId o : concepts) {
    Pattern both = by_subject;
    both.object = Term::entity(o);
    const auto wanted = count_if([&](const Triple& t) {
      return t.subject == s && t.object == Term::entity(o) &&
             t.predicate.predicate_class() == PredicateClass::kLink;
    });
    ASSERT_EQ(snapshot.count(both), wanted);
    ASSERT_EQ(read_all(snapshot.scan(both)).size(), wanted);
  }
}

void Harness::check_names(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId s) {
  ASSERT_EQ(snapshot.exists(s), expected.contains({s, kTypePredicate, Term::entity(type)}));
  const std::string name(snapshot.name(s));
  const auto found = snapshot.find_concept(type, name);
  ASSERT_EQ(found.has_value(), snapshot.exists(s));
  if (found) {
    ASSERT_EQ(*found, s);
    std::string loud = name;
    loud[0] = 'C';
    ASSERT_EQ(snapshot.concepts_labelled(loud), std::vector<EntityId>{s});
  }
}

void Harness::check_edges(const Snapshot& snapshot, const std::set<Triple>& expected, EntityId e) {
  Scratch scratch;
  for (const bool out : {true, false}) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted, links, got, got_links;
    for (const Triple& t : expected) {
      if (out ? t.subject != e : t.object != Term::entity(e)) continue;
      const std::pair edge(t.predicate.code,
                           out ? t.object.code : static_cast<std::uint32_t>(t.subject));
      wanted.push_back(edge);
      if (t.predicate.predicate_class() == PredicateClass::kLink) links.push_back(edge);
    }
    std::sort(wanted.begin(), wanted.end());
    std::sort(links.begin(), links.end());
    const auto take = [](const Edges& edges, auto& into) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if (edges.predicates[i] != kNamePredicate.code)
          into.emplace_back(edges.predicates[i], edges.others[i]);
      }
    };
    take(out ? snapshot.outgoing(e, scratch) : snapshot.incoming(Term::entity(e), scratch), got);
    take(out ? snapshot.outgoing(e, PredicateClass::kLink, scratch)
             : snapshot.incoming(Term::entity(e), PredicateClass::kLink, scratch),
         got_links);
    ASSERT_EQ(got, wanted);
    ASSERT_EQ(got_links, links);
  }
}

// Values in order and by range.
void Harness::check_values(const Snapshot& snapshot, const std::set<Triple>& expected) {
  for (const char* name : {"k0", "k1", "k2"}) {
    const auto key = snapshot.find_string(name);
    if (!key) continue;
    for (const Predicate predicate : {Predicate::attribute(*key), Predicate::metadata(*key)}) {
      const auto all = read_all(snapshot.scan_values(predicate, std::nullopt, std::nullopt));
      std::size_t wanted = 0;
      std::size_t in_range = 0;
      const Term low = Term::integer(1);
      const Term high = Term::integer(4);
      for (const Triple& t : expected) {
        if (t.predicate != predicate) continue;
        ++wanted;
        const auto a = snapshot.compare(low, t.object);
        const auto b = snapshot.compare(t.object, high);
        in_range += a && b && *a <= 0 && *b <= 0 ? 1 : 0;
      }
      ASSERT_EQ(all.size(), wanted);
      for (std::size_t i = 1; i < all.size(); ++i) {
        const auto order = snapshot.compare(all[i - 1].object, all[i].object);
        ASSERT_TRUE(!order || *order <= 0);
      }
      ASSERT_EQ(read_all(snapshot.scan_values(predicate, low, high)).size(), in_range);
    }
  }
}

// Narrowed to graphs.
void Harness::check_scopes(const Snapshot& snapshot, const Model& model) {
  for (const std::set<std::uint32_t>& scope :
       {std::set<std::uint32_t>{0}, std::set<std::uint32_t>{1}, std::set<std::uint32_t>{1, 2}}) {
    std::vector<GraphId> graphs;
    for (const std::uint32_t graph : scope) graphs.push_back(static_cast<GraphId>(graph));
    const Snapshot narrow = snapshot.in_graphs(graphs);
    std::set<Triple> wanted = statements(model, &scope);
    std::set<Triple> got;
    for (int kind = 0; kind < 4; ++kind) {
      Pattern all;
      all.predicate_class = static_cast<PredicateClass>(kind);
      const auto rows = read_all(narrow.scan(all));
      ASSERT_EQ(rows.size(), narrow.count(all));
      for (const Triple& row : rows) {
        if (in_model(row)) got.insert(row);
      }
    }
    ASSERT_EQ(got, wanted);
  }
}

void Harness::check(const Snapshot& snapshot, const Model& model, bool deep) {
  const auto expected = statements(model);
  check_scans(snapshot, expected);
  if (!deep) return;
  check_assertions(snapshot, model);
  for (const EntityId id : concepts) {
    check_neighbours(snapshot, expected, id);
    check_counts(snapshot, expected, id);
    check_names(snapshot, expected, id);
    check_edges(snapshot, expected, id);
  }
  for (const EntityId p : predicates) {
    Pattern by_predicate;
    by_predicate.predicate = Predicate::link(p);
    ASSERT_EQ(snapshot.count(by_predicate),
              static_cast<std::uint64_t>(std::count_if(
                  expected.begin(), expected.end(),
                  [&](const Triple& t) { return t.predicate == Predicate::link(p); })));
  }
  check_values(snapshot, expected);
  check_scopes(snapshot, model);
}

void run(std::uint64_t seed, int entries, bool disk) {
  Harness h(seed, disk);
  for (int i = 0; i < entries && !testing::Test::HasFatalFailure(); ++i) {
    const bool abort = h.type != EntityId::kNone && h.below(10) == 0;
    const auto links = h.links;
    const auto concepts = h.concepts;
    h.entry(
        [&](Transaction& t) {
          for (std::uint64_t n = 1 + h.below(4); n-- > 0;) h.random_change(t);
        },
        abort);
    if (abort) {
      h.links = links;
      h.concepts = concepts;
    }
    if (h.below(8) == 0) {
      h.checkpoint();
      if (h.below(2) == 0) {  // the writer goes on while the base is written
        h.entry([&](Transaction& t) { h.random_change(t); });
      }
      ASSERT_TRUE(h.views->install_base([](auto, const auto&) { return true; }));
    }
    if (disk && h.below(12) == 0) h.open();
    h.check(h.views->snapshot(), h.model, i % 5 == 0);
  }
  if (testing::Test::HasFatalFailure()) return;
  h.check(h.views->snapshot(), h.model, true);
  // What was pinned still says what it said, and the newest can go back to each of them.
  for (std::size_t i = 0; i < h.snapshots.size() && !testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("sequence " + std::to_string(i + 1));
    h.check(h.snapshots[i], h.history[i], i % 7 == 0);
    const auto then = h.views->snapshot().as_of(static_cast<Sequence>(i + 1));
    ASSERT_TRUE(then) << then.error().describe();
    ASSERT_EQ(then->sequence(), static_cast<Sequence>(i + 1));
    h.check(*then, h.history[i], i % 7 == 3);
    const auto timed =
        h.views->snapshot().as_of(Timestamp{static_cast<std::int64_t>(i + 1) * 1000 + 5});
    ASSERT_TRUE(timed);
    ASSERT_EQ(timed->sequence(), static_cast<Sequence>(i + 1));
  }
  // A fresh replay of the log is the same, ids included.
  Harness fresh(seed, false);
  fresh.log = h.log;
  fresh.replay(*fresh.views);
  fresh.concepts = h.concepts;
  fresh.predicates = h.predicates;
  fresh.type = h.type;
  fresh.check(fresh.views->snapshot(), h.model, true);
  for (const EntityId link : h.links) {
    EXPECT_EQ(fresh.views->snapshot().triple_of(link), h.views->snapshot().triple_of(link));
    EXPECT_EQ(fresh.views->snapshot().history(link), h.views->snapshot().history(link));
  }
  for (const EntityId id : h.concepts) {
    EXPECT_EQ(fresh.views->snapshot().history(id), h.views->snapshot().history(id));
  }
}

TEST(ViewsModel, AgreesInMemory) {
  const int rounds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 60 : 6;
  for (int seed = 1; seed <= rounds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(static_cast<std::uint64_t>(seed), 60, false);
  }
}

TEST(ViewsModel, AgreesOnDiskWithReopening) {
  const int rounds = std::getenv("ANIMA_TEST_FULL") != nullptr ? 40 : 4;
  for (int seed = 101; seed < 101 + rounds && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    run(static_cast<std::uint64_t>(seed), 60, true);
  }
}

}  // namespace
}  // namespace anima::store::views_model_test
