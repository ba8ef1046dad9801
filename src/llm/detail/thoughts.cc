#include "llm/detail/thoughts.h"

#include <algorithm>
#include <utility>

namespace anima::llm::detail {
namespace {

struct Tags {
  std::string_view open, close;
};
constexpr Tags kTags[] = {{"<think>", "</think>"},
                          {"<thinking>", "</thinking>"},
                          {"<seed:think>", "</seed:think>"},
                          {"[THINK]", "[/THINK]"}};
constexpr std::size_t kLongestTag = 16;
constexpr std::string_view kBlanks = " \t\r\n";

void drop_leading_blanks(std::string& text) {
  text.erase(0, std::min(text.find_first_not_of(kBlanks), text.size()));
}

// Behind the line that is a closing tag alone, where no thought was opened before; npos: none.
std::size_t end_of_unopened(std::string_view text, std::size_t from) {
  for (const Tags& tags : kTags) {
    std::size_t at = from;
    while ((at = text.find(tags.close, at)) != std::string_view::npos) {
      const std::size_t end = at + tags.close.size();
      const bool alone = at > 0 && text[at - 1] == '\n' && end < text.size() && text[end] == '\n';
      if (alone && text.substr(0, at).find(tags.open) == std::string_view::npos) return end;
      at = end;
    }
  }
  return std::string_view::npos;
}

}  // namespace

void ThoughtFilter::begin() {
  const std::size_t first = waiting_.find_first_not_of(kBlanks);
  if (first == std::string::npos) return;
  const std::string_view text = std::string_view(waiting_).substr(first);
  for (const Tags& tags : kTags) {
    if (text.starts_with(tags.open)) {
      waiting_.erase(0, first + tags.open.size());
      closing_ = tags.close;
      state_ = State::kThought;
      thought_ = true;
      return think();
    }
    if (tags.open.starts_with(text)) return;  // more of it may come
  }
  if (thought_) drop_leading_blanks(waiting_);
  state_ = State::kAnswer;
  answer();
}

void ThoughtFilter::think() {
  const std::size_t end = waiting_.find(closing_);
  if (end == std::string::npos) {
    if (waiting_.size() > kLongestTag) waiting_.erase(0, waiting_.size() - kLongestTag);
    return;
  }
  waiting_.erase(0, end + closing_.size());
  state_ = State::kBegin;
  begin();
}

void ThoughtFilter::answer() {
  const std::size_t before = answer_.size();
  answer_ += std::exchange(waiting_, {});
  const std::size_t end = thought_
                              ? std::string::npos
                              : end_of_unopened(answer_, before - std::min(before, kLongestTag));
  if (end == std::string::npos) {
    out_ += std::string_view(answer_).substr(before);
    return;
  }
  takes_back_ = true;
  thought_ = true;
  waiting_ = answer_.substr(end);
  answer_.clear();
  out_.clear();
  state_ = State::kBegin;
  begin();
}

std::string ThoughtFilter::feed(std::string_view piece) {
  takes_back_ = false;
  waiting_ += piece;
  if (state_ == State::kBegin) {
    begin();
  } else if (state_ == State::kThought) {
    think();
  } else {
    answer();
  }
  return std::exchange(out_, {});
}

std::string ThoughtFilter::finish() {
  std::string rest = std::exchange(waiting_, {});
  if (state_ == State::kThought) return {};
  if (thought_) drop_leading_blanks(rest);
  return rest;
}

std::string without_thoughts(std::string_view text) {
  ThoughtFilter filter;
  std::string answer = filter.feed(text);
  return answer + filter.finish();
}

}  // namespace anima::llm::detail
