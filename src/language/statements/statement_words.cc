#include "language/statements/statement_words.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "language/numbers/word_files.h"

namespace anima::language {
namespace {

constexpr std::string_view kStatements = "packs/language/statements/", kTomlEnd = ".toml";

struct NamedMark {
  std::string_view key;
  Mark mark;
};
constexpr NamedMark kLists[] = {{"neutral", Mark::kNeutral},
                                {"tense.future", Mark::kFuture},
                                {"tense.present", Mark::kPresent},
                                {"tense.past", Mark::kPast},
                                {"negation", Mark::kNegation},
                                {"hearsay", Mark::kHearsay},
                                {"wish", Mark::kWish},
                                {"condition", Mark::kCondition},
                                {"question", Mark::kQuestion},
                                {"retraction", Mark::kRetraction},
                                {"correcting", Mark::kCorrecting},
                                {"changing", Mark::kChanging},
                                {"changing_to", Mark::kChangingTo},
                                {"instead", Mark::kInstead},
                                {"ended", Mark::kEnded},
                                {"leaving", Mark::kLeaving},
                                {"opening", Mark::kOpening},
                                {"closing", Mark::kClosing},
                                {"passing", Mark::kPassing},
                                {"article", Mark::kArticle},
                                {"agreeing", Mark::kAgreeing},
                                {"refusing", Mark::kRefusing}};

bool ends_with_one(const std::string& word, const std::vector<std::string>& endings) {
  return std::ranges::any_of(endings, [&](const std::string& one) { return word.ends_with(one); });
}

}  // namespace

class StatementWordsReader {
 public:
  StatementWordsReader(StatementWords& words, const TomlDocument& document)
      : words_(words), document_(document) {}

  Status run() {
    static constexpr std::array<std::string_view, 23> kKeys = {
        "language", "neutral",     "tense",     "endings",  "perfect",    "negation",
        "hearsay",  "wish",        "condition", "question", "retraction", "correcting",
        "changing", "changing_to", "instead",   "ended",    "leaving",    "opening",
        "closing",  "passing",     "article",   "agreeing", "refusing"};
    static constexpr std::array<std::string_view, 4> kTense = {"future", "present", "past",
                                                               "covers"};
    static constexpr std::array<std::string_view, 4> kTomlEnds = {"future", "past", "shortest",
                                                                  "except"};
    static constexpr std::array<std::string_view, 4> kPerfect = {"helpers", "prefixes", "endings",
                                                                 "except"};
    ANIMA_TRY(only_known_keys(document_, "", kKeys));
    ANIMA_TRY(only_known_keys(document_, "tense", kTense));
    ANIMA_TRY(only_known_keys(document_, "endings", kTomlEnds));
    ANIMA_TRY(only_known_keys(document_, "perfect", kPerfect));
    ANIMA_ASSIGN(words_.language_, text_in(document_, "language"));
    for (const NamedMark& list : kLists) ANIMA_TRY(read_phrases(list));
    ANIMA_ASSIGN(words_.future_endings_, list("endings.future"));
    ANIMA_ASSIGN(words_.past_endings_, list("endings.past"));
    ANIMA_TRY(read_set("endings.except", words_.no_endings_));
    words_.shortest_ = size("endings.shortest", words_.shortest_);
    words_.covers_ = size("tense.covers", words_.covers_);
    ANIMA_TRY(read_set("perfect.helpers", words_.perfect_.helpers));
    ANIMA_TRY(read_set("perfect.except", words_.perfect_.except));
    ANIMA_ASSIGN(words_.perfect_.prefixes, list("perfect.prefixes"));
    ANIMA_ASSIGN(words_.perfect_.endings, list("perfect.endings"));
    for (auto& [first, phrases] : words_.phrases_) {
      std::ranges::stable_sort(
          phrases, [](const auto& a, const auto& b) { return a.words.size() > b.words.size(); });
    }
    return {};
  }

 private:
  const Json* member(std::string_view dotted) const {
    const Json* found = &document_.root;
    for (const std::string_view key : split(dotted, '.')) {
      found = found->find(key);
      if (found == nullptr) return nullptr;
    }
    return found;
  }
  std::size_t size(std::string_view dotted, std::size_t otherwise) const {
    const Json* found = member(dotted);
    return found != nullptr && found->as_integer() > 0
               ? static_cast<std::size_t>(found->as_integer())
               : otherwise;
  }
  Result<std::vector<std::string>> list(std::string_view dotted) const {
    std::vector<std::string> texts;
    const Json* found = member(dotted);
    if (found == nullptr) return texts;
    for (const Json& one : found->as_array()) {
      if (!one.is_string() || one.as_string().empty()) {
        return fail(ErrorCode::kInvalidArgument, std::string(dotted) + " is a list of texts",
                    document_.where(dotted));
      }
      texts.push_back(fold_case(to_nfkc(one.as_string())));
    }
    return texts;
  }
  Status read_set(std::string_view dotted, std::unordered_set<std::string>& set) {
    ANIMA_ASSIGN(const std::vector<std::string> texts, list(dotted));
    set.insert(texts.begin(), texts.end());
    return {};
  }
  Status read_phrases(const NamedMark& named) {
    ANIMA_ASSIGN(const std::vector<std::string> texts, list(named.key));
    for (const std::string& text : texts) {
      StatementWords::Phrase phrase{words_in(text), named.mark};
      if (phrase.words.empty()) continue;
      std::string first = phrase.words.front();
      words_.phrases_[std::move(first)].push_back(std::move(phrase));
    }
    return {};
  }

  StatementWords& words_;
  const TomlDocument& document_;
};

Result<StatementWords> StatementWords::from_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  StatementWords words;
  ANIMA_TRY(StatementWordsReader(words, document).run());
  return words;
}

const StatementWords* StatementWords::of(std::string_view language) {
  return loaded_words<StatementWords>(kStatements, language);
}

const std::vector<const StatementWords*>& StatementWords::all() {
  static const std::vector<const StatementWords*> kAll = [] {
    std::vector<const StatementWords*> all;
    for (std::string_view path : pack_files(kStatements)) {
      path.remove_prefix(kStatements.size());
      if (path.ends_with(kTomlEnd))
        all.push_back(of(path.substr(0, path.size() - kTomlEnd.size())));
    }
    return all;
  }();
  return kAll;
}

Mark StatementWords::by_ending(const Lexeme& word) const {
  if (word.kind != Lexeme::Kind::kWord || word.text.size() < shortest_) return Mark::kNeutral;
  if (no_endings_.contains(word.text)) return Mark::kNeutral;
  if (ends_with_one(word.text, future_endings_)) return Mark::kFuture;
  return ends_with_one(word.text, past_endings_) ? Mark::kPast : Mark::kNeutral;
}

bool StatementWords::is_participle(const Lexeme& word) const {
  if (word.kind != Lexeme::Kind::kWord || perfect_.except.contains(word.text)) return false;
  const bool begins =
      perfect_.prefixes.empty() ||
      std::ranges::any_of(perfect_.prefixes, [&](const std::string& prefix) {
        return word.text.size() > prefix.size() + 2 && word.text.starts_with(prefix);
      });
  return begins && ends_with_one(word.text, perfect_.endings);
}

void StatementWords::add_phrases(const Lexemes& lexemes, std::size_t from, std::size_t to,
                                 std::vector<MarkAt>& out) const {
  for (std::size_t at = from; at < to;) {
    std::size_t longest = 0;
    if (const auto found = phrases_.find(lexemes[at].text); found != phrases_.end()) {
      for (const Phrase& phrase : found->second) {
        if (phrase.words.size() < longest) break;
        if (at + phrase.words.size() > to || !stands_at(lexemes, at, phrase.words)) continue;
        longest = phrase.words.size();
        if (phrase.mark != Mark::kNeutral) out.push_back({phrase.mark, at, at + longest});
      }
    }
    if (longest == 0) {
      const Mark mark = by_ending(lexemes[at]);
      if (mark != Mark::kNeutral) out.push_back({mark, at, at + 1});
    }
    at += std::max<std::size_t>(longest, 1);
  }
}

std::vector<MarkAt> StatementWords::marks(const Lexemes& lexemes, std::size_t from,
                                          std::size_t to) const {
  std::vector<MarkAt> all;
  add_phrases(lexemes, from, to, all);
  std::optional<std::size_t> helper;
  for (std::size_t at = from; at < to && !perfect_.helpers.empty(); ++at) {
    if (helper && is_participle(lexemes[at])) {
      all.push_back({Mark::kPast, *helper, at + 1});
      helper.reset();
    } else if (perfect_.helpers.contains(lexemes[at].text)) {
      helper = at;
    }
  }
  std::ranges::stable_sort(all, {}, &MarkAt::begin);
  // What stands behind "will" or "are" is part of it.
  std::vector<MarkAt> kept;
  std::size_t covering = 0, covered = 0;
  for (const MarkAt& one : all) {
    if (one.mark == Mark::kPast && one.begin >= covering && one.begin < covered) continue;
    kept.push_back(one);
    if (one.mark != Mark::kFuture && one.mark != Mark::kPresent) continue;
    covering = one.end;
    covered = one.end + covers_;
  }
  return kept;
}

namespace {

bool is_wholly(std::string_view sentence, Mark mark) {
  Lexemes words = cut_lexemes(sentence);
  std::erase_if(words, [](const Lexeme& lexeme) {
    return lexeme.text == "." || lexeme.text == "!" || lexeme.text == ",";
  });
  return std::ranges::any_of(StatementWords::all(), [&](const StatementWords* language) {
    return std::ranges::any_of(language->marks(words, 0, words.size()), [&](const MarkAt& found) {
      return found.mark == mark && found.begin == 0 && found.end == words.size();
    });
  });
}

}  // namespace

bool is_agreement(std::string_view sentence) { return is_wholly(sentence, Mark::kAgreeing); }

bool is_refusal(std::string_view sentence) { return is_wholly(sentence, Mark::kRefusing); }

}  // namespace anima::language
