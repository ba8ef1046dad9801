#include "serve/message_id.h"

#include <utility>

namespace anima::serve {

void MessageId::feed(std::string_view bytes) {
  for (const char c : bytes) in_text_ ? in_text(c) : outside(c);
}

void MessageId::keep(char c) {
  if (depth_ == 1 && (name_ || value_) && kept_.size() <= kLongest) kept_.push_back(c);
}

void MessageId::in_text(char c) {
  keep(c);
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_text_ = false;
  }
}

void MessageId::outside(char c) {
  switch (c) {
    case '"':
      in_text_ = true;
      return keep(c);
    case '{':
    case '[':
      if (depth_ == 1) value_ = false;
      if (++depth_ == 1) name_ = c == '{';
      return;
    case '}':
    case ']':
      if (depth_ == 1) end_of_member();
      if (depth_ > 0) --depth_;
      return;
    case ':':
      if (depth_ != 1 || !std::exchange(name_, false)) return;
      value_ = kept_ == "\"id\"";
      kept_.clear();
      return;
    case ',':
      if (depth_ != 1) return;
      end_of_member();
      name_ = true;
      return;
    default:
      if (value_) keep(c);
  }
}

void MessageId::end_of_member() {
  if (std::exchange(value_, false) && kept_.size() <= kLongest) {
    const auto read = parse_json(kept_);
    if (read && (read->is_string() || read->is_number())) id_ = *read;
  }
  kept_.clear();
}

}  // namespace anima::serve
