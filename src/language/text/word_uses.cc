#include "language/text/word_uses.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"

namespace anima::language {
namespace {

struct Use {
  std::vector<std::string> texts;
  WordSet words;
};
using Uses = std::map<std::string, Use, std::less<>>;

void add_file(const std::string& path, std::string_view text, Uses& uses) {
  const auto document = parse_toml(text, path);
  if (!document) end_for_broken_file(document.error());
  for (const JsonMember& member : document->root.as_object()) {
    Use& use = uses[member.first];
    const auto add = [&](std::string_view word) {
      if (word.empty()) return;
      use.texts.emplace_back(word);
      use.words.emplace(word);
    };
    if (member.second.is_string()) {
      const std::string words = replace_all(member.second.as_string(), "\n", " ");
      for (const std::string_view word : split(words, ' ')) add(word);
    } else {
      for (const Json& one : member.second.as_array()) add(one.as_string());
    }
  }
}

const Use& use_named(std::string_view name) {
  static const Uses kUses = [] {
    Uses uses;
    for (std::size_t i = 0; i < kLanguages; ++i) {
      const std::string path =
          "packs/language/uses/" + std::string(code_of(static_cast<Language>(i))) + ".toml";
      if (const auto text = pack_file(path)) add_file(path, *text, uses);
    }
    return uses;
  }();
  const auto found = kUses.find(name);
  if (found == kUses.end()) {
    std::fprintf(stderr, "packs/language/uses has no %s\n", std::string(name).c_str());
    std::abort();
  }
  return found->second;
}

}  // namespace

std::span<const std::string> texts_used_as(std::string_view use) { return use_named(use).texts; }

const WordSet& words_used_as(std::string_view use) { return use_named(use).words; }

}  // namespace anima::language
