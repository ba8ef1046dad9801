#include "datalog/space/faded_links.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "datalog/space/space_relation.h"
#include "store/fading.h"

namespace anima::datalog {
namespace {

constexpr std::array<std::uint32_t, 3> kGiven{0, 1, 2};

// Of several links that have these names, the one that is believed most.
std::optional<double> most_of(const SpaceState& state, const SpaceRelation& relation, Code subject,
                              Code object, const store::Fading& fading) {
  std::optional<double> most;
  const std::array<Code, 2> row{subject, object};
  for (const store::Triple& triple : relation.statements(row)) {
    const auto link = state.snapshot.find_proposition(triple);
    const auto faded = link ? store::faded_confidence(state.snapshot, *link, fading) : std::nullopt;
    if (faded && (!most || *faded > *most)) most = faded;
  }
  return most;
}

}  // namespace

bool asks_for_faded_links(const Predicate& predicate) {
  return predicate.external && predicate.columns == 4 && predicate.name == "faded_confidence";
}

Status FadedLinks::answer(std::span<const std::uint32_t> columns, std::span<const Code> inputs,
                          std::size_t count, ValueTable& values, std::vector<Code>& rows) {
  if (!std::ranges::equal(columns, kGiven)) {
    return fail(ErrorCode::kUnsupported, "faded_confidence is asked for a relation, S and O", {},
                "declare it with mode('+', '+', '+', '-')");
  }
  const std::shared_ptr<const SpaceState> state = state_();
  const store::Fading fading{clock_->now()};
  for (std::size_t i = 0; i < count; ++i) {
    const Code* const input = inputs.data() + i * kGiven.size();
    const ValueView relation = values.view(input[0]);
    if (relation.kind != ValueKind::kString) continue;
    const auto links = state->links->by_name.find(std::string(relation.text));
    if (links == state->links->by_name.end()) continue;
    const SpaceRelation read(state, SpaceKind::kLink, links->second);
    const auto faded = most_of(*state, read, input[1], input[2], fading);
    if (faded) rows.insert(rows.end(), {input[0], input[1], input[2], values.real(*faded)});
  }
  return {};
}

}  // namespace anima::datalog
