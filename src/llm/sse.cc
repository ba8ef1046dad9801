#include "llm/sse.h"

#include <fmt/format.h>

#include "base/text/byte_order_mark.h"

namespace anima::llm {

Status SseParser::feed(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (line_.size() + data_.size() + piece.size() > max_event_bytes_) {
      return fail(ErrorCode::kLimitExceeded,
                  fmt::format("an event of the stream is longer than {} bytes", max_event_bytes_));
    }
    line_ += piece;
    if (end == std::string_view::npos) return {};
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    ANIMA_TRY(end_line(take));
  }
  return {};
}

Status SseParser::end_line(const Take& take) {
  std::string_view line = line_;
  if (first_line_) line = without_byte_order_mark(line);
  first_line_ = false;
  if (!line.empty()) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      take_field(line, {});
    } else if (colon > 0) {
      std::string_view value = line.substr(colon + 1);
      if (value.starts_with(' ')) value.remove_prefix(1);
      take_field(line.substr(0, colon), value);
    }
    line_.clear();
    return {};
  }
  line_.clear();
  const bool whole = has_data_;
  SseEvent event{type_.empty() ? "message" : std::move(type_), std::move(data_), id_};
  type_.clear();
  data_.clear();
  has_data_ = false;
  return whole ? take(event) : Status();
}

void SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  }
}

}  // namespace anima::llm
