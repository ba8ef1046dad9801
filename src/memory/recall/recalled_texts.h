// Which arguments of a call took something from texts that were recalled, or came out of a tool: an
// address of them, the host of one, a number, or four words in a row. Such an argument carries the
// label of the text, so that an address that a model copied out of an outsider's note chooses no
// recipient. Where several texts hold the same piece the most trusted counts; of several pieces in
// an argument the least trusted does. A piece is known by its hash, without regard to case, to
// forms of letters, to what nobody sees and to what stands between words. Two million pieces are
// remembered; after that every argument has the label of what was not. Thread-safety: one thread at
// a time. Complexity: linear in the texts, and in the arguments. Source: docs/governance.md,
// "Trust"; governance specification 1.7.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json/json.h"
#include "govern/rules/permissions.h"
#include "memory/recall/recall_context.h"

namespace anima::memory {

class RecalledTexts {
 public:
  // Without the pieces that stand in the texts of `but`: whoever named them knew them before.
  void add(std::string_view text, govern::Trust trust, std::string_view source,
           const Json& but = {});
  // Everything in a tool's result but what its arguments said. The ids, paths and names by which a
  // tool is asked again count for arguments that do not do that: a recipient, an address.
  void add_result(const Json& result, govern::Trust trust, std::string_view source,
                  const Json& arguments);
  // The owner's own words. What nobody less trusted had said before is his, from now on and for
  // good; of what somebody had, nobody knows whether he chose it: it counts as standard, for which
  // he is asked.
  void vouch(std::string_view text, std::string_view source);
  // Every item that went in, whole or cut, with the names that its label shows.
  void add(const RecalledContext& context);
  bool empty() const { return pieces_.empty(); }
  // Whether something in the arguments can be known again in another text at all.
  static bool tells_something(const Json& arguments);
  // Whether an argument says what nobody said: an address or number that stands in no text here, or
  // words that the owner did not use where it has neither. Who has read an outsider's text may have
  // made it of that, decoded, joined or put in other words. Of a command it is never said: that is
  // judged by what it does (govern/rules/rehearsal.h).
  bool is_news(std::string_view argument, const Json& value) const;
  // One label an argument at most, by the names of the object. Texts, numbers, booleans and names
  // of members count for the argument that they stand in or that they name.
  std::vector<govern::ArgumentOrigin> origins(const Json& arguments) const;

 private:
  struct Piece {
    govern::Trust trust = govern::Trust::kUntrusted;
    std::uint32_t source = 0;
    bool name = false;  // only ever the name of a thing of a tool
  };
  void put(std::string_view text, govern::Trust trust, std::string_view source, const Json& but,
           bool name);
  const Piece* least_trusted(std::string_view name, const Json& value, bool names) const;

  std::unordered_map<std::uint64_t, Piece> pieces_;
  std::unordered_set<std::uint64_t> owners_words_;
  std::vector<std::string> sources_;
  std::optional<govern::Trust> forgotten_;
};

}  // namespace anima::memory
