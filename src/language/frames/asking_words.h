// How a language asks for what frames tell (packs/language/frame_questions/LANG.toml). The verbs
// and nouns themselves are those of the frames (frame_words.h); here is what turns them into
// questions.
//
// The lists, phrases each:
//   subject                    asks for the subject: "who"
//   helpers_first, ..._third, ..._past
//                              what a verb is asked with ("do I live"); without them each verb goes
//                              before its subject ("wohne ich")
//   inverted                   verbs that go there themselves, all the same ("am I")
//   not_asked                  words of denials: a verb with one is not asked with
//   of_speaker                 "my", in all its forms
//   since, began, ended        "since when", "when": when what is told began to hold, or ended
//   fillers                    may stand between the parts, beside those of the frames
//   whether_nouns, have_nouns, count_nouns
//                              "is O N", "do S have a M", "how many M do S have"; S, O: the sides;
//                              N: somebody's noun; M: a noun alone
// The tables:
//   past       a verb's present and its past: lives = "lived"
//   perfect    its parts in the perfect: wohne = "habe gewohnt"
//   base       of what began or ended: moved = "move"
//   fronts     by what a relation leads to: `plain`, and by preposition what asks with it or in its
//              place (in = "where"); `nouns`: "who is N"; `nouns_past`
//   asked      by relation: whole questions for its object, "how old am S"
//   roles      by relation: nouns that name one role, under its name in all languages; a noun that
//              ends with one is of that role, and more special. All others name any role.
// Thread-safety: constant once loaded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/frames/frame_words.h"

namespace anima::language {

class AskingWords {
 public:
  using Phrases = FrameWords::Phrases;
  using Templates = std::vector<std::vector<std::string>>;  // words; sides in capitals

  static Result<AskingWords> from_toml(std::string_view text, std::string source);
  // Null for a language that has none.
  static const AskingWords* of(std::string_view language);

  struct Fronts {
    Phrases plain;
    std::vector<std::pair<std::vector<std::string>, Phrases>> by_preposition;  // longest first
    Templates nouns, nouns_past;
  };
  struct Role {
    std::string name;
    std::vector<std::string> nouns;
  };

  std::string language;
  Phrases subject, helpers_first, helpers_third, helpers_past, inverted, not_asked, of_speaker;
  Phrases since, began, ended, fillers;
  Templates whether_nouns, have_nouns, count_nouns;
  std::map<std::string, std::string, std::less<>> past, perfect, base;
  std::map<std::string, Fronts, std::less<>> fronts;
  std::map<std::string, Templates, std::less<>> asked;
  std::map<std::string, std::vector<Role>, std::less<>> roles;

  // The role of a noun of the relation, and whether the noun says no more than that. Null: it names
  // any.
  const Role* role_of(std::string_view relation, std::string_view noun, bool& exactly) const;
};

}  // namespace anima::language
