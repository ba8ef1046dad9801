#include "sparql/rdf_export.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

#include "sparql/proposition_names.h"
#include "sparql/rdf_mapping.h"
#include "sparql/rdf_reader.h"
#include "sparql/rdf_writer.h"

namespace anima::sparql {
namespace {

using store::EntityId;
using store::EntityKind;
using store::Predicate;
using store::PredicateClass;
using store::Term;
using store::Triple;

// Lines in one buffer, sorted at the end.
class Lines {
 public:
  std::string& text() { return text_; }
  void end_line() {
    begins_.push_back(begin_);
    begin_ = text_.size();
  }
  std::string sorted() const {
    struct Line {
      std::uint64_t key;
      std::string_view text;
    };
    std::vector<Line> lines(begins_.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : text_.size();
      lines[i].text = std::string_view(text_).substr(begins_[i], end - begins_[i]);
      lines[i].key = 0;
      // What all IRIs begin with says little: the key is what follows "<http://".
      const std::string_view rest =
          lines[i].text.substr(std::min<std::size_t>(8, lines[i].text.size()));
      std::memcpy(&lines[i].key, rest.data(), std::min<std::size_t>(rest.size(), 8));
      lines[i].key = __builtin_bswap64(lines[i].key);
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
      const int start = std::memcmp(a.text.data(), b.text.data(),
                                    std::min<std::size_t>({8, a.text.size(), b.text.size()}));
      if (start != 0) return start < 0;
      return a.key != b.key ? a.key < b.key : a.text < b.text;
    });
    std::string out;
    out.reserve(text_.size());
    std::string_view before;
    for (const Line& line : lines) {
      if (line.text != before) out += line.text;
      before = line.text;
    }
    return out;
  }

 private:
  std::string text_;
  std::vector<std::size_t> begins_;
  std::size_t begin_ = 0;
};

class Exporter {
 public:
  Exporter(const store::Snapshot& snapshot, RdfFormat format)
      : snapshot_(snapshot), names_(snapshot), format_(format) {}

  std::string run() {
    mentioned_.assign(snapshot_.entity_bound(), 0);
    all(PredicateClass::kAttribute);
    all(PredicateClass::kMetadata);
    all(PredicateClass::kLink);
    for (std::size_t i = 0; i < to_reify_.size(); ++i) reify(to_reify_[i]);
    for (std::uint32_t id = 1; id < snapshot_.entity_bound(); ++id)
      existence(static_cast<EntityId>(id));
    return lines_.sorted();
  }

 private:
  enum Mention : std::uint8_t { kSubjectOrObject = 1, kInUse = 2, kReified = 4, kDescribed = 8 };
  static constexpr std::size_t kBatch = 512;

  std::uint8_t& mention(EntityId entity) { return mentioned_[static_cast<std::uint32_t>(entity)]; }

  void all(PredicateClass predicate_class) {
    store::Pattern pattern;
    pattern.predicate_class = predicate_class;
    store::Cursor cursor = snapshot_.scan(pattern, store::Order::kSubjectPredicateObject);
    std::array<Triple, kBatch> rows;
    while (const std::size_t count = cursor.next(rows)) {
      for (std::size_t i = 0; i < count; ++i) statement(rows[i], predicate_class);
    }
  }

  void statement(const Triple& row, PredicateClass predicate_class) {
    touch(row.subject);
    if (predicate_class != PredicateClass::kLink) mention(row.subject) |= kDescribed;
    RdfTriple triple;
    triple.subject = names_.term(row.subject, subject_);
    if (row.object.is_entity()) {
      touch(row.object.as_entity());
      triple.object = names_.term(row.object.as_entity(), object_);
    } else {
      triple.object = value_term(snapshot_.value(row.object), object_);
    }
    if (predicate_class == PredicateClass::kLink) mention(row.predicate.as_link()) |= kInUse;
    const bool literal =
        triple.object.kind != RdfKind::kIri && triple.object.kind != RdfKind::kBlank;
    triple.predicate = {RdfKind::kIri, predicate(row.predicate, literal), {}};
    line(triple, row);
  }

  // The IRI of a predicate, made once. The key of an attribute differs with what it is said of.
  std::string_view predicate(Predicate predicate, bool literal) {
    auto& names = literal ? literal_names_ : link_names_;
    const auto [found, made] = names.try_emplace(predicate.code);
    if (made) found->second = predicate_iri(snapshot_, predicate, literal);
    return found->second;
  }

  void touch(EntityId entity) {
    std::uint8_t& seen = mention(entity);
    seen |= kSubjectOrObject;
    if ((seen & kReified) != 0 || snapshot_.kind(entity) != EntityKind::kProposition) return;
    seen |= kReified;
    to_reify_.push_back(entity);
  }

  void reify(EntityId proposition) {
    const Triple link = snapshot_.triple_of(proposition);
    touch(link.subject);
    if (link.object.is_entity()) touch(link.object.as_entity());
    mention(link.predicate.as_link()) |= kInUse;
    RdfTriple triple;
    triple.subject = names_.term(proposition, subject_);
    triple.predicate = {RdfKind::kIri, kRdfSubject, {}};
    triple.object = names_.term(link.subject, object_);
    plain_line(triple);
    triple.predicate.text = kRdfPredicate;
    triple.object = {RdfKind::kIri, predicate(link.predicate, false), {}};
    plain_line(triple);
    triple.predicate.text = kRdfObject;
    triple.object = link.object.is_entity() ? names_.term(link.object.as_entity(), object_)
                                            : value_term(snapshot_.value(link.object), object_);
    plain_line(triple);
  }

  void existence(EntityId entity) {
    if (snapshot_.kind(entity) != EntityKind::kConcept || !snapshot_.exists(entity)) return;
    const EntityId type = snapshot_.type_of(entity);
    const std::uint8_t seen = mention(entity);
    if (type == store::kEntityType && (seen & kSubjectOrObject) != 0) return;
    const bool definition = type == store::kConceptType || type == store::kPropositionType;
    if (definition && (seen & kSubjectOrObject) == 0 && is_implied(entity, type, seen)) return;
    RdfTriple triple;
    triple.subject = names_.term(entity, subject_);
    triple.predicate = {RdfKind::kIri, kRdfType, {}};
    triple.object = concept_term("$ConceptType", snapshot_.name(type), object_);
    line(triple, {entity, store::kTypePredicate, Term::entity(type)});
  }

  bool is_implied(EntityId entity, EntityId type, std::uint8_t seen) const {
    if (entity == store::kConceptType || entity == store::kPropositionType ||
        entity == store::kEntityType) {
      return true;
    }
    if (type == store::kPropositionType) return (seen & kInUse) != 0;
    store::Pattern instances;
    instances.predicate = store::kTypePredicate;
    instances.object = Term::entity(entity);
    return snapshot_.count(instances) > 0;
  }

  void line(const RdfTriple& triple, const Triple& row) {
    if (format_ == RdfFormat::kNTriples) return plain_line(triple);
    for (const store::Assertion& assertion : snapshot_.assertions(row)) {
      std::string& out = lines_.text();
      append_ntriples(out, triple);
      if (assertion.graph != store::GraphId::kDefault) {
        out.resize(out.size() - 2);
        append_ntriples(out, graph_term(snapshot_.graph_name(assertion.graph), graph_));
        out += " .\n";
      }
      lines_.end_line();
    }
  }
  void plain_line(const RdfTriple& triple) {
    append_ntriples(lines_.text(), triple);
    lines_.end_line();
  }

  const store::Snapshot& snapshot_;
  PropositionNames names_;
  RdfFormat format_;
  Lines lines_;
  std::vector<std::uint8_t> mentioned_;
  std::vector<EntityId> to_reify_;
  std::unordered_map<std::uint32_t, std::string> literal_names_, link_names_;
  std::string subject_, object_, graph_;
};

}  // namespace

std::string export_rdf(const store::Snapshot& snapshot, RdfFormat format) {
  return Exporter(snapshot, format).run();
}

Result<std::string> export_document(const store::Snapshot& snapshot, RdfFormat format,
                                    bool graphs) {
  graphs = graphs && rdf_format_info(format).graphs;
  const RdfFormat lines = graphs ? RdfFormat::kNQuads : RdfFormat::kNTriples;
  std::string text = export_rdf(snapshot, lines);
  if (format == lines || format == RdfFormat::kNQuads) return text;
  // One text a graph, the default graph's first: TriG says a graph's name once.
  std::map<std::string, std::string, std::less<>> by_graph;
  PrefixFinder finder;
  ANIMA_TRY(read_rdf(lines, text, {}, [&](const RdfTriple& triple, const RdfTerm* graph) {
    finder.see(triple);
    const auto [found, made] =
        by_graph.try_emplace(graph == nullptr ? "" : std::string(graph->text));
    append_nquads(found->second, triple, graph);
    return Status();
  }));
  text.clear();
  std::string out;
  const auto writer = make_rdf_writer(format, finder.prefixes(), [&out](std::string_view piece) {
    out += piece;
    return Status();
  });
  for (const auto& [graph, said] : by_graph) {
    ANIMA_TRY(read_rdf(
        RdfFormat::kNQuads, said, {},
        [&](const RdfTriple& triple, const RdfTerm* name) { return writer->add(triple, name); }));
  }
  ANIMA_TRY(writer->finish());
  return out;
}

}  // namespace anima::sparql
