// The syntax tree of KIP (KQL, KML, META). Immutable once parsed; placeholders are nodes that are
// resolved against the request's parameters while a statement is planned, so one tree serves any
// number of requests and threads. Two trees are equal when they say the same, wherever in their
// texts they say it. Source: 001, sections 2 to 4.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace anima::kip {

// Byte offset into the statement's text; never takes part in comparisons.
struct Place {
  std::uint32_t offset = 0;
  bool operator==(const Place&) const { return true; }
};

// A string, a count, or the placeholder that stands for one.
struct Atom {
  std::string text;  // the string, or the placeholder's name
  std::int64_t count = 0;
  bool placeholder = false;
  Place place;
  bool operator==(const Atom&) const = default;
};

// ?variable.field.field
struct DotPath {
  std::string variable;
  std::vector<std::string> fields;
  Place place;
  bool operator==(const DotPath&) const = default;
};

struct Value {
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kInteger,
    kDouble,
    kString,
    kArray,
    kObject,
    kPlaceholder,
    kPath,  // in UPDATE only
    kCall,  // in UPDATE only: ADD, MUL, COALESCE, CLAMP
  };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;          // string, placeholder's name, function's name, digits beyond 64 bits
  std::vector<Value> items;  // elements, member values, arguments
  std::vector<std::string> keys;  // of an object, one per item
  DotPath path;
  Place place;
  bool operator==(const Value&) const = default;
};

// {id: ..} | {type: .., name: ..}; none set = any concept.
struct ConceptMatch {
  std::optional<Atom> id, type, name;
  Place place;
  bool operator==(const ConceptMatch&) const = default;
};

struct LinkMatch;

struct Endpoint {
  enum class Kind : std::uint8_t { kVariable, kConcept, kLink };
  Kind kind = Kind::kVariable;
  std::string variable;
  ConceptMatch concept_match;
  std::vector<LinkMatch> link;  // exactly one when kind is kLink
  Place place;
  bool operator==(const Endpoint&) const;
};

struct Hops {
  std::uint32_t minimum = 1;
  std::optional<std::uint32_t> maximum;
  bool operator==(const Hops&) const = default;
};

struct PredicateMatch {
  std::vector<Atom> names;  // alternatives; empty when it is a variable
  std::string variable;
  std::optional<Hops> hops;
  Place place;
  bool operator==(const PredicateMatch&) const = default;
};

// (id: ..) | (subject, predicate, object)
struct LinkMatch {
  std::optional<Atom> id;
  Endpoint subject, object;
  PredicateMatch predicate;
  Place place;
  bool operator==(const LinkMatch&) const = default;
};

inline bool Endpoint::operator==(const Endpoint& other) const {
  return kind == other.kind && variable == other.variable && concept_match == other.concept_match &&
         link == other.link;
}

// A FILTER expression.
struct Condition {
  enum class Kind : std::uint8_t {
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kContains,
    kStartsWith,
    kEndsWith,
    kRegex,
    kIn,
    kIsNull,
    kIsNotNull,
    kOperand,  // a leaf: `operand`
  };
  Kind kind = Kind::kOperand;
  std::vector<Condition> parts;
  Value operand;            // kPath, a scalar or a placeholder
  bool whole_list = false;  // of kIn: the list is one placeholder
  Place place;
  bool operator==(const Condition&) const = default;
};

struct Clause {
  enum class Kind : std::uint8_t { kConcept, kLink, kFilter, kNot, kOptional, kUnion };
  Kind kind = Kind::kConcept;
  std::string variable;  // of a concept or link clause; may be empty
  ConceptMatch concept_match;
  LinkMatch link;
  Condition condition;
  std::vector<Clause> block;
  Place place;
  bool operator==(const Clause&) const = default;
};

enum class AggregateKind : std::uint8_t { kNone, kCount, kSum, kAverage, kMinimum, kMaximum };

struct FindItem {
  AggregateKind aggregate = AggregateKind::kNone;
  bool distinct = false;
  DotPath path;
  bool operator==(const FindItem&) const = default;
};

struct OrderKey {
  FindItem item;
  bool descending = false;
  bool operator==(const OrderKey&) const = default;
};

struct Find {
  std::vector<FindItem> items;
  std::vector<Clause> where;
  std::vector<OrderKey> order;
  std::optional<Atom> limit, cursor;
  bool operator==(const Find&) const = default;
};

// What SET PROPOSITIONS and PROPOSITION point at; the same shapes as endpoints.
using Target = Endpoint;

struct PropositionEntry {
  Atom predicate;
  Target target;
  std::optional<Value> metadata;
  Place place;
  bool operator==(const PropositionEntry&) const = default;
};

struct UpsertItem {
  bool is_proposition = false;
  std::string handle;  // may be empty
  ConceptMatch concept_match;
  LinkMatch link;
  std::optional<Atom> expected_version;
  std::optional<Value> attributes;
  std::vector<PropositionEntry> propositions;
  std::optional<Value> metadata;
  Place place;
  bool operator==(const UpsertItem&) const = default;
};

struct UpsertBlock {
  std::vector<UpsertItem> items;
  std::optional<std::vector<Clause>> where;
  std::optional<Value> metadata;
  bool operator==(const UpsertBlock&) const = default;
};

struct Upsert {
  std::vector<UpsertBlock> blocks;
  bool operator==(const Upsert&) const = default;
};

struct Delete {
  enum class Kind : std::uint8_t { kAttributes, kMetadata, kPropositions, kConcept };
  Kind kind = Kind::kConcept;
  std::vector<std::string> keys;
  std::string variable;
  std::vector<Clause> where;
  Place place;
  bool operator==(const Delete&) const = default;
};

struct Update {
  std::string variable;
  std::optional<Value> attributes, metadata;
  std::vector<Clause> where;
  std::optional<Atom> limit;
  Place place;
  bool operator==(const Update&) const = default;
};

struct Merge {
  std::string source, target;
  std::vector<Clause> where;
  Place place;
  bool operator==(const Merge&) const = default;
};

struct Describe {
  enum class Kind : std::uint8_t {
    kPrimer,
    kDomains,
    kConceptTypes,
    kPropositionTypes,
    kConceptType,
    kPropositionType,
  };
  Kind kind = Kind::kPrimer;
  std::optional<Atom> name, limit, cursor;
  bool operator==(const Describe&) const = default;
};

struct Search {
  bool propositions = false;
  Atom term;
  std::optional<Atom> type, mode, limit;
  std::optional<Value> threshold;
  bool operator==(const Search&) const = default;
};

struct Export {
  std::string variable;
  std::vector<Clause> where;
  std::optional<Atom> limit, cursor;
  Place place;
  bool operator==(const Export&) const = default;
};

struct Statement {
  std::variant<Find, Upsert, Delete, Update, Merge, Describe, Search, Export> body;
  Place place;
  std::uint32_t end = 0;  // offset past the last token
  bool operator==(const Statement& other) const { return body == other.body; }
};

enum class Family : std::uint8_t { kQuery, kChange, kMeta };
Family family_of(const Statement& statement);

struct Script {
  std::string text;
  std::vector<Statement> statements;
};

}  // namespace anima::kip
