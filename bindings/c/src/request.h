// A request as a caller of C gives it: the members of a JSON object, each asked for by its name and
// kind. What is wrong is kept until checked(), so that a call reads all of its members first.
// Thread-safety: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anima/memory.h"
#include "handles.h"

namespace anima::c {

class Request {
 public:
  explicit Request(const char* text);  // null: no members

  std::string text(std::string_view name);  // must be there
  std::string text_or(std::string_view name, std::string_view otherwise = {});
  std::optional<std::string> text_if_any(std::string_view name);
  std::vector<std::string> texts(std::string_view name);  // a text, or an array of them
  bool flag(std::string_view name, bool otherwise = false);
  std::uint64_t count(std::string_view name);  // a whole number from 0 on; must be there
  std::uint64_t count_or(std::string_view name, std::uint64_t otherwise);
  Json json(std::string_view name);  // any value; null when it is not there
  Json object(std::string_view name);
  TrustLevel trust_or(std::string_view name, TrustLevel otherwise);
  // The member "author", an object; what it leaves out is as `otherwise` has it.
  Author author_or(const Author& otherwise);
  // The member "as_of": an entry's number or a text; empty: now.
  std::string as_of();
  // The member "timeout", seconds, and the stop of the call.
  CallLimits limits(const anima_stop* stop);
  bool has(std::string_view name) const { return members_.find(name) != nullptr; }

  // Errors: kSyntax (no JSON), kInvalidArgument (a member that is missing, of another kind, or that
  // nobody asked for).
  Status checked() const;

 private:
  const Json* find(std::string_view name);
  void wrong(std::string message, std::string hint = {});
  void require(std::string_view name);

  Json members_ = Json::object();
  std::vector<std::string> known_;
  Status first_;
  std::string missing_;  // the first of those that have to be there; a misspelt one is told before
};

}  // namespace anima::c
