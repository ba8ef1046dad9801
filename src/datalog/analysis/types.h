// Types of Mangle: what a declaration's bounds say, and what the analysis infers.
//
// A type is a set of values. conforms() decides membership exactly. disjoint() and subtype() answer
// true only when it is proven, so an error that rests on disjoint() never rejects a valid program,
// and a check that is left out because of subtype() is never missed. Thread-safety: immutable
// values. types.cc makes types, type_relations.cc compares them, type_syntax.cc reads and writes
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datalog/ast.h"
#include "datalog/value.h"

namespace anima::datalog {

enum class TypeKind : std::uint8_t {
  kAny,
  kNothing,
  kName,       // all names
  kPrefix,     // names strictly under `text`
  kSingleton,  // the value `code`
  kNumber,
  kFloat,
  kString,
  kBytes,
  kTime,
  kDuration,
  kPair,    // arguments: first, second
  kList,    // arguments: element
  kMap,     // arguments: key, value
  kStruct,  // fields
  kUnion,   // arguments: alternatives
};

struct Type;

struct TypeField {
  std::string label;
  bool optional = false;
  std::shared_ptr<const Type> type;
};

struct Type {
  TypeKind kind = TypeKind::kAny;
  std::string text;
  Code code = 0;
  ValueKind value_kind = ValueKind::kName;  // kSingleton
  std::vector<std::shared_ptr<const Type>> arguments;
  std::vector<TypeField> fields;
};

using TypePtr = std::shared_ptr<const Type>;

namespace detail {

TypePtr make_type(TypeKind kind, std::vector<TypePtr> arguments = {});
// Nested pairs; requires at least one type.
TypePtr tuple_type(const std::vector<TypePtr>& types);
TypePtr any_type();
TypePtr nothing_type();
TypePtr numeric_type();                     // number or float64
TypePtr letter_type(char letter);           // signatures.h
std::string_view letter_text(char letter);  // the same with its article, for a message
TypePtr kind_type(ValueKind kind);          // the largest type of values of this kind
TypePtr type_of(const ValueTable& values, Code code, int depth = 3);

struct TypeError {
  Offset at = 0;
  std::string message;
  std::string hint;
};
// A bound as written; null with `error` set when it is no type.
TypePtr read_type(const ast::Term& term, ValueTable& values, TypeError& error);

// `closed`: a struct value must not have fields that the type does not name.
bool conforms(const ValueTable& values, Code code, const Type& type, bool closed);
bool disjoint(const Type& a, const Type& b);
bool subtype(const Type& a, const Type& b);
TypePtr meet(const TypePtr& a, const TypePtr& b);  // a superset of the common values
TypePtr join(const TypePtr& a, const TypePtr& b);  // a superset of both
TypePtr widen(const TypePtr& type, int depth);     // a superset of bounded depth

std::string type_text(const Type& type, const ValueTable& values);

}  // namespace detail
}  // namespace anima::datalog
