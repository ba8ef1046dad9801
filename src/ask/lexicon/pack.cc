#include "ask/lexicon/pack.h"

#include <algorithm>
#include <array>

#include "ask/lexicon/words.h"
#include "base/json/toml.h"
#include "base/packs.h"
#include "base/text/text.h"

namespace anima::ask {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(WordClass::kEnd)> kClassNames = {
    "article",
    "demonstrative",
    "which",
    "who",
    "whose",
    "where",
    "when",
    "why",
    "how",
    "how_many",
    "how_much",
    "number_of",
    "list_verb",
    "filler",
    "be",
    "do",
    "have",
    "modal",
    "not",
    "no",
    "without",
    "nobody",
    "anybody",
    "everything",
    "there",
    "of",
    "by",
    "with",
    "preposition",
    "relative",
    "and",
    "or",
    "only",
    "all",
    "each",
    "per",
    "other",
    "except",
    "than",
    "more",
    "less",
    "most",
    "least",
    "between",
    "to",
    "directly",
    "indirectly",
    "in_total",
    "on_average",
    "true_that",
    "pronoun_thing",
    "pronoun_person",
    "pronoun_many",
    "possessive",
    "before_time",
    "after_time",
    "since_time",
    "until_time",
    "in_time",
    "latest",
    "earliest",
    "latest_last",
    "break",
    "if",
    "removed",
    "no_longer",
    "said",
    "source",
    "come_from",
    "sure",
    "changed",
    "know",
    "as_of",
    "entry",
    "asker",
    "kind_noun",
    "name_noun",
    "named",
    "about",
    "imperative",
    "same",
    "exactly",
    "at_least",
    "at_most",
    "copy",
    "as",
    "neither",
    "nor",
    "both",
    "past_tense",
    "speaker",
    "of_speaker",
    "speakers_group",
    "top",
    "role",
    "definite",
    "now",
    "contrast"};

}  // namespace

struct PackReader {
  Pack& pack;
  const TomlDocument& document;

  Status run() {
    pack.language_ = member("language").as_string();
    if (const Json* stem = document.root.find("stem")) read_stems(*stem);
    ANIMA_TRY(read_words());
    read_numbers("numbers", PackUse::Kind::kNumber);
    read_numbers("ordinals", PackUse::Kind::kOrdinal);
    read_compares();
    read_folds();
    read_scales();
    read_lists();
    return {};
  }

 private:
  const Json& member(std::string_view key) const {
    static const Json kNone;
    const Json* found = document.root.find(key);
    return found != nullptr ? *found : kNone;
  }

  static std::size_t words_in(std::string_view phrase) {
    return static_cast<std::size_t>(std::count(phrase.begin(), phrase.end(), ' ')) + 1;
  }

  void add(const std::string& phrase, const PackUse& use) {
    const std::string folded = fold_case(phrase);
    pack.longest_ = std::max(pack.longest_, words_in(folded));
    pack.uses_[folded].push_back(use);
  }

  Status read_words() {
    for (const JsonMember& one : member("words").as_object()) {
      const auto found = std::find(kClassNames.begin(), kClassNames.end(), one.first);
      if (found == kClassNames.end()) {
        return fail(ErrorCode::kInvalidArgument, "no class of words is called so: " + one.first,
                    document.where("words." + one.first));
      }
      PackUse use;
      use.word_class = static_cast<WordClass>(found - kClassNames.begin());
      for (const Json& word : one.second.as_array()) add(word.as_string(), use);
      if (use.word_class == WordClass::kKindNoun) {
        for (const Json& word : one.second.as_array()) {
          pack.kinds_[pack.stem(fold_case(word.as_string()))] = true;
        }
      }
    }
    return {};
  }

  void read_stems(const Json& stem) {
    if (const Json* list = stem.find("endings")) {
      for (const Json& pair : list->as_array()) {
        if (pair.as_array().size() == 2) {
          pack.endings_.emplace_back(pair.as_array()[0].as_string(),
                                     pair.as_array()[1].as_string());
        }
      }
    }
    if (const Json* least = stem.find("shortest"))
      pack.shortest_stem_ = static_cast<std::size_t>(least->as_integer());
    if (const Json* table = stem.find("irregular")) {
      for (const JsonMember& one : table->as_object()) {
        for (const Json& form : one.second.as_array())
          pack.irregular_[fold_case(form.as_string())] = fold_case(one.first);
      }
    }
    if (const Json* list = stem.find("past_endings")) {
      for (const Json& ending : list->as_array()) pack.past_endings_.push_back(ending.as_string());
    }
    if (const Json* list = stem.find("progressive_endings")) {
      for (const Json& ending : list->as_array())
        pack.progressive_endings_.push_back(ending.as_string());
    }
    if (const Json* list = stem.find("past")) {
      for (const Json& form : list->as_array()) pack.past_.insert(fold_case(form.as_string()));
    }
    if (const Json* table = stem.find("nouns")) {
      for (const JsonMember& one : table->as_object()) {
        for (const Json& noun : one.second.as_array())
          pack.verbs_[pack.stem(fold_case(noun.as_string()))] = pack.stem(fold_case(one.first));
      }
    }
    if (const Json* list = stem.find("agents")) {
      for (const Json& pair : list->as_array()) {
        if (pair.as_array().size() == 2)
          pack.agents_.emplace_back(pair.as_array()[0].as_string(), pair.as_array()[1].as_string());
      }
    }
    if (const Json* list = stem.find("doers")) {
      for (const Json& doer : list->as_array()) pack.doers_.insert(fold_case(doer.as_string()));
    }
    if (const Json* list = stem.find("degrees")) {
      for (const Json& ending : list->as_array()) {
        if (!ending.as_string().empty()) pack.degrees_.push_back(ending.as_string());
      }
    }
  }

  void read_numbers(std::string_view table, PackUse::Kind kind) {
    for (const JsonMember& one : member(table).as_object()) {
      PackUse use;
      use.kind = kind;
      use.number = static_cast<int>(one.second.as_integer());
      add(one.first, use);
    }
  }

  void read_compares() {
    constexpr std::array<std::string_view, 6> kNames = {"equal",      "not_equal", "less",
                                                        "less_equal", "more",      "more_equal"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Json* list = member("compare").find(kNames[i]);
      if (list == nullptr) continue;
      PackUse use;
      use.kind = PackUse::Kind::kCompare;
      use.compare = static_cast<Compare>(i);
      for (const Json& phrase : list->as_array()) add(phrase.as_string(), use);
    }
  }

  void read_folds() {
    constexpr std::array<std::string_view, 5> kNames = {"sum", "average", "lowest", "highest",
                                                        "count"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const Json* list = member("fold").find(kNames[i]);
      if (list == nullptr) continue;
      PackUse use;
      use.kind = PackUse::Kind::kFold;
      use.fold = static_cast<Fold>(i);
      for (const Json& phrase : list->as_array()) add(phrase.as_string(), use);
    }
  }

  void read_scales() {
    for (const Json& one : member("scale").as_array()) {
      Scale scale;
      if (const Json* list = one.find("attributes")) {
        for (const Json& name : list->as_array()) scale.attributes.push_back(name.as_string());
      }
      if (const Json* flag = one.find("general")) scale.general = flag->as_bool();
      if (const Json* flag = one.find("age")) scale.age = flag->as_bool();
      for (const bool downward : {false, true}) {
        const Json* forms = one.find(downward ? "down" : "up");
        if (forms == nullptr) continue;
        for (const Json& word : forms->as_array()) add_scale(scale, downward, word.as_array());
      }
    }
  }

  // [plain, more, most]
  void add_scale(Scale scale, bool downward, const JsonArray& forms) {
    if (forms.size() != 3) return;
    scale.name = fold_case(forms[0].as_string());
    scale.downward = downward;
    const std::size_t index = pack.scales_.size();
    pack.scales_.push_back(scale);
    for (std::size_t degree = 0; degree < 3; ++degree) {
      const std::string word = fold_case(forms[degree].as_string());
      if (!word.empty()) pack.scale_uses_[word].push_back({index, static_cast<Degree>(degree)});
    }
  }

  void read_set(std::string_view key, std::unordered_map<std::string, bool>& out) const {
    for (const Json& word : member(key).as_array()) out[fold_case(word.as_string())] = true;
  }

  void read_seconds(std::string_view table, std::unordered_map<std::string, int>& out) const {
    for (const JsonMember& one : member(table).as_object())
      out[fold_case(one.first)] = static_cast<int>(one.second.as_integer());
  }

  // [units.measure] "size or size" = [words]
  void read_units(std::string_view table, bool in_names) {
    for (const JsonMember& measure : member(table).as_object()) {
      for (const JsonMember& one : measure.second.as_object()) {
        Unit unit{measure.first, in_names, {}};
        for (const std::string_view part : split(one.first, ' ')) {
          double size = 0;
          if (reads_as_number(part, &size) && size > 0) unit.sizes.push_back(size);
        }
        if (unit.sizes.empty()) continue;
        for (const Json& word : one.second.as_array())
          pack.units_[fold_case(word.as_string())] = unit;
      }
    }
  }

  void read_lists() {
    if (const Json* words = member("words").find("preposition")) {
      for (const Json& word : words->as_array())
        pack.prepositions_[fold_case(word.as_string())] = true;
    }
    read_set("places", pack.places_);
    read_set("containers", pack.containers_);
    read_set("wholes", pack.wholes_);
    read_set("columns_of_places", pack.columns_of_places_);
    read_set("whereabouts", pack.whereabouts_);
    read_set("types_end", pack.types_end_);
    read_set("columns_of_counts", pack.columns_of_counts_);
    read_set("columns_of_units", pack.columns_of_units_);
    read_set("columns_of_amounts", pack.amounts_);
    read_set("counters", pack.counters_);
    read_set("counters_before", pack.counters_before_);
    read_seconds("clocks", pack.clocks_);
    read_seconds("halves_of_day", pack.halves_);
    for (const Json& word : member("persons").as_array())
      pack.persons_[pack.stem(fold_case(word.as_string()))] = true;
    read_units("units", true);
    read_units("said_units", false);
    for (const JsonMember& one : member("contractions").as_object()) {
      std::vector<std::string> parts;
      const std::string folded = fold_case(one.second.as_string());
      for (const std::string_view part : split(folded, ' ')) parts.emplace_back(part);
      pack.contractions_[fold_case(one.first)] = std::move(parts);
    }
    for (const JsonMember& one : member("thesaurus").as_object()) {
      for (const Json& word : one.second.as_array()) {
        pack.thesaurus_[pack.stem(fold_case(one.first))].push_back(
            pack.stem(fold_case(word.as_string())));
      }
    }
    for (const JsonMember& one : member("templates").as_object())
      pack.templates_[one.first] = one.second.as_string();
  }
};

Result<std::shared_ptr<const Pack>> Pack::read(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  auto pack = std::make_shared<Pack>();
  ANIMA_TRY((PackReader{*pack, document}.run()));
  return std::shared_ptr<const Pack>(std::move(pack));
}

Result<std::shared_ptr<const Pack>> Pack::load(std::string_view language) {
  const std::string path = "packs/ask/" + std::string(language) + ".toml";
  const auto text = pack_file(path);
  if (!text) return fail(ErrorCode::kNotFound, "no pack speaks this language", path);
  return read(*text, path);
}

const std::vector<PackUse>* Pack::uses(const std::string& phrase) const {
  const auto found = uses_.find(phrase);
  return found == uses_.end() ? nullptr : &found->second;
}

bool Pack::is_past(const std::string& word) const {
  return past_.contains(word) ||
         std::any_of(past_endings_.begin(), past_endings_.end(), [&](const std::string& ending) {
           return word.size() > ending.size() + shortest_stem_ && word.ends_with(ending);
         });
}

bool Pack::is_progressive(const std::string& word) const {
  return std::any_of(
      progressive_endings_.begin(), progressive_endings_.end(), [&](const std::string& ending) {
        return word.size() > ending.size() + shortest_stem_ && word.ends_with(ending);
      });
}

bool Pack::is_participle(const std::string& word) const {
  return !is_progressive(word) && (is_past(word) || irregular_.contains(word));
}

bool Pack::is_form_of(const std::string& word, const std::string& base) const {
  if (const auto found = irregular_.find(word); found != irregular_.end())
    return found->second == base;
  return std::any_of(endings_.begin(), endings_.end(), [&](const auto& one) {
    const auto& [ending, instead] = one;
    if (ending == instead || !word.ends_with(ending)) return false;
    const std::string rest = word.substr(0, word.size() - ending.size()) + instead;
    if (rest == base || rest + "e" == base) return true;
    // "stopped": the last letter is doubled before the ending.
    return instead.empty() && ending.size() > 1 && rest.size() > 2 &&
           rest.back() == rest[rest.size() - 2] && rest.substr(0, rest.size() - 1) == base;
  });
}

// Endings go one after the other, so that what is left of a word is left of its plural too.
std::string Pack::stem(const std::string& word) const {
  std::string result = word;
  const auto known = [&] {
    const auto found = irregular_.find(result);
    if (found != irregular_.end()) result = found->second;
    return found != irregular_.end();
  };
  const auto shorten = [&](bool again) {
    for (const auto& [ending, instead] : endings_) {
      if (!result.ends_with(ending) || (again && ending.size() == 1)) continue;
      if (ending == instead) return false;  // an ending that stays as it is
      if (result.size() < ending.size() + shortest_stem_) continue;
      result = result.substr(0, result.size() - ending.size()) + instead;
      return true;
    }
    return false;
  };
  for (int round = 0; round < 4; ++round) {
    if (known() || !shorten(round > 0)) break;
  }
  const auto alike = [&](std::size_t a, std::size_t b) {
    return result[result.size() - a] == result[result.size() - b];
  };
  if (result.size() > 2 && result.back() == 'e') result.pop_back();
  if (result.size() > 3 && alike(1, 2)) result.pop_back();
  return result;
}

std::vector<std::string> Pack::bases(const std::string& word) const {
  std::vector<std::string> found;
  const std::string root = stem(word);
  const std::size_t size = word.size();
  for (const std::string& base :
       {word.substr(0, size - std::min<std::size_t>(size, 1)),
        word.substr(0, size - std::min<std::size_t>(size, 2)), root, root + "e"}) {
    if (!base.empty() && is_form_of(word, base)) found.push_back(base);
  }
  return found;
}

// A last letter that the stem leaves out, a silent or a doubled one, is no ending.
bool Pack::is_base(const std::string& word) const {
  const std::string stem_of = stem(word);
  if (stem_of == word) return true;
  return word.starts_with(stem_of) && word.size() == stem_of.size() + 1 &&
         (word.back() == 'e' || word.back() == stem_of.back());
}

std::string Pack::word_of(WordClass word_class) const {
  std::string found;
  for (const auto& [phrase, uses] : uses_) {
    const bool fits = std::any_of(uses.begin(), uses.end(), [&](const PackUse& use) {
      return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
    });
    if (fits && phrase.find(' ') == std::string::npos && (found.empty() || phrase < found))
      found = phrase;
  }
  return found;
}

const std::vector<std::string>* Pack::contraction(const std::string& word) const {
  const auto found = contractions_.find(word);
  return found == contractions_.end() ? nullptr : &found->second;
}

const std::vector<ScaleUse>* Pack::scale_uses(const std::string& word) const {
  const auto found = scale_uses_.find(word);
  return found == scale_uses_.end() ? nullptr : &found->second;
}

bool Pack::is_by(const std::string& word) const {
  const std::vector<PackUse>* list = uses(word);
  return list != nullptr && std::any_of(list->begin(), list->end(), [](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass && use.word_class == WordClass::kBy;
         });
}

bool Pack::denies(const std::string& word) const {
  const std::vector<PackUse>* list = uses(word);
  return list != nullptr && std::any_of(list->begin(), list->end(), [](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass &&
                  (use.word_class == WordClass::kNo || use.word_class == WordClass::kNot ||
                   use.word_class == WordClass::kWithout);
         });
}

bool Pack::is_preposition(const std::string& word) const { return prepositions_.contains(word); }
bool Pack::contains_things(const std::string& word) const { return places_.contains(word); }
bool Pack::lies_within(const std::string& word) const { return containers_.contains(word); }
bool Pack::is_whole(const std::string& word) const { return wholes_.contains(word); }
bool Pack::names_place(const std::string& word) const { return columns_of_places_.contains(word); }
bool Pack::says_where(const std::string& word) const { return whereabouts_.contains(word); }
bool Pack::adds_nothing(const std::string& word) const { return types_end_.contains(word); }
bool Pack::names_count(const std::string& word) const { return columns_of_counts_.contains(word); }
bool Pack::names_amount(const std::string& word) const { return amounts_.contains(word); }
bool Pack::names_unit(const std::string& word) const { return columns_of_units_.contains(word); }
bool Pack::names_person(const std::string& word) const { return persons_.contains(stem(word)); }
std::vector<std::string> Pack::counted_in(const std::vector<std::string>& words,
                                          bool* behind) const {
  *behind = words.size() > 1 && counters_.contains(words.back());
  if (*behind) return {words.begin(), words.end() - 1};
  for (std::size_t size = 1; size < words.size(); ++size) {
    std::string front;
    for (std::size_t i = 0; i < size; ++i) front += (i > 0 ? " " : "") + words[i];
    if (counters_before_.contains(front))
      return {words.begin() + static_cast<std::ptrdiff_t>(size), words.end()};
  }
  return {};
}

const int* Pack::clock(const std::string& word) const {
  const auto found = clocks_.find(word);
  return found == clocks_.end() ? nullptr : &found->second;
}
const int* Pack::half_of_day(const std::string& word) const {
  const auto found = halves_.find(word);
  return found == halves_.end() ? nullptr : &found->second;
}

bool Pack::is_unit_of_names(const std::string& word) const {
  const Unit* found = unit(word);
  return found != nullptr && found->in_names;
}

const Unit* Pack::unit(const std::string& word) const {
  const auto found = units_.find(word);
  return found == units_.end() ? nullptr : &found->second;
}
void Pack::each_unit(const std::function<void(const std::string&)>& visit) const {
  for (const auto& [word, unit] : units_) visit(word);
}

bool Pack::is_measure(const std::string& word) const {
  const std::vector<PackUse>* list = uses(word);
  const bool fold = list != nullptr && std::ranges::any_of(*list, [](const PackUse& use) {
                      return use.kind == PackUse::Kind::kFold && use.fold == Fold::kSum;
                    });
  return fold || std::ranges::any_of(scales_, [&](const Scale& scale) {
           return !scale.age && std::ranges::any_of(scale.attributes, [&](const auto& name) {
             return same_noun(word, name);
           });
         });
}

bool Pack::is_kind_noun(const std::string& word) const { return kinds_.contains(stem(word)); }

std::string Pack::verb_of(const std::string& stem) const {
  const auto found = verbs_.find(stem);
  return found == verbs_.end() ? stem : found->second;
}

std::vector<std::string> Pack::doers(const std::string& verb) const {
  std::vector<std::string> words;
  for (const auto& [ending, instead] : agents_) {
    if (!verb.ends_with(instead)) continue;
    const std::string base = verb.substr(0, verb.size() - instead.size());
    words.push_back(base + ending);
    if (instead.empty() && !base.empty()) words.push_back(base + base.back() + ending);
  }
  return words;
}

std::vector<std::string> Pack::deeds(const std::string& doer) const {
  constexpr std::size_t kShortest = 2;  // "user"
  std::vector<std::string> stems;
  for (const auto& [ending, instead] : agents_) {
    if (doer.ends_with(ending) && doer.size() >= ending.size() + kShortest)
      stems.push_back(stem(doer.substr(0, doer.size() - ending.size()) + instead));
  }
  const std::string own = stem(doer);
  if (doers_.contains(doer)) stems.push_back(own);
  if (const std::string verb = verb_of(own); verb != own) stems.push_back(verb);
  std::sort(stems.begin(), stems.end());
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  return stems;
}

void Pack::each_meaning(const std::string& attribute,
                        const std::function<void(const std::string&)>& visit) const {
  const auto found = thesaurus_.find(attribute);
  if (found == thesaurus_.end()) return;
  for (const std::string& word : found->second) visit(word);
}

void Pack::each_scale(const std::function<void(const std::string&, const ScaleUse&)>& visit) const {
  for (const auto& [word, uses] : scale_uses_) {
    for (const ScaleUse& use : uses) visit(word, use);
  }
}

const std::string& Pack::text(std::string_view name) const {
  static const std::string kNone;
  const auto found = templates_.find(name);
  return found == templates_.end() ? kNone : found->second;
}

std::string fill(const Pack& pack, std::string_view name,
                 const std::map<std::string, std::string>& values) {
  const std::string& pattern = pack.text(name);
  std::string text;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t end = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
    if (end == std::string::npos) {
      text += pattern[at++];
      continue;
    }
    const auto found = values.find(pattern.substr(at + 1, end - at - 1));
    if (found != values.end()) text += found->second;
    at = end + 1;
  }
  return text;
}

}  // namespace anima::ask
