// Companion: what the functions of SPARQL keep during one run: regular expressions that were
// compiled, how many nodes were made, and what propositions are called. Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/values.h"
#include "sparql/proposition_names.h"
#include "sparql/value/regex.h"

namespace anima::sparql::value {

class Companion final : public query::Companion {
 public:
  // Null: no regular expression, or one that asks for too much.
  const Regex* regex(std::string_view pattern, std::string_view flags);
  std::uint64_t next_number() { return ++numbers_; }
  PropositionFinder& propositions() { return propositions_; }

 private:
  struct Known {
    std::string pattern, flags;
    std::unique_ptr<Regex> regex;
  };
  static constexpr std::size_t kMostRegexes = 64;
  std::vector<Known> regexes_;
  std::size_t last_regex_ = 0;
  std::uint64_t numbers_ = 0;
  PropositionFinder propositions_;
};

// Made when first asked for.
Companion& companion_of(query::Values& values);

}  // namespace anima::sparql::value
