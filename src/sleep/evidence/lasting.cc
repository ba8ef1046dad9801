#include "sleep/evidence/lasting.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "base/text/text.h"
#include "language/numbers/lexemes.h"
#include "language/statements/retraction.h"
#include "language/statements/statement_words.h"
#include "language/text/sentences.h"
#include "language/text/word_uses.h"

namespace anima::sleep::detail {
namespace {

struct LastingForm {
  std::string_view words;  // between subject and object
  std::string_view predicate;
  bool preference;
  bool reversed;  // the object is what the fact is about
};

// Longer forms before those that they contain.
constexpr LastingForm kForms[] = {
    {"really prefers", "prefers", true, false},
    {"prefers", "prefers", true, false},
    {"prefer", "prefers", true, false},
    {"really likes", "likes", true, false},
    {"likes", "likes", true, false},
    {"like", "likes", true, false},
    {"loves", "likes", true, false},
    {"love", "likes", true, false},
    {"dislikes", "dislikes", true, false},
    {"dislike", "dislikes", true, false},
    {"hates", "dislikes", true, false},
    {"hate", "dislikes", true, false},
    {"bevorzugt", "prefers", true, false},
    {"bevorzuge", "prefers", true, false},
    {"mag", "likes", true, false},
    {"now works at", "works_at", false, false},
    {"now works for", "works_at", false, false},
    {"works at", "works_at", false, false},
    {"works for", "works_at", false, false},
    {"work at", "works_at", false, false},
    {"work for", "works_at", false, false},
    {"arbeitet jetzt bei", "works_at", false, false},
    {"arbeitet bei", "works_at", false, false},
    {"now lives in", "lives_in", false, false},
    {"lives in", "lives_in", false, false},
    {"live in", "lives_in", false, false},
    {"moved to", "lives_in", false, false},
    {"wohnt in", "lives_in", false, false},
    {"now reports to", "reports_to", false, false},
    {"reports to", "reports_to", false, false},
    {"is now the owner of", "owned_by", false, true},
    {"is the owner of", "owned_by", false, true},
    {"now owns", "owned_by", false, true},
    {"owns", "owned_by", false, true},
    {"is owned by", "owned_by", false, false},
    {"is now owned by", "owned_by", false, false},
};

struct LastingMeaning {
  std::string_view predicate, description;
};
constexpr LastingMeaning kMeanings[] = {
    {"prefers", "The subject prefers what the object describes."},
    {"likes", "The subject likes what the object describes."},
    {"dislikes", "The subject does not like what the object describes."},
    {"works_at", "The subject works at the object; the last one counts."},
    {"lives_in", "The subject lives in the object; the last one counts."},
    {"reports_to", "The subject reports to the object; the last one counts."},
    {"owned_by", "The object owns the subject; the last one counts."},
};

constexpr std::size_t kMostSubjectWords = 4, kMostObjectWords = 6;
// The languages of the forms.
constexpr std::array<std::string_view, 2> kLanguages = {"en", "de"};

using language::Mark;
using language::StatementWords;

bool has_mark(const StatementWords& words, const language::Lexemes& lexemes,
              std::initializer_list<Mark> marks) {
  return std::ranges::any_of(words.marks(lexemes, 0, lexemes.size()),
                             [&](const language::MarkAt& found) {
                               return std::ranges::find(marks, found.mark) != marks.end();
                             });
}

bool is_question(std::string_view sentence) {
  return sentence.find('?') != std::string_view::npos ||
         sentence.find("\xef\xbc\x9f") != std::string_view::npos;
}

// Without "Ben: ", who says it.
std::string_view what_is_said(std::string_view sentence) {
  const std::size_t colon = sentence.find(": ");
  return colon == std::string_view::npos ? sentence : trim(sentence.substr(colon + 1));
}

language::Retraction retraction_of(std::string_view line) {
  return language::retraction_in(what_is_said(line));
}

// A line break ends a sentence, too: an event may have a line for each who spoke.
std::vector<std::string_view> sentences_of(std::string_view text) {
  std::vector<std::string_view> found;
  for (const std::string_view line : split(text, '\n')) {
    for (const language::TextSpan& each : language::sentences(line))
      found.push_back(line.substr(each.begin, each.end - each.begin));
  }
  return found;
}

bool is_article(std::string_view word) {
  return language::words_used_as("articles").contains(word);
}

struct SentenceWords {
  std::string_view text;
  std::vector<Word> words;
  std::vector<std::string> lower;
};

// Whether `form` stands at the words from `at` on.
std::size_t match_at(const SentenceWords& sentence, std::size_t at, std::string_view form) {
  std::size_t used = 0;
  for (const std::string_view part : split(form, ' ')) {
    if (at + used >= sentence.lower.size() || sentence.lower[at + used] != part) return 0;
    ++used;
  }
  return used;
}

std::string between(const SentenceWords& sentence, std::size_t first, std::size_t last) {
  const Word& end = sentence.words[last - 1];
  const std::size_t from = sentence.words[first].offset;
  return std::string(sentence.text.substr(from, end.offset + end.text.size() - from));
}

bool is_capital(const SentenceWords& sentence, std::size_t at) {
  return sentence.words[at].text != sentence.lower[at];
}

// Whether nothing but white space, or a sign within a name, stands before the word.
bool follows_closely(const SentenceWords& sentence, std::size_t at) {
  const std::size_t from =
      at == 0 ? 0 : sentence.words[at - 1].offset + sentence.words[at - 1].text.size();
  const std::string_view gap = sentence.text.substr(from, sentence.words[at].offset - from);
  return gap.find_first_not_of(at == 0 ? " \t" : " \t-.&'") == std::string_view::npos;
}

// Words that name one thing: no small one stands before a capital one ("presumably Initech"), nor
// behind it ("Ada presumably").
bool is_name(const SentenceWords& sentence, std::size_t first, std::size_t last) {
  for (std::size_t at = first; at < last; ++at) {
    const bool same = is_capital(sentence, at) == is_capital(sentence, first);
    if (!same || (at > first && !follows_closely(sentence, at))) return false;
  }
  return first < last;
}

bool is_speaker(std::string_view word) { return word == "i" || word == "ich"; }

// The words after the form, up to a comma or a word that begins something new.
std::string object_of(const SentenceWords& sentence, std::size_t first, bool named) {
  while (first < sentence.words.size() && is_article(sentence.lower[first])) ++first;
  std::size_t last = first;
  const language::WordSet& ends = language::words_used_as("end_of_object");
  while (last < sentence.words.size() && !ends.contains(sentence.lower[last])) {
    if (last > first) {
      const Word& before = sentence.words[last - 1];
      const std::size_t gap = before.offset + before.text.size();
      const std::string_view joint = sentence.text.substr(gap, sentence.words[last].offset - gap);
      if (joint.find_first_of(",;:()\"") != std::string_view::npos) break;
    }
    ++last;
  }
  if (last == first || last - first > kMostObjectWords) return {};
  if (named && !is_name(sentence, first, last)) return {};
  return between(sentence, first, last);
}

std::optional<LastingStatement> statement_in(const SentenceWords& sentence) {
  for (std::size_t at = 1; at <= kMostSubjectWords && at < sentence.words.size(); ++at) {
    for (const LastingForm& form : kForms) {
      const std::size_t used = match_at(sentence, at, form.words);
      if (used == 0) continue;
      std::size_t first = 0;
      while (first < at && is_article(sentence.lower[first])) ++first;
      if (first == at || !follows_closely(sentence, 0)) return std::nullopt;
      const bool named =
          is_capital(sentence, first) || is_speaker(sentence.lower[first]) || first > 0;
      if (!named || !is_name(sentence, first, at)) return std::nullopt;
      LastingStatement found{form.preference,
                             between(sentence, first, at),
                             std::string(form.predicate),
                             object_of(sentence, at + used, !form.preference),
                             std::string(sentence.text),
                             {}};
      if (found.object.empty()) return std::nullopt;
      if (form.reversed) std::swap(found.subject, found.object);
      return found;
    }
  }
  return std::nullopt;
}

SentenceWords words_of(std::string_view each) {
  SentenceWords sentence;
  const std::size_t last = each.find_last_not_of(".!");
  sentence.text = last == std::string_view::npos ? each : each.substr(0, last + 1);
  sentence.words = split_words(sentence.text);
  for (const Word& word : sentence.words) sentence.lower.push_back(fold_case(word.text));
  return sentence;
}

}  // namespace

std::string_view not_taken_back(std::string_view text) {
  std::size_t from = 0;
  for (const std::string_view sentence : sentences_of(text)) {
    if (retraction_of(sentence) == language::Retraction::kCertain)
      from = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
  }
  return text.substr(from);
}

std::vector<LastingStatement> lasting_statements(std::string_view text) {
  std::vector<LastingStatement> found;
  const auto doubt = [&found](std::string_view each) {
    if (retraction_of(each) != language::Retraction::kPerhaps) return;
    for (LastingStatement& before : found) {
      if (before.doubt.empty()) before.doubt = each;
    }
  };
  for (const std::string_view each : sentences_of(not_taken_back(text))) {
    if (is_stated(each)) {
      if (auto statement = statement_in(words_of(each))) found.push_back(std::move(*statement));
    }
    doubt(each);
  }
  return found;
}

bool is_stated(std::string_view sentence) {
  if (is_question(sentence)) return false;
  const language::Lexemes lexemes = language::cut_lexemes(sentence);
  return std::ranges::none_of(kLanguages, [&](std::string_view code) {
    const StatementWords* const words = StatementWords::of(code);
    return words != nullptr &&
           has_mark(*words, lexemes,
                    {Mark::kNegation, Mark::kHearsay, Mark::kWish, Mark::kCondition});
  });
}

std::string_view lasting_description(std::string_view predicate) {
  for (const LastingMeaning& meaning : kMeanings) {
    if (meaning.predicate == predicate) return meaning.description;
  }
  return {};
}

}  // namespace anima::sleep::detail
