// What the readers of packs/language share: members of a file, checked, and each file loaded once.
//
// A file of ours that does not load is a programmer's error and ends the program; the tests load
// every one. Thread-safety: from any thread.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/toml.h"
#include "base/mutex.h"
#include "base/packs.h"
#include "base/result.h"

namespace anima::language {

// Errors: kInvalidArgument with the place, of the first member of a table that is not known.
Status only_known_keys(const TomlDocument& document, std::string_view table,
                       std::span<const std::string_view> known);
// Errors: kInvalidArgument when it is missing or no text.
Result<std::string> text_in(const TomlDocument& document, std::string_view key);
// Folded as lexemes are. Empty when it is missing. Errors: kInvalidArgument for what is no list of
// texts.
Result<std::vector<std::string>> texts_in(const TomlDocument& document, std::string_view key);
[[noreturn]] void end_for_broken_file(const Error& error);

// `prefix` + language + ".toml", loaded at the first use; null when there is no such file.
template <typename Words>
const Words* loaded_words(std::string_view prefix, std::string_view language) {
  static Mutex mutex;
  static std::map<std::string, std::unique_ptr<const Words>, std::less<>> loaded;
  const MutexLock lock(mutex);
  if (const auto found = loaded.find(language); found != loaded.end()) return found->second.get();
  std::unique_ptr<const Words> words;
  const std::string path = std::string(prefix) + std::string(language) + ".toml";
  if (const auto text = pack_file(path)) {
    auto read = Words::from_toml(*text, path);
    if (!read) end_for_broken_file(read.error());
    words = std::make_unique<const Words>(std::move(*read));
  }
  return loaded.emplace(std::string(language), std::move(words)).first->second.get();
}

}  // namespace anima::language
