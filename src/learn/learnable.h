// LearnableTable: what may be learnt, as data: predicates with the types of their arguments.
//
//   ANIMA_ASSIGN(LearnableTable table, LearnableTable::shipped());   // packs/learn/learnable.mg
//   ANIMA_TRY(table.extend(text, "learn/mine.mg"));                  // what the owner configured
//
// A file holds facts of three forms and nothing else: learnable(/p, 2, [/string, /int]),
// learnable_only_in(/p, /shard), learnable_alias(/other, /p). A learning never adds to the table.
// Thread-safety: a plain value. Source: learning_and_psyche 1.6; source document 003, 11.1.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::learn {

enum class ArgumentType : std::uint8_t {
  kString,
  kName,  // a Mangle name, "/go"
  kInteger,
  kFloat,
  kLanguageTopic,  // a string "language:topic"
};
std::string_view to_string(ArgumentType type);  // "/string", "/name" ..

struct Learnable {
  std::string predicate;
  std::vector<ArgumentType> arguments;
  std::string only_in;  // the one shard that takes it; empty: any
};

inline constexpr std::size_t kMaxArguments = 8;

// "coder", "user_2": [a-z][a-z0-9_]{0,31}. What else would be put into a path is no shard.
bool is_shard_name(std::string_view name);

class LearnableTable {
 public:
  static Result<LearnableTable> shipped();
  // Errors: kSyntax and kInvalidArgument with the place; kAlreadyExists for a predicate that is
  // there with other types.
  Status extend(std::string_view facts, const std::string& name);

  // By its name or an alias; null: it is not to be learnt.
  const Learnable* find(std::string_view predicate) const;
  std::vector<const Learnable*> all() const;  // sorted by name

 private:
  std::map<std::string, Learnable, std::less<>> rows_;
  std::map<std::string, std::string, std::less<>> aliases_;
};

// Why arguments are not those of the declaration; empty: they are. Text is not judged here.
std::string wrong_arguments(const Learnable& declared, const Json& arguments);
// The arguments in the one form that they are compared and stored in: no blanks, numbers in their
// shortest form, an integer that was written 1.0 as 1. Requires that nothing is wrong with them.
Json canonical_arguments(const Learnable& declared, const Json& arguments);

}  // namespace anima::learn
