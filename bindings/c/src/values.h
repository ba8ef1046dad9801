// What the library answers with, as JSON: the members have the names of its structs, trust is a
// word, and a table has "columns" and "rows". Thread-safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../members.h"
#include "base/json/text_array.h"

namespace anima::c {

Json json_of(const Rows& rows);
Json json_of(const QuestionAnswer& answer);

template <typename Value>
Json json_of(const Value& value);
template <typename Value>
Json json_of(const std::vector<Value>& values);

// Takes the members of a value one by one.
class Object {
 public:
  void operator()(const char* name, TrustLevel level) {
    json_.set(name, std::string(to_string(level)));
  }
  void operator()(const char* name, const std::vector<std::string>& texts) {
    json_.set(name, text_array(texts));
  }
  template <typename Value>
  void operator()(const char* name, const std::vector<Value>& values) {
    json_.set(name, json_of(values));
  }
  template <typename Member>
  void operator()(const char* name, const Member& member) {
    if constexpr (std::is_same_v<Member, std::size_t>)
      json_.set(name, static_cast<std::uint64_t>(member));
    else
      json_.set(name, member);
  }
  Json take() { return std::move(json_); }

 private:
  Json json_ = Json::object();
};

// Of a value whose members bindings/members.h lists.
template <typename Value>
Json json_of(const Value& value) {
  Object object;
  bindings::members_of(value, object);
  return object.take();
}

template <typename Value>
Json json_of(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(json_of(value));
  return list;
}

}  // namespace anima::c
