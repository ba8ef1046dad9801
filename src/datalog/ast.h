// The syntax tree of a Mangle unit, as written: sugar for lists, maps, structs and comparisons is
// folded into one form, everything else is kept, comments included, so that the formatter can print
// it back.
//
// Every node knows where it starts (`at`, a byte offset into its source); Source turns an offset
// into file, line and column only when somebody asks, so parsing costs nothing for positions.
// Equality of nodes (==) ignores positions. Follows the grammar of google/mangle. Thread-safety:
// plain values; a Source is immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/value.h"

namespace anima::datalog {

struct Position {
  std::uint32_t line = 1;    // from 1
  std::uint32_t column = 1;  // from 1, in bytes
};

using Offset = std::uint32_t;

// One text with its name. Units larger than 4 GiB are refused by the parser.
struct Source {
  std::string name;  // file name, or "<input>"
  std::string text;

  Position locate(Offset at) const;                   // O(at)
  std::string snippet(Offset from, Offset to) const;  // white space folded, at most 240 bytes
};

namespace ast {

enum class TermKind : std::uint8_t {
  kVariable,  // text; "_" is the wildcard
  kName,      // text, with its first slash
  kString,    // text
  kBytes,     // text
  kNumber,    // number
  kFloat,     // real
  kApply,   // text is the function ("fn:plus"), arguments; lists are fn:list, maps fn:map, structs
            // fn:struct
  kType,    // text is the constructor ("List"), arguments are the members of .List<..>
  kMember,  // `label : type` inside a type; arguments are {label, type}
  kOptional,  // `opt label : type` inside a type; arguments are {label, type}
  kAtom,      // a predicate used as a term (descr items, inclusion): text, arguments
};

struct Term {
  TermKind kind = TermKind::kVariable;
  Offset at = 0;
  std::string text;
  std::int64_t number = 0;
  double real = 0;
  std::vector<Term> arguments;

  bool operator==(const Term& other) const;
};

struct Atom {
  Offset at = 0;
  std::string predicate;
  std::vector<Term> arguments;

  bool operator==(const Atom& other) const {
    return predicate == other.predicate && arguments == other.arguments;
  }
};

// A bound of an interval: @[2024-01-01, T], <-[0d, 7d].
enum class BoundKind : std::uint8_t { kOpen, kTime, kDuration, kVariable, kNow };

struct Bound {
  BoundKind kind = BoundKind::kOpen;
  Offset at = 0;
  std::int64_t nanoseconds = 0;  // kTime: since the epoch; kDuration: length
  std::string variable;

  bool operator==(const Bound& other) const {
    return kind == other.kind && nanoseconds == other.nanoseconds && variable == other.variable;
  }
};

struct Interval {
  Offset at = 0;
  Bound start;
  std::optional<Bound> end;  // absent: @[T], a point

  bool operator==(const Interval& other) const { return start == other.start && end == other.end; }
};

enum class TemporalKind : std::uint8_t { kNone, kPastSome, kPastAll, kFutureSome, kFutureAll };

struct TemporalOperator {
  TemporalKind kind = TemporalKind::kNone;
  Bound near;
  Bound far;

  bool operator==(const TemporalOperator&) const = default;
};

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual
};

enum class LiteralKind : std::uint8_t { kAtom, kNegated, kComparison };

struct Literal {
  LiteralKind kind = LiteralKind::kAtom;
  Offset at = 0;
  Offset end = 0;
  TemporalOperator temporal;
  Atom atom;                     // kAtom, kNegated
  std::optional<Interval> when;  // kAtom, kNegated
  Comparison comparison = Comparison::kEqual;
  Term left, right;  // kComparison

  bool operator==(const Literal& other) const;
};

struct Let {
  Offset at = 0;
  std::string variable;
  Term value;

  bool operator==(const Let& other) const {
    return variable == other.variable && value == other.value;
  }
};

struct Transform {
  Offset at = 0;
  std::optional<Term> group;  // do fn:group_by(..)
  std::vector<Let> lets;

  bool operator==(const Transform& other) const {
    return group == other.group && lets == other.lets;
  }
};

struct Clause {
  Offset at = 0;
  Offset end = 0;  // one past the dot
  Atom head;
  std::optional<Interval> when;
  std::vector<Literal> body;
  std::vector<Transform> transforms;

  bool is_fact() const { return body.empty() && transforms.empty(); }
  bool operator==(const Clause& other) const {
    return head == other.head && when == other.when && body == other.body &&
           transforms == other.transforms;
  }
};

struct BoundRow {
  Offset at = 0;
  std::vector<Term> types;

  bool operator==(const BoundRow& other) const { return types == other.types; }
};

struct Declaration {
  Offset at = 0;
  Offset end = 0;
  Atom atom;
  bool temporal = false;
  std::vector<Atom> description;
  std::vector<BoundRow> bounds;
  std::vector<Atom> inclusion;

  bool operator==(const Declaration& other) const {
    return atom == other.atom && temporal == other.temporal && description == other.description &&
           bounds == other.bounds && inclusion == other.inclusion;
  }
};

struct PackageMention {
  Offset at = 0;
  std::string name;
  std::vector<Atom> atoms;

  bool operator==(const PackageMention& other) const {
    return name == other.name && atoms == other.atoms;
  }
};

struct Comment {
  Offset at = 0;     // of the '#'
  std::string text;  // without the line's end
};

enum class ItemKind : std::uint8_t { kDeclaration, kClause };

// Declarations and clauses in the order of the text.
struct Item {
  ItemKind kind = ItemKind::kClause;
  std::uint32_t index = 0;

  bool operator==(const Item&) const = default;
};

}  // namespace ast

// Ground facts of one predicate, already coded, row after row.
struct FactBlock {
  std::string predicate;
  std::uint32_t arity = 0;
  std::uint64_t rows = 0;
  std::vector<Code> codes;  // rows * arity
  Offset at = 0;            // of the first
};

// One parsed text. When it was parsed with a ValueTable, its ground facts are in `facts`; otherwise
// they are clauses.
struct Unit {
  std::shared_ptr<const Source> source;
  std::optional<ast::PackageMention> package;
  std::vector<ast::PackageMention> uses;
  std::vector<ast::Declaration> declarations;
  std::vector<ast::Clause> clauses;
  std::vector<ast::Item> order;
  std::vector<ast::Comment> comments;
  std::vector<FactBlock> facts;

  // Same program, wherever things stand in the text; comments and coded facts are not compared.
  bool same_program(const Unit& other) const;
};

}  // namespace anima::datalog
