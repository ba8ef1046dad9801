// Where a text or a record names something that is forgotten, and the text without it.
//
// A name is found as language/names/occurrences.h finds one. Two things are left: what is the name
// of another thing ("Paula Berg" and "Ben Berger" name nobody who is called Paul or Ben, where
// somebody is called so), and a letter of a script without blanks inside a longer run, for it is
// part of too many words. A name that is one token, as an address is, is found as the whole
// (whole_token.h). A name without a letter ("0170-55512", "50%", "++") is found with the signs that
// it is written with, and not inside a longer one ("1-2" in "1-2-3", "128" in "-128"); one of signs
// alone stands between blanks. Where signs leave it open whether a text names something ("C+",
// "Berg, Ada, Tom"), the text is in doubt: it names nothing and is listed, but where what is in
// doubt shall be taken, too. Thread-safety: never changes; any thread may ask. Complexity: that of
// language::NameFinder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "language/names/occurrences.h"
#include "language/text/plain_reading.h"
#include "memory/detail/whole_token.h"

namespace anima::memory::detail {

// Equal for texts that differ in case, the normal form, the kind of blanks and those around alone.
std::string same_written(std::string_view text);

// What a place is that may be of a name, or of something else.
enum class Doubt : std::uint8_t { kIsListed, kIsTaken };

class ForgottenNames {
 public:
  // `others`: what is called otherwise, and stays. A place in a text that is one of these, or lies
  // inside one, is none of `names`; where both fit it alike, the one written as it is has it.
  explicit ForgottenNames(std::vector<std::string> names, std::vector<std::string> others = {},
                          Doubt doubt = Doubt::kIsListed);

  Naming judge(std::string_view text) const;
  // A text, or JSON with texts: these are looked at as they are meant, not as they are escaped. In
  // a record, what the program itself calls a member is no text; in a value, every key is.
  Naming judge_payload(std::string_view payload) const;
  Naming judge_value(std::string_view json) const;
  bool in(std::string_view text) const { return judge(text) == Naming::kNames; }
  bool in_payload(std::string_view payload) const {
    return judge_payload(payload) == Naming::kNames;
  }
  // Whether the text is the beginning of `whole`, cut inside a name.
  bool cut_in(std::string_view text, std::string_view whole) const;
  // Whether a place of the text where `part` stands is in one of a name, or a name in it: "Anna
  // Berts" of a text that names "Anna Bert" so.
  bool shares_place(std::string_view part, std::string_view text) const;
  // The words around the first place that is in doubt; of a text without one, its beginning.
  std::string around_doubt(std::string_view text) const;
  // With kForgotten in the place of each name.
  std::string without(std::string_view text) const;
  // A record that is evidence: what its readers decide by stays as it is, such as the role, the
  // tool and the kind of event, whatever it is called.
  Json evidence_without(const Json& record) const;

  static constexpr std::string_view kForgotten = "[forgotten]";

 private:
  struct Place {
    std::size_t begin = 0, end = 0;  // bytes of a reading, or of the text
  };
  struct Places {
    std::vector<Place> sure, in_doubt;
  };
  Places find(const language::PlainReading& text) const;
  // As the text is written: in order, those that overlap as one.
  std::vector<Place> find_written(std::string_view text) const;
  // Whether the place is that of another thing's name; in doubt where that name is.
  Naming another_at(std::string_view text, const language::NameOccurrence& place,
                    const std::vector<language::NameOccurrence>& others) const;
  // A number of a text, the signs before it, and its place.
  struct Run {
    std::string signs, word;
    std::size_t begin = 0, end = 0;
  };
  static std::vector<Run> runs_of(std::string_view text);
  static Naming value_at(const std::vector<Run>& value, const std::vector<Run>& text,
                         std::size_t at);
  static Naming of_longer_number(const std::vector<Run>& text, std::size_t first,
                                 std::size_t behind);
  struct Value {
    std::vector<Run> runs;
    std::size_t name = 0;
  };
  void find_values(std::string_view text, Places& places) const;
  void find_signs(std::string_view text, std::vector<Place>& places) const;
  Naming judge_json(const Json& value, bool data) const;
  Json json_without(const Json& value, bool evidence) const;

  Doubt doubt_;
  std::vector<std::string> names_, other_names_;  // as case and the normal form do not differ
  language::NameFinder finder_, others_;
  std::vector<WholeToken> tokens_;  // of each name, what it is part of
  std::vector<Value> values_;       // names with digits and no letter
  std::vector<std::string> signs_;  // names of neither
};

}  // namespace anima::memory::detail
