#include "ask/parse/statements/saying_contrast.h"

#include "base/text/text.h"
#include "language/frames/frame_words.h"
#include "language/numbers/lexemes.h"

namespace anima::ask {

std::optional<Contrast> contrast_in(std::string_view sentence, std::string_view language) {
  const language::FrameWords* words = language::FrameWords::of(language);
  if (words == nullptr) return std::nullopt;
  const language::Lexemes lexemes = language::cut_lexemes(sentence);
  for (std::size_t at = lexemes.size(); at-- > 1;) {
    for (const language::FrameWords::Phrase& phrase : words->contrasts) {
      const std::size_t behind = at + phrase.size();
      if (behind >= lexemes.size() || !language::stands_at(lexemes, at, phrase)) continue;
      std::string_view other = trim(sentence.substr(lexemes[behind].begin));
      if (other.ends_with('.')) other.remove_suffix(1);
      return Contrast{std::string(trim(sentence.substr(0, lexemes[at].begin))),
                      std::string(trim(other))};
    }
  }
  return std::nullopt;
}

}  // namespace anima::ask
