// A client of server-sent events: opens a stream, and reads it event by event.
#pragma once

#include <string>
#include <string_view>

#include "support/http_client.h"

namespace anima::test {

struct StreamEvent {
  std::string id, name, data;
};

class EventStream {
 public:
  EventStream(std::uint16_t port, std::string_view request) : client_(port) {
    client_.send(request);
    head_ = client_.receive_head();
  }
  const HttpAnswer& head() const { return head_; }
  // Nothing of an event: the stream ended (`ended`), or twenty seconds passed.
  StreamEvent next() {
    while (true) {
      const std::size_t end = text_.find("\n\n");
      if (end == std::string::npos) {
        if (!client_.receive_chunk(text_)) {
          ended_ = true;
          return {};
        }
        continue;
      }
      StreamEvent event = parsed(text_.substr(0, end + 1));
      text_.erase(0, end + 2);
      if (!event.data.empty()) return event;
    }
  }
  bool ended() const { return ended_; }

 private:
  static StreamEvent parsed(std::string_view block) {
    StreamEvent event;
    while (!block.empty()) {
      const std::size_t end = block.find('\n');
      const std::string_view line = block.substr(0, end);
      block.remove_prefix(end + 1);
      if (line.starts_with("id: ")) event.id = line.substr(4);
      if (line.starts_with("event: ")) event.name = line.substr(7);
      if (line.starts_with("data: ")) event.data = line.substr(6);
    }
    return event;
  }

  HttpClient client_;
  HttpAnswer head_;
  std::string text_;
  bool ended_ = false;
};

}  // namespace anima::test
