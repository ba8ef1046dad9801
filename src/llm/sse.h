// Server-sent events: a stream of bytes read into events, in whatever pieces the bytes come.
//
// Lines end with LF, CR or CRLF; a byte order mark at the start is left out; comments and unknown
// fields are ignored; an event that the stream's end cuts off is no event. Memory is bounded: an
// event of more than `max_event_bytes` is an error. The same bytes give the same events however
// they are cut. Thread-safety: a parser belongs to one thread. Complexity: O(bytes). Source: WHATWG
// HTML, 9.2.6 "Interpreting an event stream".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace anima::llm {

struct SseEvent {
  std::string type;  // "message" when the stream names none
  std::string data;  // lines joined by LF
  std::string id;    // the last one that the stream named
};

class SseParser {
 public:
  explicit SseParser(std::size_t max_event_bytes = std::size_t{8} << 20)
      : max_event_bytes_(max_event_bytes) {}

  using Take = std::function<Status(const SseEvent&)>;
  // Calls `take` for each event that ends in these bytes. Errors: kLimitExceeded; those of `take`,
  // which end the reading.
  Status feed(std::string_view bytes, const Take& take);

 private:
  Status end_line(const Take& take);
  void take_field(std::string_view name, std::string_view value);

  std::size_t max_event_bytes_;
  std::string line_;
  std::string type_;
  std::string data_;
  std::string id_;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_return_ = false;  // the last byte was a CR, which has ended its line
};

}  // namespace anima::llm
