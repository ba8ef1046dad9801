// MessageId: the id of a JSON-RPC message of which no more is kept: its bytes go by in pieces.
//
// Invariant: at most kLongest bytes are held. Thread-safety: belongs to one thread. Errors: of what
// is no JSON, or whose id is longer, there is no id. Complexity: O(bytes).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"

namespace anima::serve {

class MessageId {
 public:
  void feed(std::string_view bytes);
  // The member `id` of the object that has gone by, when it is a text or a number.
  const std::optional<Json>& id() const { return id_; }

 private:
  static constexpr std::size_t kLongest = 512;
  void in_text(char c);
  void outside(char c);
  void keep(char c);
  void end_of_member();

  std::optional<Json> id_;
  std::string kept_;  // of the name or the value that is being read
  std::size_t depth_ = 0;
  bool in_text_ = false, escaped_ = false;
  bool name_ = false;   // the next text of the object is a name
  bool value_ = false;  // the value of `id` is being read
};

}  // namespace anima::serve
