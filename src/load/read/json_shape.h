// What the objects of a JSON file look like: the members that they have, which of these are objects
// or arrays of objects themselves, and which member tells those apart.
// Thread-safety: one thread. O(members) an object.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "load/read/hash_set.h"
#include "load/read/table.h"

namespace anima::load {

class JsonShape {
 public:
  JsonShape(std::string member, JsonShape* parent) : member_(std::move(member)), parent_(parent) {}

  void add(const Json& object);
  // Once all objects were added: keys are chosen. Objects whose members are data, not columns
  // (many names, few of them in each; or all of them objects), become values as they are.
  void finish();

  const std::string& member() const { return member_; }  // of the parent's
  const std::vector<std::string>& columns() const { return columns_; }
  // The shape of a member that is an object, or null.
  const JsonShape* child(std::string_view column) const;
  std::vector<const JsonShape*> children() const;  // in the order of their columns
  const std::string& key() const { return key_; }  // empty: none, they are `called`

  // What an object is called where it has no key: for the names of what is inside it.
  std::string label(const Json& object, const std::string& otherwise) const;

 private:
  struct Candidate {
    std::uint64_t count = 0;
    HashSet64 seen;
  };

  std::string member_;
  JsonShape* parent_;
  bool is_dictionary() const;

  std::uint64_t objects_ = 0;
  std::uint64_t members_ = 0;  // of all objects
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<std::string, std::unique_ptr<JsonShape>, std::less<>> children_;
  std::map<std::string, Candidate, std::less<>> candidates_;
  std::string key_, label_;
};

// A row of a shape, from an object; texts are views of the object or live in `own`.
void fill_json_row(const JsonShape& shape, const Json& object, const std::string& called, Row& row,
                   std::deque<std::string>& own);

// Each object of a shape inside one of its outermost, with what it is called.
struct CalledObject {
  const Json* object = nullptr;
  std::string called;
};
void objects_of(const JsonShape& from, const JsonShape& wanted, const Json& object,
                const std::string& called, std::vector<CalledObject>& out);

inline constexpr std::string_view kCalledColumn = "called";

}  // namespace anima::load
