#include "agent/loop/detail/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "agent/mind/episodes.h"
#include "base/text/text.h"
#include "store/symbols.h"

namespace anima::agent::detail {
namespace {

constexpr std::size_t kMaxSymbols = 64;
constexpr std::size_t kMaxProposals = 10'000;

}  // namespace

Status Bench::propose(tools::Proposal proposal) {
  if (proposals.size() >= kMaxProposals) {
    return fail(ErrorCode::kLimitExceeded, "a tool proposes more than 10000 statements");
  }
  proposals.push_back(std::move(proposal));
  return {};
}

std::vector<tools::RecalledEpisode> Bench::recall(std::span<const store::EntityId> symbols,
                                                  std::size_t limit) {
  return recall_episodes(snapshot_, symbols, limit);
}

Result<tools::RuleAnswer> Bench::ask_rules(const std::string& query) {
  ANIMA_ASSIGN(const memory::Reasoner* reasoner, rules_.at(snapshot_, now_));
  tools::RuleAnswer result;
  result.query = query;
  result.derived = reasoner->derived();
  if (query.empty()) return result;
  if (question_) {
    ANIMA_ASSIGN(answer, memory::answer_question(*reasoner, *question_));
    result.question = answer->pattern;
    result.text = answer->text;
    result.rows = answer->rows;
  } else {
    ANIMA_ASSIGN(const std::vector<memory::RuleRow> rows, reasoner->ask(query));
    for (const memory::RuleRow& row : rows) result.rows.push_back(row.fact);
    std::sort(result.rows.begin(), result.rows.end());
    result.text = fmt::format("{} fact{} for {}", rows.size(), rows.size() == 1 ? "" : "s", query);
  }
  if (!result.rows.empty()) result.text += ": " + join(result.rows, ", ");
  for (std::size_t i = 0; i < result.rows.size() && i < kMaxSymbols; ++i) {
    if (const auto symbol = store::find_symbol(snapshot_, result.rows[i])) {
      result.symbols.push_back(*symbol);
    }
  }
  std::sort(result.symbols.begin(), result.symbols.end());
  return result;
}

}  // namespace anima::agent::detail
