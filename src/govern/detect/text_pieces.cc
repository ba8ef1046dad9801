#include "govern/detect/text_pieces.h"

#include <algorithm>

#include "base/text/text.h"

namespace anima::govern {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool ends_chunk(char c) {
  constexpr std::string_view kEnds = "\"'`()<>[]{},;|=";
  return static_cast<unsigned char>(c) <= ' ' || kEnds.find(c) != std::string_view::npos;
}

// Marks that end a sentence stand behind an address, not in it.
std::string_view without_end_marks(std::string_view chunk) {
  constexpr std::string_view kMarks = ".:!?";
  while (!chunk.empty() && kMarks.find(chunk.back()) != std::string_view::npos)
    chunk.remove_suffix(1);
  return chunk;
}

// What emphasis and lists put around it.
std::string_view without_marks(std::string_view chunk) {
  const auto is_mark = [](char c) { return !is_letter_or_digit(c) && c != '/' && c != '+'; };
  while (!chunk.empty() && is_mark(chunk.front())) chunk.remove_prefix(1);
  while (!chunk.empty() && is_mark(chunk.back())) chunk.remove_suffix(1);
  return chunk;
}

bool is_address(std::string_view chunk) {
  if (chunk.size() < kShortestAddress) return false;
  const bool names = std::ranges::any_of(chunk, is_letter_or_digit);
  return names && std::ranges::any_of(chunk, [](char c) {
           return !is_letter_or_digit(c) || (c >= '0' && c <= '9');
         });
}

}  // namespace

std::vector<std::string_view> addresses_in(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    if (ends_chunk(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !ends_chunk(text[at])) ++at;
    const std::string_view chunk = without_end_marks(text.substr(begin, at - begin));
    if (!is_address(chunk)) continue;
    found.push_back(chunk);
    const std::string_view inner = without_marks(chunk);
    if (inner != chunk && is_address(inner)) found.push_back(inner);
    const std::string_view behind = without_marks(inner.substr(inner.rfind(':') + 1));
    if (behind != inner && is_address(behind)) found.push_back(behind);
  }
  return found;
}

std::vector<std::string> numbers_in(std::string_view text) {
  constexpr std::size_t kFewest = 6;
  constexpr std::string_view kBetween = " \t().-/";
  std::vector<std::string> found;
  std::string digits;
  const auto keep = [&] {
    if (digits.size() >= kFewest)
      found.push_back(digits.substr(digits.size() - std::min(digits.size(), kDigitsOfANumber)));
    digits.clear();
  };
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (kBetween.find(c) == std::string_view::npos) {
      keep();
    }
  }
  keep();
  return found;
}

std::vector<std::string_view> recipients_in(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n,;"), text.size());
    std::string_view one = trim(text.substr(0, end));
    for (const std::string_view sign : {"- ", "* ", "\u2022 "}) {
      if (one.starts_with(sign)) one = trim(one.substr(sign.size()));
    }
    if (!one.empty()) found.push_back(one);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::vector<std::string_view> phrases_in(std::string_view text, std::size_t words) {
  std::vector<std::string_view> found;
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter_or_digit(text[at])) {
      ++at;
      continue;
    }
    begins.push_back(at);
    while (at < text.size() && is_letter_or_digit(text[at])) ++at;
    if (begins.size() < words) continue;
    const std::size_t begin = begins[begins.size() - words];
    found.push_back(text.substr(begin, at - begin));
  }
  return found;
}

}  // namespace anima::govern
