// Any bytes as a conversation, in each of the formats: what is read names its session and itself,
// and is the same when read again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "load/talk.h"

namespace {

using namespace anima;

void check(const Result<load::Talk>& talk) {
  if (!talk) {
    if (talk.error().message.empty()) std::abort();
    return;
  }
  for (const memory::Turn& turn : talk->turns) {
    if (turn.session.empty() || turn.id.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(load::read_talk(bytes, "chat/f"));
  for (const std::string& name : load::talk_format_names()) {
    load::TalkOptions options;
    options.format = load::parse_talk_format(name);
    const auto talk = load::read_talk(bytes, "chat/f", options);
    check(talk);
    const auto again = load::read_talk(bytes, "chat/f", options);
    if (talk.has_value() != again.has_value()) std::abort();
    const auto same = [](const memory::Turn& a, const memory::Turn& b) {
      return a.id == b.id && a.text == b.text && a.session == b.session;
    };
    if (talk && !std::ranges::equal(talk->turns, again->turns, same)) std::abort();
  }
  (void)load::slack_people(bytes);
  return 0;
}
