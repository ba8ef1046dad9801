#include "language/frames/asking_words.h"

#include <algorithm>
#include <array>

#include "base/json/toml.h"
#include "base/text/text.h"
#include "language/numbers/word_files.h"

namespace anima::language {
namespace {

constexpr std::string_view kAskingFiles = "packs/language/frame_questions/";
constexpr std::string_view kAskingLanguage = "language", kPlainFront = "plain",
                           kNounFronts = "nouns", kNounFrontsPast = "nouns_past";

struct AskingList {
  std::string_view key;
  AskingWords::Phrases AskingWords::*member;
};
constexpr AskingList kAskingLists[] = {{"subject", &AskingWords::subject},
                                       {"helpers_first", &AskingWords::helpers_first},
                                       {"helpers_third", &AskingWords::helpers_third},
                                       {"helpers_past", &AskingWords::helpers_past},
                                       {"inverted", &AskingWords::inverted},
                                       {"not_asked", &AskingWords::not_asked},
                                       {"of_speaker", &AskingWords::of_speaker},
                                       {"since", &AskingWords::since},
                                       {"began", &AskingWords::began},
                                       {"ended", &AskingWords::ended},
                                       {"fillers", &AskingWords::fillers}};
struct AskingMap {
  std::string_view key;
  std::map<std::string, std::string, std::less<>> AskingWords::*member;
};
constexpr AskingMap kAskingMaps[] = {
    {"past", &AskingWords::past}, {"perfect", &AskingWords::perfect}, {"base", &AskingWords::base}};

template <typename List>
void most_words_first(List& list) {
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

// Signs and folded words; a side stays as it is written.
std::vector<std::string> asking_template(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view part : split(text, ' ')) {
    if (part.size() == 1 && part[0] >= 'A' && part[0] <= 'Z') {
      words.emplace_back(part);
      continue;
    }
    for (std::string& word : words_in(part)) words.push_back(std::move(word));
  }
  return words;
}

class AskingReader {
 public:
  AskingReader(AskingWords& words, const TomlDocument& document)
      : words_(words), document_(document) {}

  Status run() {
    ANIMA_ASSIGN(words_.language, text_in(document_, kAskingLanguage));
    for (const auto& [name, value] : document_.root.as_object()) {
      if (name != kAskingLanguage) ANIMA_TRY(read(name, value));
    }
    for (const AskingList& each : kAskingLists) most_words_first(words_.*each.member);
    return {};
  }

 private:
  Status unknown(const std::string& place) const {
    return fail(ErrorCode::kInvalidArgument, place + " is nothing that questions have",
                document_.where(place));
  }

  Result<std::vector<std::string>> texts(const Json& value, const std::string& place) const {
    std::vector<std::string> list;
    for (const Json& one : value.as_array())
      if (one.is_string() && !one.as_string().empty()) list.push_back(one.as_string());
    if (!value.is_array() || list.size() != value.as_array().size())
      return fail(ErrorCode::kInvalidArgument, place + " is a list of texts",
                  document_.where(place));
    return list;
  }

  Result<AskingWords::Phrases> phrases(const Json& value, const std::string& place) const {
    ANIMA_ASSIGN(const std::vector<std::string> list, texts(value, place));
    AskingWords::Phrases all;
    for (const std::string& text : list) all.push_back(words_in(text));
    most_words_first(all);
    return all;
  }

  Result<AskingWords::Templates> templates(const Json& value, const std::string& place) const {
    ANIMA_ASSIGN(const std::vector<std::string> list, texts(value, place));
    AskingWords::Templates all;
    for (const std::string& text : list) all.push_back(asking_template(text));
    return all;
  }

  Status read(const std::string& name, const Json& value) {
    for (const auto& [key, member] : {std::pair("whether_nouns", &AskingWords::whether_nouns),
                                      std::pair("have_nouns", &AskingWords::have_nouns),
                                      std::pair("count_nouns", &AskingWords::count_nouns)}) {
      if (name != key) continue;
      ANIMA_ASSIGN(words_.*member, templates(value, name));
      return {};
    }
    for (const AskingList& each : kAskingLists) {
      if (each.key != name) continue;
      ANIMA_ASSIGN(words_.*each.member, phrases(value, name));
      return {};
    }
    for (const AskingMap& each : kAskingMaps) {
      if (each.key != name) continue;
      for (const auto& [from, to] : value.as_object())
        (words_.*each.member)[join(words_in(from), " ")] = join(words_in(to.as_string()), " ");
      return {};
    }
    for (const auto& [key, table] : value.as_object()) {
      const std::string place = name + "." + key;
      if (name == "fronts") {
        ANIMA_TRY(read_fronts(place, table, words_.fronts[key]));
      } else if (name == "asked" && FrameRelations::shipped().find(key) != nullptr) {
        ANIMA_ASSIGN(words_.asked[key], templates(table, place));
      } else if (name == "roles" && FrameRelations::shipped().find(key) != nullptr) {
        for (const auto& [role, nouns] : table.as_object()) {
          ANIMA_ASSIGN(auto list, texts(nouns, place + "." + role));
          words_.roles[key].push_back({role, std::move(list)});
        }
      } else {
        return unknown(place);
      }
    }
    return value.is_object() ? Status() : unknown(name);
  }

  Status read_fronts(const std::string& place, const Json& table, AskingWords::Fronts& fronts) {
    for (const auto& [key, value] : table.as_object()) {
      const std::string where = place + "." + key;
      if (key == kPlainFront) {
        ANIMA_ASSIGN(fronts.plain, phrases(value, where));
      } else if (key == kNounFronts || key == kNounFrontsPast) {
        ANIMA_ASSIGN((key == kNounFronts ? fronts.nouns : fronts.nouns_past),
                     templates(value, where));
      } else {
        ANIMA_ASSIGN(auto list, phrases(value, where));
        fronts.by_preposition.emplace_back(words_in(key), std::move(list));
      }
    }
    std::ranges::stable_sort(fronts.by_preposition, [](const auto& a, const auto& b) {
      return a.first.size() > b.first.size();
    });
    return {};
  }

  AskingWords& words_;
  const TomlDocument& document_;
};

}  // namespace

Result<AskingWords> AskingWords::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  AskingWords words;
  ANIMA_TRY(AskingReader(words, document).run());
  return words;
}

const AskingWords* AskingWords::of(std::string_view language) {
  return loaded_words<AskingWords>(kAskingFiles, language);
}

const AskingWords::Role* AskingWords::role_of(std::string_view relation, std::string_view noun,
                                              bool& exactly) const {
  exactly = false;
  const auto found = roles.find(relation);
  if (found == roles.end()) return nullptr;
  const FrameWords* frames = FrameWords::of(language);
  const bool compounds = frames != nullptr && frames->nouns_capital;
  const Role* best = nullptr;
  std::size_t longest = 0;
  for (const Role& role : found->second) {
    for (const std::string& one : role.nouns) {
      const bool behind = noun.size() > one.size() && noun.ends_with(one) &&
                          (compounds || noun[noun.size() - one.size() - 1] == ' ');
      if ((noun != one && !behind) || one.size() <= longest) continue;
      best = &role;
      longest = one.size();
      exactly = noun == one;
    }
  }
  return best;
}

}  // namespace anima::language
