#include "memory/compartments/fact_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json/json.h"
#include "base/text/read_number.h"
#include "base/text/text.h"
#include "datalog/space_facts.h"
#include "sparql/ntriples.h"
#include "sparql/rdf_mapping.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

// A variable without an object; what looks like a number may be one or a text.
std::vector<std::string> object_terms(const std::vector<std::string>& words) {
  if (words.size() < 3) return {"X"};
  if (read_number<double>(words[2])) return {words[2], quote_json(words[2])};
  return {quote_json(words[2])};
}

constexpr std::size_t kMostWords = 24;
constexpr std::size_t kLongestRelation = 4;  // words

std::string part(const std::vector<std::string>& words, std::size_t begin, std::size_t end,
                 std::string_view between) {
  return join(std::vector(words.begin() + static_cast<std::ptrdiff_t>(begin),
                          words.begin() + static_cast<std::ptrdiff_t>(end)),
              between);
}

// The words of a sentence, without what ends it.
std::vector<std::string> sentence_words(std::string_view sentence) {
  std::vector<std::string> words = fact_words(trim(sentence));
  constexpr std::string_view kEnds = ".?!";
  while (!words.empty() && !words.back().empty() && kEnds.find(words.back().back()) != kEnds.npos)
    words.back().pop_back();
  return words;
}

// --- a triple as SPARQL shows it

// A thing as rules name it whatever else bears its name.
std::string thing_text(const sparql::RdfTerm& term) {
  if (term.kind == sparql::RdfKind::kBlank) return quote_json("Entity:_:" + std::string(term.text));
  const sparql::Named named = sparql::read_iri(term.text);
  const bool is_concept = named.kind == sparql::Named::Kind::kConcept;
  return quote_json((is_concept ? named.type : std::string("Entity")) + ":" + named.name);
}

std::string literal_text(const sparql::RdfTerm& term) {
  const store::ValueView value = sparql::literal_value(term);
  if (value.kind == store::ValueKind::kInteger || value.kind == store::ValueKind::kDouble)
    return std::string(term.text);
  if (value.kind == store::ValueKind::kBoolean) return value.integer != 0 ? "/true" : "/false";
  return quote_json(term.text);
}

Result<std::vector<std::string>> triple_patterns(std::string_view text,
                                                 const std::vector<std::string>& known) {
  std::string line(trim(text));
  if (!line.ends_with('.')) line += " .";
  sparql::NTriplesReader reader(line);
  std::array<sparql::RdfTriple, 1> triple;
  const auto read = reader.next(triple);
  if (!read || *read != 1) {
    return fail(ErrorCode::kInvalidArgument, "this is no triple: " + std::string(text),
                read ? std::string() : read.error().where,
                "<SUBJECT> <PREDICATE> <OBJECT>, as SPARQL and N-Triples write it");
  }
  const auto& [subject, predicate, object] = triple[0];
  const sparql::Named named = sparql::read_iri(predicate.text);
  const bool thing = object.kind == sparql::RdfKind::kIri || object.kind == sparql::RdfKind::kBlank;
  const std::string end = thing ? thing_text(object) : literal_text(object);
  const std::string relation = datalog::predicate_name(named.name);
  if (std::binary_search(known.begin(), known.end(), relation + "/2"))
    return std::vector{fmt::format("{}({}, {})", relation, thing_text(subject), end)};
  return std::vector{
      fmt::format("attribute({}, {}, {})", thing_text(subject), quote_json(named.name), end)};
}

}  // namespace

std::vector<std::string> fact_words(std::string_view text) {
  const bool is_triple = trim(text).starts_with('<');
  if (is_triple || text.find('(') != std::string_view::npos) return {std::string(trim(text))};
  std::vector<std::string> words;
  bool inside = false, quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c != '"') words.back() += c;
  }
  return words;
}

namespace {

// The name of the one thing that is also called so; else the word.
std::string own_name(const store::Snapshot& snapshot, const std::string& word) {
  if (!snapshot.concepts_labelled(word).empty()) return word;
  const auto thing = store::find_by_alias(snapshot, word);
  return thing ? std::string(snapshot.name(*thing)) : word;
}

std::vector<std::string> patterns_of(const std::vector<std::string>& words,
                                     const std::vector<std::string>& known) {
  const std::string relation = datalog::predicate_name(words[1]);
  const bool is_relation = std::find(known.begin(), known.end(), relation + "/2") != known.end();
  std::vector<std::string> patterns;
  for (const std::string& object : object_terms(words)) {
    const std::string subject = quote_json(words[0]);
    if (is_relation) patterns.push_back(fmt::format("{}({}, {})", relation, subject, object));
    patterns.push_back(fmt::format("attribute({}, {}, {})", subject, quote_json(words[1]), object));
  }
  return patterns;
}

}  // namespace

Result<std::vector<std::string>> fact_patterns(const std::vector<std::string>& words,
                                               const Reasoner& reasoner) {
  const std::string joined = join(words, " ");
  if (joined.starts_with('<')) return triple_patterns(joined, reasoner.predicates());
  if (joined.find('(') != std::string::npos) return std::vector{joined};
  if (words.size() < 2 || words.size() > 3) {
    return fail(ErrorCode::kInvalidArgument, "this is no fact: " + joined, {},
                "SUBJECT PREDICATE [OBJECT], names of several words in quotes, or Datalog: "
                "'needs(\"curl\", X)'");
  }
  const std::vector<std::string> known = reasoner.predicates();
  std::vector<std::string> patterns = patterns_of(words, known);
  std::vector<std::string> own = words;
  const store::Snapshot snapshot = reasoner.snapshot();
  own.front() = own_name(snapshot, own.front());
  if (own.size() == 3) own.back() = own_name(snapshot, own.back());
  if (own != words) {
    const std::vector<std::string> more = patterns_of(own, known);
    patterns.insert(patterns.end(), more.begin(), more.end());
  }
  return patterns;
}

Result<std::vector<std::string>> sentence_patterns(std::string_view sentence,
                                                   const Reasoner& reasoner) {
  if (trim(sentence).starts_with('<')) return triple_patterns(sentence, reasoner.predicates());
  if (sentence.find('(') != std::string_view::npos) return std::vector{std::string(sentence)};
  const std::vector<std::string> words = sentence_words(sentence);
  const std::vector<std::string> known = reasoner.predicates();
  std::vector<std::string> patterns;
  for (std::size_t begin = 1; begin < words.size() && words.size() <= kMostWords; ++begin) {
    const std::size_t last = std::min(words.size(), begin + kLongestRelation);
    for (std::size_t end = begin + 1; end <= last; ++end) {
      std::vector<std::string> fact = {part(words, 0, begin, " "), part(words, begin, end, "_")};
      if (end < words.size()) fact.push_back(part(words, end, words.size(), " "));
      const std::string relation = datalog::predicate_name(fact[1]) + "/2";
      if (end > begin + 1 && !std::binary_search(known.begin(), known.end(), relation)) continue;
      ANIMA_ASSIGN(const std::vector<std::string> more, fact_patterns(fact, reasoner));
      patterns.insert(patterns.end(), more.begin(), more.end());
    }
  }
  if (!patterns.empty()) return patterns;
  return fail(ErrorCode::kInvalidArgument, "this is no fact: " + std::string(sentence), {},
              "SUBJECT PREDICATE OBJECT, as in Bob manages Alice, or Datalog: needs(\"curl\", X)");
}

Result<std::vector<std::string>> matching_facts(const std::vector<std::string>& patterns,
                                                const Reasoner& reasoner) {
  for (const std::string& pattern : patterns) {
    ANIMA_ASSIGN(const std::vector<RuleRow> rows, reasoner.ask(pattern, kMostMatched));
    std::vector<std::string> facts;
    for (const RuleRow& row : rows) facts.push_back(row.fact);
    if (!facts.empty()) return facts;
  }
  return fail(ErrorCode::kNotFound, "nothing of this kind holds", patterns.front(),
              "why not: anima why-not '" + patterns.front() + "'");
}

}  // namespace anima::memory
