// The key of a provider: read from the environment or from a file that nobody else may read, and
// shown to nobody.
//
// A Secret has no way into a text but reveal(), which only the transport calls
// (detail/curl_transport.cc). What a server sends back goes through a KeyScrubber, so that a key
// that it repeats reaches no log, no error and no answer. Thread-safety: plain values; a
// KeyScrubber belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/config.h"
#include "base/files/file.h"
#include "base/result.h"

namespace anima::llm {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  bool empty() const { return text_.empty(); }
  // True when the text holds the key, also where JSON escapes spell it.
  bool is_in(std::string_view text) const;
  const std::string& reveal() const { return text_; }

 private:
  std::string text_;
};

struct KeySource {
  enum class Kind : std::uint8_t { kNone, kEnvironment, kFile };
  Kind kind = Kind::kNone;
  std::string name;  // of the variable, or the path

  // "the variable OPENAI_API_KEY", "the file /etc/key", "no key".
  std::string describe() const;
};

// Errors: kNotFound (no such variable or file), kDenied (others may read the file),
// kInvalidArgument (blanks or control characters inside, longer than 8 kB). No error holds a byte
// of the key.
Result<Secret> read_key(const KeySource& source, const Environment& environment, FileSystem& files);

inline constexpr std::string_view kScrubbed = "[key removed]";

// Takes the key out of bytes that come in pieces, also where JSON escapes spell it. Between two
// pieces it holds back only what may be the beginning of the key. O(bytes) for keys that do not
// repeat themselves.
class KeyScrubber {
 public:
  explicit KeyScrubber(const Secret* secret) : secret_(secret) {}  // null: nothing is taken out
  std::string feed(std::string_view bytes);
  std::string finish();  // what was held back

 private:
  const Secret* secret_;
  std::string held_;
};
std::string scrub(std::string_view text, const Secret* secret);

// What looks like a provider's key (sk-.., sk-ant-.., gsk_.., AIza..) is taken out: for messages of
// servers, which repeat keys in part.
std::string scrub_key_shapes(std::string_view text);

}  // namespace anima::llm
