// The labels of a call's arguments by what the graph says: an argument that is the name of a
// concept or a stated text has the trust of who stated it, the most trusted when several did. An
// argument that is no stated text but holds some as a part (an address, or three to eight words in
// a row, govern/detect/text_pieces.h) has the least trust of those parts; a phrase inside a longer
// stated one counts with that. What nobody stated has no label of its own. So an argument that an
// agent took from an imported page is judged as that page, whoever asks; what an agent derives or
// notes of statements is trusted as they are. Thread-safety: functions over a Snapshot. Complexity:
// linear in the argument with O(log n) a word and at most 64 statements of each part; texts beyond
// 64 KiB are looked at by their first 64 KiB. Source: governance specification 1.7; DATA.md 14.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json/json.h"
#include "govern/rules/permissions.h"
#include "store/snapshot.h"

namespace anima::tools {

// Of a statement: as the most trusted who asserts it; nothing when nobody does.
std::optional<govern::Trust> statement_trust(const store::Snapshot& snapshot,
                                             const store::Triple& statement);
// Of what is stated of these entities and between any two of them: the least. Nothing when nothing
// is. At most 256 links of each are looked at; where there are more it is at most kUntrusted.
std::optional<govern::Trust> least_trust_among(const store::Snapshot& snapshot,
                                               std::span<const store::EntityId> entities);

// Of the whole text.
std::optional<govern::Trust> fact_label(const store::Snapshot& snapshot, std::string_view text);
// The least trusted stated part of a text.
struct FactPart {
  std::string_view text;
  govern::Trust trust = govern::Trust::kUntrusted;
};
std::optional<FactPart> least_trusted_part(const store::Snapshot& snapshot, std::string_view text);

// Of texts, numbers and booleans, of those inside lists and objects, and of the names of arguments
// and members. A number of fewer than six digits says nothing of where it came from.
std::vector<govern::ArgumentOrigin> argument_origins(const store::Snapshot& snapshot,
                                                     const Json& arguments);

}  // namespace anima::tools
