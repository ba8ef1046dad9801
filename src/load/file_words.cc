#include "load/file_words.h"

#include <algorithm>
#include <array>

#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"
#include "load/map/words.h"

namespace anima::load {
namespace {

struct NamedList {
  std::string_view key;
  std::vector<std::string> FileWords::*words;
};
constexpr std::array<NamedList, 6> kMailLists = {{{"openings", &FileWords::openings},
                                                  {"wrote", &FileWords::wrote},
                                                  {"separators", &FileWords::separators},
                                                  {"from", &FileWords::from},
                                                  {"sent", &FileWords::sent},
                                                  {"subject", &FileWords::subject}}};

Status read_list(const TomlDocument& document, const Json* table, std::string_view key,
                 std::vector<std::string>& words) {
  const Json* list = table == nullptr ? nullptr : table->find(key);
  if (list != nullptr && list->is_array()) {
    for (const Json& word : list->as_array())
      if (word.is_string()) words.push_back(folded_line(word.as_string()));
  }
  if (list == nullptr || !list->is_array() || words.size() != list->as_array().size()) {
    return fail(ErrorCode::kInvalidArgument, std::string(key) + " is to be a list of texts",
                document.source);
  }
  return {};
}

std::vector<FileWords> read_all() {
  std::vector<FileWords> all;
  for (const std::string_view path : pack_files("packs/load/")) {
    auto words = FileWords::from_toml(pack_file(path).value_or(""), std::string(path));
    if (!words) language::end_for_broken_file(words.error());
    all.push_back(*std::move(words));
  }
  return all;
}

}  // namespace

Result<FileWords> FileWords::from_toml(std::string_view text, std::string source) {
  static constexpr std::array<std::string_view, 3> kKeys = {"language", "versions", "mail"};
  std::array<std::string_view, kMailLists.size()> mail_keys;
  std::ranges::transform(kMailLists, mail_keys.begin(), &NamedList::key);
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  ANIMA_TRY(language::only_known_keys(document, "", kKeys));
  ANIMA_TRY(language::only_known_keys(document, "mail", mail_keys));
  FileWords words;
  ANIMA_ASSIGN(words.language, language::text_in(document, "language"));
  ANIMA_TRY(read_list(document, &document.root, "versions", words.versions));
  for (const NamedList& list : kMailLists)
    ANIMA_TRY(read_list(document, document.root.find("mail"), list.key, words.*list.words));
  return words;
}

const std::vector<FileWords>& file_words() {
  static const std::vector<FileWords> all = read_all();
  return all;
}

std::string folded_line(std::string_view line) { return fold_case(to_nfkc(trim(line))); }

bool says_version(std::string_view title) {
  const std::string folded = "_" + folded_line(snake_case(title));
  return std::ranges::any_of(file_words(), [&](const FileWords& words) {
    return std::ranges::any_of(
        words.versions, [&](const std::string& word) { return folded.ends_with("_" + word); });
  });
}

}  // namespace anima::load
