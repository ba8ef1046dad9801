#include "memory/recall/recalled_texts.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

#include "base/bytes.h"
#include "base/text/text.h"
#include "govern/detect/text_pieces.h"

namespace anima::memory {
namespace {

constexpr std::size_t kPhraseWords = 4;
constexpr std::size_t kMostPieces = std::size_t{1} << 21;
constexpr std::string_view kCommandArgument = "command";

// What the tools call their own things by. To choose one of them by its name is what listing is
// for, but a name that somebody outside gave to a file makes no recipient and no address.
bool names_a_thing(std::string_view member) {
  constexpr std::array<std::string_view, 4> kNames = {"id", "uid", "path", "name"};
  return std::ranges::find(kNames, member) != kNames.end();
}
bool chooses_a_thing(std::string_view argument) {
  return names_a_thing(argument) || argument == kCommandArgument;
}

// Everything that somebody could have put there: texts, the names of members, and what else there
// is as it is written.
template <typename Visit>
void visit_texts(const Json& value, const Visit& visit) {
  if (value.is_string()) {
    visit(std::string_view(value.as_string()));
  } else if (value.is_array()) {
    for (const Json& each : value.as_array()) visit_texts(each, visit);
  } else if (value.is_object()) {
    for (const auto& [name, each] : value.as_object()) {
      visit(std::string_view(name));
      visit_texts(each, visit);
    }
  } else if (!value.is_null()) {
    visit(std::string_view(value.dump()));
  }
}

// A text without what nobody sees in it and with one form for each letter, so that neither makes
// another address of one.
std::string plain(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  const std::string composed = to_nfkc(text);
  for (std::size_t at = 0; at < composed.size();) {
    const CodePoint point = decode_utf8(composed, at);
    if (point.value < 0x20 || !hides_something(point.value)) append_utf8(out, point.value);
    at += point.size;
  }
  return out;
}

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

// Of "https://user@host:80/path" and "host.example/path" the host: any page of it is talked to
// alike. Empty where there is none.
std::string_view host_of(std::string_view address) {
  const std::size_t scheme = address.find("://");
  const bool bare = scheme == std::string_view::npos;
  std::string_view host = bare ? address : address.substr(scheme + 3);
  const std::size_t end = std::min(host.find_first_of("/?#\\"), host.size());
  if (bare && (end == 0 || end == host.size() || host.substr(0, end).find('.') == host.npos))
    return {};
  host = host.substr(0, end);
  if (const std::size_t user = host.rfind('@'); user != std::string_view::npos)
    host.remove_prefix(user + 1);
  host = host.substr(0, host.find(':'));
  while (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

template <typename Visit>
void visit_addresses(const std::string& text, const Visit& visit) {
  for (const std::string& number : govern::numbers_in(text)) visit(key_of("number " + number));
  for (const std::string_view address : govern::addresses_in(text)) {
    visit(key_of(address));
    if (const std::string_view host = host_of(address); !host.empty()) visit(key_of(host));
  }
}

template <typename Visit>
void visit_words(std::string_view as_it_stands, const Visit& visit) {
  const std::string text = plain(as_it_stands);
  for (const std::string_view word : govern::phrases_in(text, 1)) visit(phrase_key(word));
}

template <typename Visit>
void visit_pieces(std::string_view as_it_stands, const Visit& visit) {
  const std::string text = plain(as_it_stands);
  visit_addresses(text, visit);
  for (const std::string_view phrase : govern::phrases_in(text, kPhraseWords))
    visit(phrase_key(phrase));
}

}  // namespace

void RecalledTexts::add(std::string_view text, govern::Trust trust, std::string_view source,
                        const Json& but) {
  put(text, trust, source, but, false);
}

void RecalledTexts::put(std::string_view text, govern::Trust trust, std::string_view source,
                        const Json& but, bool name) {
  std::unordered_set<std::uint64_t> known_before;
  visit_texts(but, [&](std::string_view each) {
    visit_pieces(each, [&](std::uint64_t key) { known_before.insert(key); });
  });
  // What was recalled before leaves nothing new behind, however often it comes.
  std::optional<std::uint32_t> number;
  const auto piece = [&] {
    if (!number) {
      number = static_cast<std::uint32_t>(sources_.size());
      sources_.emplace_back(source);
    }
    return Piece{trust, *number, name};
  };
  visit_pieces(text, [&](std::uint64_t key) {
    const auto known = pieces_.find(key);
    if (known == pieces_.end()) {
      if (known_before.contains(key)) return;
      if (pieces_.size() >= kMostPieces)
        forgotten_ = forgotten_ ? govern::lowest(*forgotten_, trust) : trust;
      else
        pieces_.emplace(key, piece());
    } else if (known->second.name ? !name : !name && known->second.trust < trust) {
      known->second = piece();
    }
  });
}

void RecalledTexts::vouch(std::string_view text, std::string_view source) {
  const auto number = static_cast<std::uint32_t>(sources_.size());
  sources_.emplace_back(source);
  visit_words(text, [&](std::uint64_t key) {
    if (owners_words_.size() < kMostPieces) owners_words_.insert(key);
  });
  visit_pieces(text, [&](std::uint64_t key) {
    const auto known = pieces_.find(key);
    if (known == pieces_.end()) {
      if (pieces_.size() < kMostPieces)
        pieces_.emplace(key, Piece{govern::Trust::kOperator, number, false});
    } else if (known->second.trust < govern::Trust::kStandard) {
      known->second.trust = govern::Trust::kStandard;
      known->second.name = false;
    }
  });
}

void RecalledTexts::add_result(const Json& result, govern::Trust trust, std::string_view source,
                               const Json& arguments) {
  if (result.is_object()) {
    for (const auto& [name, each] : result.as_object()) {
      add(name, trust, source, arguments);
      if (names_a_thing(name) && each.is_string()) {
        put(each.as_string(), trust, source, arguments, true);
      } else {
        add_result(each, trust, source, arguments);
      }
    }
  } else if (result.is_array()) {
    for (const Json& each : result.as_array()) add_result(each, trust, source, arguments);
  } else if (result.is_string()) {
    add(result.as_string(), trust, source, arguments);
  } else if (!result.is_null()) {
    add(result.dump(), trust, source, arguments);
  }
}

void RecalledTexts::add(const RecalledContext& context) {
  for (const ContextItem& item : context.items) {
    for (const std::string* text : {&item.content, &item.source, &item.author})
      add(*text, item.trust, "memory:" + item.id);
    for (const FactNoLonger& one : item.told.no_longer)
      add(one.fact, item.trust, "memory:" + item.id);
  }
}

const RecalledTexts::Piece* RecalledTexts::least_trusted(std::string_view name, const Json& value,
                                                         bool names) const {
  const Piece* least = nullptr;
  const auto look = [&](std::string_view text) {
    visit_pieces(text, [&](std::uint64_t key) {
      const auto found = pieces_.find(key);
      if (found == pieces_.end() || (found->second.name && !names)) return;
      if (least == nullptr || found->second.trust < least->trust) least = &found->second;
    });
  };
  look(name);
  visit_texts(value, look);
  return least;
}

bool RecalledTexts::is_news(std::string_view argument, const Json& value) const {
  if (argument == kCommandArgument) return false;
  bool said = false, unsaid = false, owners = true;
  visit_texts(value, [&](std::string_view text) {
    visit_addresses(plain(text),
                    [&](std::uint64_t key) { (pieces_.contains(key) ? said : unsaid) = true; });
    visit_words(text, [&](std::uint64_t key) { owners = owners && owners_words_.contains(key); });
  });
  return !owners && (unsaid || !said);
}

bool RecalledTexts::tells_something(const Json& arguments) {
  bool found = false;
  visit_texts(arguments, [&](std::string_view each) {
    if (!found) visit_pieces(each, [&](std::uint64_t) { found = true; });
  });
  return found;
}

std::vector<govern::ArgumentOrigin> RecalledTexts::origins(const Json& arguments) const {
  std::vector<govern::ArgumentOrigin> origins;
  if (!arguments.is_object() || pieces_.empty()) return origins;
  for (const auto& [name, value] : arguments.as_object()) {
    if (const Piece* piece = least_trusted(name, value, !chooses_a_thing(name)))
      origins.push_back({name, sources_[piece->source], piece->trust});
    if (forgotten_) origins.push_back({name, "more than can be remembered", *forgotten_});
  }
  return origins;
}

}  // namespace anima::memory
