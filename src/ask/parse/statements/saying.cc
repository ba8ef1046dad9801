#include "ask/parse/statements/saying.h"

#include <algorithm>

#include "ask/parse/statements/saying_contrast.h"
#include "ask/parse/statements/saying_reader.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::ask {
namespace {

using store::Triple;

// "The owner of gitea is Ben, not Ada": where Ada is what the space says by now. Another word
// behind the "not" may say anything of what was told ("not sure").
std::optional<Said> read_contrast(const Lexicon& lexicon, std::string_view sentence, AskTime now,
                                  const SayingContext& context) {
  const auto contrast = contrast_in(sentence, lexicon.pack().language());
  if (!contrast) return std::nullopt;
  Said said = SayingReader(lexicon, contrast->told, now, context).run();
  if ((said.saying != Saying::kFact && said.saying != Saying::kCorrects) || !said.fact)
    return std::nullopt;
  const auto held = HeldFacts(lexicon, now).about(said.fact->subject, *said.fact);
  const bool known = std::ranges::any_of(held, [&](const Triple& one) {
    return same_text(store::term_label(lexicon.snapshot(), one.object), contrast->other);
  });
  return known ? std::optional(std::move(said)) : std::nullopt;
}

}  // namespace

Said read_saying(const Lexicon& lexicon, std::string_view sentence, AskTime now,
                 const SayingContext& context) {
  Said said = SayingReader(lexicon, sentence, now, context).run();
  if (said.saying != Saying::kText) return said;
  return read_contrast(lexicon, sentence, now, context).value_or(std::move(said));
}

}  // namespace anima::ask
