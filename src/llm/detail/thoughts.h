// The thoughts that models of reasoning write into their text, where a server leaves them there:
// <think>..</think> before the answer. They are no part of it: neither shown, kept nor sent again.
//
// Only what the text begins with is a thought, so that an answer may speak of these tags. Some
// servers open the thought in the prompt: then a line that is the closing tag alone ends it.
// Thread-safety: plain values. Complexity: O(text). Source: the chat templates of DeepSeek-R1,
// Qwen3, Granite, Seed and Magistral.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anima::llm::detail {

// For a text that comes in pieces.
class ThoughtFilter {
 public:
  // What of the text so far is certain to be the answer, and new.
  std::string feed(std::string_view piece);
  std::string finish();
  // Whether all that was given out before the last feed() was a thought that nobody had opened.
  bool takes_back() const { return takes_back_; }

 private:
  enum class State : std::uint8_t { kBegin, kThought, kAnswer };
  void begin();
  void think();
  void answer();

  State state_ = State::kBegin;
  std::string_view closing_;  // of the thought
  std::string waiting_;       // not decided yet
  std::string answer_;        // given out before, for the thought that nobody opened
  std::string out_;
  bool thought_ = false;  // there was one
  bool takes_back_ = false;
};

std::string without_thoughts(std::string_view text);

}  // namespace anima::llm::detail
