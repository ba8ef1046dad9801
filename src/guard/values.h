// SessionValues: every value that the tools of a session gave, each with how far it is trusted, who
// may read it and where it stood: texts, numbers, truth values, and the names of members that no
// declaration knows.
//
//   values.add({.call = 12, .tool = "mail:list", .result = result}, declaration);
//   const KnownValue* known = values.find("13");                        // the same value again
//   auto named = values.named("12.mails[0].from");                      // the value itself
//
// A value is known again as a whole, in its normal form (normal_value.h); a part of one never is.
// Where a value stood in several fields, the most trusted of them counts: it is there to be chosen
// from. Most of what one session keeps is 32 MiB of results; of what is beyond, and of one result
// beyond 1 MiB, nothing is known: whoever writes it is taken at his own word, which has the
// session's floor. Thread-safety: one thread at a time. Complexity: of add(), the scalars of the
// result by the fields declared; of find(), O(1). Source: issue "any model", 3.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "govern/rules/tool_declaration.h"
#include "guard/named_rows.h"
#include "guard/result_walk.h"
#include "guard/shared_words.h"

namespace anima::guard {

// Who may read a value, by the normal forms of their names, the owner beside them; null: anyone.
using ReaderSet = std::shared_ptr<const std::set<std::string>>;
// Who may read what was made of both.
ReaderSet readers_of_both(const ReaderSet& a, const ReaderSet& b);

struct KnownValue {
  govern::Trust trust = govern::Trust::kUntrusted;
  bool contact = false;
  ReaderSet readers = {};
  std::int64_t call = 0;  // 0: given by the owner
  std::string tool = {};
  std::string field = {};  // path of the declaration's kind
};

// A scalar of a value, or the name of one of its members, with its place in it.
struct LabelledScalar {
  ScalarPlace at;
  Json value;
  KnownValue label;
};

struct GivenResult {
  std::int64_t call = 0;
  std::string tool;
  Json result;
  // The values that the call was given, by their normal forms: what it gives back of them is
  // trusted no more than they were.
  std::map<std::string, govern::Trust, std::less<>> told = {};
  govern::Trust most = govern::Trust::kSystem;  // nothing of it is trusted more
  LookUp look_up = {};
};

// What whoever sees a whole result has seen.
struct SeenLabel {
  govern::Trust trust = govern::Trust::kSystem;
  ReaderSet readers = {};
};

SeenLabel seen_label(const GivenResult& given, const govern::ToolDeclaration& tool);

class SessionValues {
 public:
  void add(GivenResult given, const govern::ToolDeclaration& tool);
  // Values that the owner gave to be chosen from.
  void add_contact(const Json& value, govern::Trust trust);

  const KnownValue* find(const std::string& normal) const;
  // "12.mails[0].from": the value at that place of what call 12 gave, of any kind. Errors:
  // kNotFound, kSyntax.
  Result<Json> named(std::string_view name) const;
  // Every scalar in it, and the names of members that no declaration knows. The same errors.
  Result<std::vector<LabelledScalar>> scalars_of(std::string_view name) const;
  // Whether the message means the value, for a call of that tool.
  Meant meant(const std::string& normal, std::string_view tool, const OwnerWords& words) const {
    return rows_.meant(normal, tool, words);
  }
  bool row_has(const std::string& normal, const std::vector<std::string>& words) const {
    return rows_.row_has(normal, words);
  }
  // Whether the message calls something else by its whole name (named_rows.h).
  bool named_less(const std::string& normal, const OwnerWords& words) const {
    return rows_.named_less(normal, words);
  }
  // Whether a call that was given the value read something; and whether one of the words stands in
  // that. Complexity: linear in what is kept of such calls.
  bool was_read(const std::string& normal) const;
  bool read_with(const std::string& normal, const std::vector<std::string>& words) const;
  // Of what is trusted, by who may read it.
  const SharedWords& shared() const { return shared_; }
  std::size_t size() const { return known_.size(); }

 private:
  struct Kept {
    GivenResult given;
    govern::ToolDeclaration tool;
    std::size_t bytes = 0;
  };
  struct Named {
    const Kept* kept = nullptr;
    const Json* value = nullptr;
    govern::Place place;
    std::vector<std::size_t> items;
  };
  Result<Named> find_named(std::string_view name) const;

  std::unordered_map<std::string, KnownValue> known_;
  NamedRows rows_;
  SharedWords shared_;
  std::deque<Kept> kept_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace anima::guard
