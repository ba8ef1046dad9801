#include "language/frames/frame_words.h"

#include <algorithm>
#include <array>

#include "base/json/toml.h"
#include "base/packs.h"
#include "language/numbers/word_files.h"

namespace anima::language {
namespace {

constexpr std::string_view kFrames = "packs/language/frames/", kFrameFileEnd = ".toml";
constexpr std::string_view kRelationsFile = "relations", kFits = "fits", kObject = "{}";

struct NamedKind {
  std::string_view name;
  ValueKind kind;
};
constexpr NamedKind kKinds[] = {{"date", ValueKind::kDate},       {"number", ValueKind::kNumber},
                                {"phone", ValueKind::kPhone},     {"email", ValueKind::kEmail},
                                {"address", ValueKind::kAddress}, {"text", ValueKind::kText},
                                {"name", ValueKind::kName}};

struct NamedPatterns {
  std::string_view key;
  bool first = false, third = false;
  FrameTime time = FrameTime::kHolds;
  bool article = false, listed = false, known = false;
  bool sure = false, alone = false, held = false;
};
constexpr NamedPatterns kPatterns[] = {
    {"first", true, false, FrameTime::kHolds},
    {"third", false, true, FrameTime::kHolds},
    {"first_since", true, false, FrameTime::kSince},
    {"third_since", false, true, FrameTime::kSince},
    {"began", true, true, FrameTime::kBegan},
    {"first_began", true, false, FrameTime::kBegan},
    {"third_began", false, true, FrameTime::kBegan},
    {"ended", true, true, FrameTime::kEnded},
    {"first_ended", true, false, FrameTime::kEnded},
    {"third_ended", false, true, FrameTime::kEnded},
    {"began_a", true, true, FrameTime::kBegan, true},
    {"began_known", true, true, FrameTime::kBegan, false, false, true},
    {"first_began_known", true, false, FrameTime::kBegan, false, false, true},
    {"third_began_known", false, true, FrameTime::kBegan, false, false, true},
    {"first_a", true, false, FrameTime::kHolds, true},
    {"third_a", false, true, FrameTime::kHolds, true},
    {"first_listed", true, false, FrameTime::kHolds, false, true},
    {"third_listed", false, true, FrameTime::kHolds, false, true},
    {.key = "first_ended_listed", .first = true, .time = FrameTime::kEnded, .listed = true},
    {.key = "third_ended_listed", .third = true, .time = FrameTime::kEnded, .listed = true},
    {.key = "third_sure", .third = true, .sure = true},
    {.key = "third_sure_listed", .third = true, .listed = true, .sure = true},
    {.key = "first_known", .first = true, .known = true},
    {.key = "alone", .alone = true},
    {.key = "began_held", .first = true, .third = true, .time = FrameTime::kBegan, .held = true},
    {.key = "first_began_held", .first = true, .time = FrameTime::kBegan, .held = true},
    {.key = "third_began_held", .third = true, .time = FrameTime::kBegan, .held = true}};
constexpr std::string_view kChangedNouns = "changed", kPluralVerbs = "plural_verbs";
constexpr std::string_view kNouns = "noun", kNounsOf = "noun_of", kPrefix = "prefix",
                           kObjects = "objects", kBehind = "behind_", kPlurals = "plurals";

struct NamedByRelation {
  std::string_view key;
  std::map<std::string, FrameWords::Phrases, std::less<>> FrameWords::*member;
};
constexpr NamedByRelation kByRelation[] = {{"companions", &FrameWords::companions},
                                           {"passed_over", &FrameWords::passed_over}};

struct NamedPhrases {
  std::string_view key;
  FrameWords::Phrases FrameWords::*member;
};
constexpr NamedPhrases kPhrases[] = {{"speaker", &FrameWords::speaker},
                                     {"of_speaker", &FrameWords::of_speaker},
                                     {"of_several", &FrameWords::of_several},
                                     {"pronouns", &FrameWords::pronouns},
                                     {"joiners", &FrameWords::joiners},
                                     {"openers", &FrameWords::openers},
                                     {"correcting_openers", &FrameWords::correcting_openers},
                                     {"fronting", &FrameWords::fronting},
                                     {"that", &FrameWords::that},
                                     {"contrasts", &FrameWords::contrasts},
                                     {"before_contrasts", &FrameWords::before_contrasts},
                                     {"closers", &FrameWords::closers},
                                     {"fillers", &FrameWords::fillers},
                                     {"adding", &FrameWords::adding},
                                     {"is", &FrameWords::is},
                                     {"is_called", &FrameWords::is_called},
                                     {"own", &FrameWords::own},
                                     {"of", &FrameWords::of_words},
                                     {"the", &FrameWords::the},
                                     {"a", &FrameWords::a},
                                     {"have", &FrameWords::have},
                                     {"has", &FrameWords::has},
                                     {"called", &FrameWords::called},
                                     {"name_articles", &FrameWords::name_articles},
                                     {"value_articles", &FrameWords::value_articles},
                                     {"before_dates", &FrameWords::before_dates},
                                     {"since", &FrameWords::since},
                                     {"inside", &FrameWords::inside},
                                     {"now", &FrameWords::now},
                                     {"group_openers", &FrameWords::group_openers},
                                     {"several", &FrameWords::several},
                                     {"in_pairs", &FrameWords::in_pairs},
                                     {"clause_joiners", &FrameWords::clause_joiners},
                                     {"are", &FrameWords::are},
                                     {"are_called", &FrameWords::are_called},
                                     {"region_joiners", &FrameWords::region_joiners},
                                     {"negating_first", &FrameWords::negating_first},
                                     {"negating_third", &FrameWords::negating_third},
                                     {"negating_inside", &FrameWords::negating_inside},
                                     {"but", &FrameWords::but},
                                     {"copulas", &FrameWords::copulas}};
struct NamedWords {
  std::string_view key;
  FrameWords::Words FrameWords::*member;
};
constexpr NamedWords kWords[] = {{"articled_names", &FrameWords::articled_names},
                                 {"institutions", &FrameWords::institutions},
                                 {"particles", &FrameWords::particles},
                                 {"initials", &FrameWords::initials},
                                 {"not_names", &FrameWords::not_names},
                                 {"but_names", &FrameWords::but_names},
                                 {"never_names", &FrameWords::never_names},
                                 {"not_persons", &FrameWords::not_persons},
                                 {"not_topics", &FrameWords::not_topics},
                                 {"states", &FrameWords::states},
                                 {"denying", &FrameWords::denying},
                                 {"professions", &FrameWords::professions},
                                 {"unreal", &FrameWords::unreal},
                                 {"organisation_words", &FrameWords::organisation_words},
                                 {"language_names", &FrameWords::language_names}};
struct NamedFlag {
  std::string_view key;
  bool FrameWords::*member;
};
constexpr NamedFlag kFlags[] = {{"inverts", &FrameWords::inverts},
                                {"nouns_capital", &FrameWords::nouns_capital},
                                {"lone_times", &FrameWords::lone_times}};
constexpr std::string_view kLanguage = "language", kNotNameEndings = "not_name_endings";

Result<std::vector<std::string>> texts_of(const Json& list, const TomlDocument& document,
                                          const std::string& place) {
  std::vector<std::string> texts;
  if (list.is_array()) {
    for (const Json& one : list.as_array()) {
      if (one.is_string() && !one.as_string().empty()) texts.push_back(one.as_string());
    }
  }
  if (!list.is_array() || texts.size() != list.as_array().size())
    return fail(ErrorCode::kInvalidArgument, place + " is a list of texts", document.where(place));
  return texts;
}

bool words_begin_with(const FrameWords::Phrase& words, const FrameWords::Phrase& first) {
  return words.size() >= first.size() && std::equal(first.begin(), first.end(), words.begin());
}

template <typename List>
void longest_first(List& list) {
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

}  // namespace

// --- the relations

Result<FrameRelations> FrameRelations::from_toml(std::string_view text, std::string source) {
  static constexpr std::array<std::string_view, 15> kKeys = {
      "object",        "value",   "one_valued",    "list",     "topic",
      "known_subject", "time_is", "named_by_noun", "opposite", "also",
      "symmetric",     "lasting", "listed",        "shared",   "bare"};
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  FrameRelations all;
  for (const auto& [name, value] : document.root.as_object()) {
    const Json& table = value;
    if (name == kFits) {
      for (const auto& [type, types] : table.as_object()) {
        ANIMA_ASSIGN(all.fits_[type], texts_of(types, document, std::string(kFits) + "." + type));
      }
      continue;
    }
    ANIMA_TRY(only_known_keys(document, name, kKeys));
    const auto says = [&table](std::string_view key) {
      const Json* found = table.find(key);
      return found != nullptr && *found == Json(true);
    };
    const auto word = [&table](std::string_view key) {
      const Json* found = table.find(key);
      return found != nullptr && found->is_string() ? found->as_string() : std::string();
    };
    FrameRelation one;
    one.name = name;
    one.object = word("object");
    one.time_is = word("time_is");
    one.opposite = word("opposite");
    one.one_valued = says("one_valued");
    one.list = says("list");
    one.topic = says("topic");
    one.known_subject = says("known_subject");
    one.named_by_noun = says("named_by_noun");
    one.symmetric = says("symmetric");
    one.lasting = says("lasting");
    one.listed = says("listed");
    one.shared = says("shared");
    one.bare = says("bare");
    one.leads_to = one.object.empty() ? word("value") : one.object;
    if (const Json* also = table.find("also")) {
      ANIMA_ASSIGN(one.also, texts_of(*also, document, name + ".also"));
    }
    for (const NamedKind& kind : kKinds)
      if (kind.name == word("value")) one.value = kind.kind;
    if (one.object.empty() == (one.value == ValueKind::kNone)) {
      return fail(ErrorCode::kInvalidArgument, name + " has an object or a value",
                  document.where(name));
    }
    all.relations_.emplace(name, std::move(one));
  }
  return all;
}

const FrameRelations& FrameRelations::shipped() {
  return *loaded_words<FrameRelations>(kFrames, kRelationsFile);
}

const FrameRelation* FrameRelations::find(std::string_view name) const {
  const auto found = relations_.find(name);
  return found == relations_.end() ? nullptr : &found->second;
}

bool FrameRelations::has_many_values(std::string_view name) const {
  const FrameRelation* const found = find(name);
  return found != nullptr && found->object.empty() && !found->one_valued;
}

bool FrameRelations::fits(std::string_view type, std::string_view wanted) const {
  if (type == wanted) return true;
  const auto found = fits_.find(wanted);
  return found != fits_.end() && std::ranges::find(found->second, type) != found->second.end();
}

// --- a language

class FrameWordsReader {
 public:
  FrameWordsReader(FrameWords& words, const TomlDocument& document)
      : words_(words), document_(document) {}

  Status run() {
    ANIMA_ASSIGN(words_.language, text_in(document_, kLanguage));
    for (const auto& [name, value] : document_.root.as_object()) {
      if (name == kPlurals || name == kPluralVerbs) {
        auto& words = name == kPlurals ? words_.plurals : words_.plural_verbs;
        for (const auto& [word, other] : value.as_object()) words[word] = other.as_string();
      } else {
        ANIMA_TRY(value.is_object() ? read_relation(name, value) : read_list(name, value));
      }
    }
    for (const NamedPhrases& each : kPhrases) longest_first(words_.*each.member);
    add_patterns_of_several();
    const auto denies = [&](const std::string& word) { return words_.denying.contains(word); };
    for (FramePattern& pattern : words_.patterns)
      pattern.denies =
          std::ranges::any_of(pattern.before, denies) || std::ranges::any_of(pattern.after, denies);
    std::ranges::stable_sort(words_.patterns, [](const FramePattern& a, const FramePattern& b) {
      const auto size = [](const FramePattern& one) {
        return one.before.size() + one.between.size() + one.after.size();
      };
      return size(a) > size(b);
    });
    for (const NamedByRelation& each : kByRelation)
      for (auto& [relation, phrases] : words_.*each.member) longest_first(phrases);
    std::ranges::stable_sort(words_.behind, [](const FrameBehind& a, const FrameBehind& b) {
      return a.words.size() > b.words.size();
    });
    std::ranges::stable_sort(words_.nouns, [](const FrameNoun& a, const FrameNoun& b) {
      return a.words.size() > b.words.size();
    });
    return {};
  }

 private:
  // "We live in Graz": the speaker's, with its verb in the plural.
  void add_patterns_of_several() {
    for (std::size_t i = 0, once = words_.patterns.size(); i < once; ++i) {
      if (!words_.patterns[i].first || words_.patterns[i].before.empty()) continue;
      FramePattern of_several = words_.patterns[i];
      of_several.first = of_several.third = false;
      of_several.several = true;
      of_several.before = in_plural(std::move(of_several.before));
      words_.patterns.push_back(std::move(of_several));
    }
    for (const FrameWords::Phrase& have : words_.have)
      words_.have_several.push_back(in_plural(have));
  }

  FrameWords::Phrase in_plural(FrameWords::Phrase words) const {
    for (const auto& [verb, plural] : words_.plural_verbs) {
      const FrameWords::Phrase one = words_in(verb), several = words_in(plural);
      if (!words_begin_with(words, one)) continue;
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(one.size()));
      words.insert(words.begin(), several.begin(), several.end());
      break;
    }
    return words;
  }

  // The words of a pattern, around what ended, if anything did, and the object.
  static FramePattern pattern_in(std::string_view text, const FrameRelation* relation,
                                 const NamedPatterns& named) {
    FramePattern pattern;
    pattern.relation = relation;
    pattern.time = named.time;
    pattern.first = named.first;
    pattern.third = named.third;
    pattern.article = named.article;
    pattern.listed = named.listed;
    pattern.known = named.known;
    pattern.sure = named.sure;
    pattern.alone = named.alone;
    pattern.held = named.held;
    const auto cut = [&text] {
      const std::size_t object = std::min(text.find(kObject), text.size());
      const std::string_view part = text.substr(0, object);
      text.remove_prefix(std::min(object + kObject.size(), text.size()));
      return words_in(part);
    };
    pattern.before = cut();
    pattern.swaps = text.find(kObject) != text.npos;
    if (pattern.swaps) pattern.between = cut();
    pattern.after = words_in(text);
    return pattern;
  }

  Status read_list(const std::string& name, const Json& value) {
    if (name == kLanguage) return {};
    for (const NamedFlag& each : kFlags) {
      if (each.key != name) continue;
      words_.*each.member = value == Json(true);
      return {};
    }
    ANIMA_ASSIGN(const std::vector<std::string> texts, texts_of(value, document_, name));
    if (name == kChangedNouns) {
      for (const std::string& text : texts)
        words_.changed.push_back(pattern_in(text, nullptr, {.key = kChangedNouns}));
      return {};
    }
    if (name == kNotNameEndings) {
      words_.not_name_endings = texts;
      return {};
    }
    for (const NamedPhrases& each : kPhrases) {
      if (each.key != name) continue;
      for (const std::string& text : texts) (words_.*each.member).push_back(words_in(text));
      return {};
    }
    for (const NamedWords& each : kWords) {
      if (each.key != name) continue;
      for (const std::string& text : texts) (words_.*each.member).insert(text);
      return {};
    }
    return fail(ErrorCode::kInvalidArgument, name + " is no list of these", document_.where(name));
  }

  Status read_relation(const std::string& name, const Json& table) {
    const FrameRelation* relation = FrameRelations::shipped().find(name);
    if (relation == nullptr) {
      return fail(ErrorCode::kInvalidArgument, name + " is no relation", document_.where(name));
    }
    for (const auto& [key, value] : table.as_object()) {
      const std::string place = name + "." + key;
      ANIMA_ASSIGN(const std::vector<std::string> texts, texts_of(value, document_, place));
      if (key == kNouns || key == kNounsOf || key == kPrefix) {
        for (const std::string& text : texts)
          words_.nouns.push_back({relation, words_in(text), key == kNounsOf, key == kPrefix});
        continue;
      }
      if (key == kObjects) {
        words_.objects[name].insert(texts.begin(), texts.end());
        continue;
      }
      if (key.starts_with(kBehind)) {
        ANIMA_TRY(read_behind(*relation, key, texts));
        continue;
      }
      if (const auto* by = std::ranges::find(kByRelation, key, &NamedByRelation::key);
          by != std::end(kByRelation)) {
        for (const std::string& text : texts) (words_.*by->member)[name].push_back(words_in(text));
        continue;
      }
      const auto* named = std::ranges::find(kPatterns, key, &NamedPatterns::key);
      if (named == std::end(kPatterns)) {
        return fail(ErrorCode::kInvalidArgument, place + " is no key of a relation",
                    document_.where(place));
      }
      for (const std::string& text : texts)
        words_.patterns.push_back(pattern_in(text, relation, *named));
    }
    return {};
  }

  Status read_behind(const FrameRelation& relation, const std::string& key,
                     const std::vector<std::string>& texts) {
    const FrameRelation* of = FrameRelations::shipped().find(key.substr(kBehind.size()));
    const std::string place = relation.name + "." + key;
    if (of == nullptr)
      return fail(ErrorCode::kInvalidArgument, place + " is behind no relation",
                  document_.where(place));
    for (const std::string_view text : texts) {
      const bool overlaps = text.starts_with('*');
      words_.behind.push_back({of, &relation, words_in(text.substr(overlaps ? 1 : 0)), overlaps});
    }
    return {};
  }

  FrameWords& words_;
  const TomlDocument& document_;
};

Result<FrameWords> FrameWords::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  FrameWords words;
  ANIMA_TRY(FrameWordsReader(words, document).run());
  return words;
}

FrameWords::Phrase FrameWords::copula_of(const FramePattern& pattern) const {
  for (const Phrase& one : copulas)
    if (words_begin_with(pattern.before, one)) return one;
  return {};
}

const FrameWords* FrameWords::of(std::string_view language) {
  return language == kRelationsFile ? nullptr : loaded_words<FrameWords>(kFrames, language);
}

const std::vector<std::string>& FrameWords::languages() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (std::string_view path : pack_files(kFrames)) {
      path.remove_prefix(kFrames.size());
      if (!path.ends_with(kFrameFileEnd)) continue;
      path.remove_suffix(kFrameFileEnd.size());
      if (path != kRelationsFile) all.emplace_back(path);
    }
    return all;
  }();
  return kAll;
}

}  // namespace anima::language
