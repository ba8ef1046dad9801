#include "language/numbers/word_files.h"

#include <cstdio>
#include <cstdlib>

#include "language/numbers/lexemes.h"

namespace anima::language {

Status only_known_keys(const TomlDocument& document, std::string_view table,
                       std::span<const std::string_view> known) {
  const std::vector<Error> unknown = unknown_toml_keys(document, table, known);
  if (!unknown.empty()) return fail(unknown.front());
  return {};
}

Result<std::string> text_in(const TomlDocument& document, std::string_view key) {
  const Json* found = document.root.find(key);
  if (found == nullptr || !found->is_string()) {
    return fail(ErrorCode::kInvalidArgument, std::string(key) + " is to be a text",
                document.where(key));
  }
  return found->as_string();
}

Result<std::vector<std::string>> texts_in(const TomlDocument& document, std::string_view key) {
  std::vector<std::string> texts;
  const Json* found = document.root.find(key);
  if (found == nullptr) return texts;
  for (const Json& one : found->as_array()) {
    if (!one.is_string()) {
      return fail(ErrorCode::kInvalidArgument, std::string(key) + " is to be a list of texts",
                  document.where(key));
    }
    std::string folded;
    for (const Lexeme& lexeme : cut_lexemes(one.as_string()))
      folded += (folded.empty() || !lexeme.spaced ? "" : " ") + lexeme.text;
    texts.push_back(std::move(folded));
  }
  return texts;
}

void end_for_broken_file(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.where.c_str(), error.message.c_str());
  std::abort();
}

}  // namespace anima::language
