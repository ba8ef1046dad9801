#include "memory/recalled_texts.h"

#include <optional>

#include "base/bytes.h"
#include "base/text.h"
#include "govern/text_pieces.h"

namespace anima::memory {
namespace {

constexpr std::size_t kPhraseWords = 4;

// What stands between words, and case, are no difference.
std::uint64_t key_of(std::string_view piece) {
  std::string key;
  bool gap = false;
  for (const char c : to_lower(piece)) {
    const bool space = static_cast<unsigned char>(c) <= ' ';
    if (gap && !space) key.push_back(' ');
    if (!space) key.push_back(c);
    gap = space;
  }
  return checksum64(key);
}

// Words alone, one blank between each.
std::uint64_t phrase_key(std::string_view phrase) {
  std::string words(phrase);
  for (char& c : words) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (!letter) c = ' ';
  }
  return key_of(words);
}

template <typename Visit>
void visit_pieces(std::string_view text, const Visit& visit) {
  for (const std::string_view address : govern::addresses_in(text)) visit(key_of(address));
  for (const std::string_view phrase : govern::phrases_in(text, kPhraseWords))
    visit(phrase_key(phrase));
}

}  // namespace

void RecalledTexts::add(std::string_view text, govern::Trust trust, std::string_view source) {
  // What was recalled before leaves nothing new behind, however often it comes.
  std::optional<std::uint32_t> number;
  const auto piece = [&] {
    if (!number) {
      number = static_cast<std::uint32_t>(sources_.size());
      sources_.emplace_back(source);
    }
    return Piece{trust, *number};
  };
  visit_pieces(text, [&](std::uint64_t key) {
    const auto known = pieces_.find(key);
    if (known == pieces_.end()) {
      pieces_.emplace(key, piece());
    } else if (known->second.trust < trust) {
      known->second = piece();
    }
  });
}

void RecalledTexts::add(const RecalledContext& context) {
  for (const ContextItem& item : context.items) add(item.content, item.trust, "memory:" + item.id);
}

const RecalledTexts::Piece* RecalledTexts::least_trusted(const Json& value) const {
  const Piece* least = nullptr;
  const auto consider = [&](const Piece* piece) {
    if (piece != nullptr && (least == nullptr || piece->trust < least->trust)) least = piece;
  };
  if (value.is_string()) {
    visit_pieces(value.as_string(), [&](std::uint64_t key) {
      const auto found = pieces_.find(key);
      if (found != pieces_.end()) consider(&found->second);
    });
  } else if (value.is_array()) {
    for (const Json& each : value.as_array()) consider(least_trusted(each));
  } else if (value.is_object()) {
    for (const auto& [name, each] : value.as_object()) consider(least_trusted(each));
  }
  return least;
}

std::vector<govern::ArgumentOrigin> RecalledTexts::origins(const Json& arguments) const {
  std::vector<govern::ArgumentOrigin> origins;
  if (!arguments.is_object() || pieces_.empty()) return origins;
  for (const auto& [name, value] : arguments.as_object()) {
    if (const Piece* piece = least_trusted(value))
      origins.push_back({name, sources_[piece->source], piece->trust});
  }
  return origins;
}

}  // namespace anima::memory
