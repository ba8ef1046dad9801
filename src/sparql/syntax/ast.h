// What a SPARQL 1.1 text says, as a tree of plain values.
//
// The parser has already resolved prefixes and relative IRIs, decoded escapes, and written out what
// the grammar abbreviates: collections and blank node property lists are triples, `a` is rdf:type,
// `;` and `,` are gone, numbers and booleans are typed literals. Blank nodes of one request have
// labels that no other blank node of it has; in patterns they are variables that cannot be
// selected. Every list stands in the order of the text. Ownership: a tree owns all its parts.
// Thread-safety: plain values.
// Source: SPARQL 1.1 Query Language, section 19; SPARQL 1.1 Update, section 3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace anima::sparql::ast {

// Where something begins, counted from 1; columns count code points. 0: nowhere.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Term {
  enum class Kind : std::uint8_t { kVariable, kIri, kBlank, kString, kLanguageString, kTyped };
  Kind kind = Kind::kIri;
  std::string text;   // name without "?", IRI, label without "_:", or lexical form
  std::string extra;  // language tag as written, or datatype IRI

  bool operator==(const Term&) const = default;
  bool is_variable() const { return kind == Kind::kVariable; }
  bool is_literal() const { return kind >= Kind::kString; }
};

// A property path. A predicate that is one IRI is a path of kind kIri.
struct Path {
  enum class Kind : std::uint8_t {
    kIri,
    kInverse,      // one part
    kSequence,     // two parts or more
    kAlternative,  // two parts or more
    kZeroOrMore,   // one part
    kOneOrMore,    // one part
    kZeroOrOne,    // one part
    kNegated,      // none of `forward`, or none of `backward` seen from the other end
  };
  Kind kind = Kind::kIri;
  std::string iri;
  std::vector<Path> parts;
  // Of kNegated. `!(^a)` looks at backward edges alone, `!()` at forward ones.
  std::vector<std::string> forward, backward;
};

struct TriplePattern {
  Term subject;
  std::variant<Term, Path> predicate;  // a Term is a variable
  Term object;
  Place place;
};

struct GroupPattern;

struct Expression {
  enum class Kind : std::uint8_t {
    kTerm,  // variable, IRI or literal
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kGreater,
    kLessOrEqual,
    kGreaterOrEqual,
    kIn,  // the first argument in the others
    kNotIn,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPlus,       // unary
    kMinus,      // unary
    kBuiltIn,    // name: upper case, as in the grammar ("STRLEN", "ENCODE_FOR_URI", "ISIRI")
    kFunction,   // name: IRI of a function or a cast
    kExists,     // pattern
    kNotExists,  // pattern
    kAggregate,  // name: COUNT, SUM, MIN, MAX, AVG, SAMPLE, GROUP_CONCAT
  };
  Kind kind = Kind::kTerm;
  Term term;
  std::string name;
  std::vector<Expression> arguments;  // of COUNT(*): none
  bool distinct = false;              // of aggregates and of calls of functions
  std::string separator = " ";        // of GROUP_CONCAT
  // Shared because expressions are copied where the algebra needs them twice; never changed.
  std::shared_ptr<const GroupPattern> pattern;
  Place place;
};

// VALUES: one row a solution; nullopt is UNDEF.
struct InlineData {
  std::vector<std::string> variables;
  std::vector<std::vector<std::optional<Term>>> rows;
};

struct Query;

// One part of a group graph pattern.
struct Element {
  enum class Kind : std::uint8_t {
    kTriples,    // a run of triples and paths
    kFilter,     // expression
    kBind,       // expression, variable
    kOptional,   // groups[0]
    kMinus,      // groups[0]
    kUnion,      // groups; a single one is a group within the group
    kGraph,      // name, groups[0]
    kService,    // name, silent, groups[0]
    kValues,     // data
    kSubSelect,  // query
  };
  Kind kind = Kind::kTriples;
  std::vector<TriplePattern> triples;
  std::optional<Expression> expression;
  std::string variable;
  std::vector<GroupPattern> groups;
  Term name;
  bool silent = false;
  InlineData data;
  std::shared_ptr<const Query> query;
  Place place;
};

struct GroupPattern {
  std::vector<Element> elements;
};

struct Projection {
  std::string variable;
  std::optional<Expression> expression;  // (expression AS variable)
};

struct GroupKey {
  Expression expression;
  std::string variable;  // empty where none is named
};

struct OrderKey {
  Expression expression;
  bool descending = false;
};

struct Dataset {
  std::vector<std::string> default_graphs, named_graphs;  // FROM, FROM NAMED
  bool empty() const { return default_graphs.empty() && named_graphs.empty(); }
};

// A query, or a sub-select of one.
struct Query {
  enum class Form : std::uint8_t { kSelect, kAsk, kConstruct, kDescribe };
  Form form = Form::kSelect;
  std::string base;  // that IRIs made at run time are resolved against
  bool distinct = false;
  bool reduced = false;
  bool star = false;  // SELECT * or DESCRIBE *; `projection` holds the variables for SELECT
  std::vector<Projection> projection;    // kSelect
  std::vector<TriplePattern> construct;  // kConstruct; predicates are terms or single IRIs
  std::vector<Term> describe;            // kDescribe
  Dataset dataset;
  bool has_where = true;  // false: DESCRIBE <iri> alone
  GroupPattern where;
  std::vector<GroupKey> group_by;
  std::vector<Expression> having;
  std::vector<OrderKey> order_by;
  std::optional<std::uint64_t> limit;
  std::uint64_t offset = 0;
  std::optional<InlineData> values;  // behind the query
  // Whether the query groups: it has GROUP BY, HAVING, or an aggregate in what it selects or orders
  // by.
  bool grouped = false;
};

// A triple of an update, in the named graph or, without one, the default graph.
struct Quad {
  std::optional<Term> graph;  // IRI or variable
  TriplePattern triple;
};

// What CLEAR, DROP, COPY, MOVE and ADD are about.
struct GraphTarget {
  enum class Kind : std::uint8_t { kGraph, kDefault, kNamed, kAll };
  Kind kind = Kind::kDefault;
  std::string iri;
};

struct Operation {
  enum class Kind : std::uint8_t {
    kInsertData,
    kDeleteData,
    kModify,  // DELETE/INSERT .. WHERE, and DELETE WHERE
    kLoad,
    kClear,
    kDrop,
    kCreate,
    kAdd,
    kMove,
    kCopy,
  };
  Kind kind = Kind::kInsertData;
  Place place;
  std::string base;
  bool silent = false;
  std::vector<Quad> deletes, inserts;  // templates or data
  std::optional<std::string> with;
  Dataset usings;  // USING, USING NAMED
  GroupPattern where;
  std::string document;        // of LOAD
  GraphTarget source, target;  // LOAD, CLEAR, DROP, CREATE: target
};

struct Update {
  std::vector<Operation> operations;
};

}  // namespace anima::sparql::ast
