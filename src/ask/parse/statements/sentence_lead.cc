#include "ask/parse/statements/sentence_lead.h"

#include <algorithm>

namespace anima::ask {

using language::Mark;

bool is_class(const Pack& pack, const Piece& piece, WordClass word_class) {
  const bool word = piece.kind == Piece::Kind::kWord && !piece.is_part();
  const auto* uses = word ? pack.uses(piece.folded) : nullptr;
  return uses != nullptr && std::any_of(uses->begin(), uses->end(), [&](const PackUse& use) {
           return use.kind == PackUse::Kind::kClass && use.word_class == word_class;
         });
}

// "Wrong: Ada lives in Oslo" is said of what comes, not of what was.
bool SentenceLead::colon_before(const std::vector<Piece>& pieces, std::size_t at) const {
  if (at == 0 || at >= pieces.size() || pieces[at].begin < pieces[at - 1].end) return false;
  const std::size_t from = pieces[at - 1].end;
  return sentence_.substr(from, pieces[at].begin - from).find(':') != std::string_view::npos;
}

bool SentenceLead::pause_before(const std::vector<Piece>& pieces, std::size_t at) const {
  if (at == 0 || at >= pieces.size()) return true;
  const std::size_t from = pieces[at - 1].end;
  if (pieces[at].begin < from) return false;  // both of one contraction
  return sentence_.substr(from, pieces[at].begin - from).find_first_of(",.:;!-") !=
         std::string_view::npos;
}

// The number of pieces that "I" begins with.
std::size_t SentenceLead::speaker_pieces(const std::vector<Piece>& pieces) const {
  if (pieces.empty()) return 0;
  if (is_class(pack_, pieces[0], WordClass::kSpeaker)) return 1;
  const std::vector<std::string> name = cut_name(speaker_);
  const bool named =
      name.size() <= pieces.size() &&
      std::equal(name.begin(), name.end(), pieces.begin(),
                 [](const std::string& word, const Piece& piece) { return piece.folded == word; });
  return named ? name.size() : 0;
}

SentenceLead::TakingBack SentenceLead::taking_back(const std::vector<Piece>& pieces) const {
  const bool of_it = !pieces.empty() && (is_class(pack_, pieces[0], WordClass::kPronounThing) ||
                                         is_class(pack_, pieces[0], WordClass::kRelative));
  std::size_t at = 0;
  std::size_t count = marks_.count_of(Mark::kRetraction, pieces, 0);
  // "Wrong, 333" corrects.
  if (count > 0 && count == marks_.count_of(Mark::kCorrecting, pieces, 0)) return {};
  if (count == 0) {
    at = of_it ? 1 : speaker_pieces(pieces);
    if (at == 0) return {};
    count = marks_.count_of(Mark::kRetraction, pieces, at);
    if (count == 0 && at < pieces.size() && is_class(pack_, pieces[at], WordClass::kBe))
      count = marks_.count_of(Mark::kRetraction, pieces, ++at);
  }
  if (count == 0 || !pause_before(pieces, at + count) || colon_before(pieces, at + count))
    return {};
  // "Untrue, Ada lives in Oslo": of which of the two?
  if (!of_it && at + count < pieces.size()) return {};
  return {at + count, of_it};
}

// A word that has other uses ("no service") needs a pause behind it.
std::size_t SentenceLead::correcting(const std::vector<Piece>& pieces) const {
  const std::size_t count = marks_.count_of(Mark::kCorrecting, pieces, 0);
  const bool denies = count > 0 && count == marks_.count_of(Mark::kRetraction, pieces, 0);
  if (denies && colon_before(pieces, count)) return 0;
  const bool other_use = denies || (count == 1 && pack_.uses(pieces[0].folded) != nullptr);
  if (count == 0 || !other_use || pause_before(pieces, count)) return count;
  if (count > 1) return 0;
  const bool pronoun = is_class(pack_, pieces[1], WordClass::kPronounThing) ||
                       is_class(pack_, pieces[1], WordClass::kPronounPerson);
  return pronoun ? count : 0;
}

SentenceLead::Taken SentenceLead::take(std::vector<Piece>& pieces) const {
  Taken taken;
  for (;;) {
    const TakingBack back = taking_back(pieces);
    const std::size_t count = back.pieces > 0 ? back.pieces : correcting(pieces);
    if (count == 0) return taken;
    taken.corrects = true;
    taken.takes_back = taken.takes_back || back.pieces > 0;
    taken.of_it = taken.of_it || back.of_it;
    taken.meant = back.pieces == 0 && count > 1;
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace anima::ask
