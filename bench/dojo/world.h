// World: the state that the tools of a domain read and change, and the small interpreter of what a
// tool does (README.md, "What it does"). So an effect is real: two worlds can be compared.
// Thread-safety: a plain value. Complexity: of a step, the rows of its table.
#pragma once

#include <string_view>

#include "base/json/json.h"
#include "base/result.h"

namespace anima::dojo {

class World {
 public:
  explicit World(Json state) : state_(std::move(state)) {}

  // Does the steps `does` for the arguments of a call, and gives the result. Nothing is changed
  // when one of them fails. Errors: kNotFound (no such table, no row that fits), kInvalidArgument
  // (a step that there is not).
  Result<Json> act(const Json& does, const Json& arguments);

  const Json& state() const { return state_; }
  Json& state() { return state_; }

 private:
  Json state_;
};

}  // namespace anima::dojo
