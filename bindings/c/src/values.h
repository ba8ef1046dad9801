// What the library answers with, as JSON: the members have the names of its structs, trust is a
// word, and a table has "columns" and "rows". Thread-safety: pure.
#pragma once

#include <vector>

#include "anima/agent.h"

namespace anima::c {

Json json_of(const Rows& rows);
Json json_of(const QuestionAnswer& answer);
Json json_of(const Commit& commit);
Json json_of(const Hit& hit);
Json json_of(const Proof& proof);
Json json_of(const CallResult& result);
Json json_of(const Response& response);
Json json_of(const ApprovalRequest& request);
Json json_of(const Context& context);
Json json_of(const Remembered& remembered);
Json json_of(const OpenQuestion& question);
Json json_of(const RememberedText& text);

template <typename T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

}  // namespace anima::c
