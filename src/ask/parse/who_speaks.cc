#include "ask/parse/who_speaks.h"

#include "ask/parse/statements/sentence_lead.h"
#include "memory/speakers.h"

namespace anima::ask {

WhoSpeaks who_speaks(const store::Snapshot& now, const std::string& name, bool own) {
  WhoSpeaks who{name, memory::person_speaking(now, name)};
  if (!who.person && own) who.person = store::EntityId::kNone;
  return who;
}

std::vector<Piece> with_speaker(const std::vector<Piece>& pieces, const WhoSpeaks& speaker,
                                const Pack& pack) {
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    const bool owner = is_class(pack, piece, WordClass::kOfSpeaker);
    if (!owner && !is_class(pack, piece, WordClass::kSpeaker)) {
      out.push_back(piece);
      continue;
    }
    for (const std::string& word : cut_name(speaker.name)) {
      out.push_back(piece);
      out.back().folded = word;
      out.back().speaker = speaker.person;
    }
    if (!owner) continue;
    out.push_back(piece);
    out.back().kind = Piece::Kind::kPossessive;
    out.back().folded = "'s";
  }
  return out;
}

}  // namespace anima::ask
