#include "agent/conversation/unlearnt_lines.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/text/valid_text.h"
#include "govern/ledger/audit_chain.h"
#include "govern/trust.h"
#include "store/act.h"
#include "store/own_graphs.h"

namespace anima::agent {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::string_view kLineType = "UnlearntLine";

std::string line_text(const Snapshot& lines, EntityId line, std::string_view key) {
  const auto term = lines.attribute(line, key);
  return term ? std::string(lines.value(*term).text) : std::string();
}

UnlearntLine read_line(const Snapshot& lines, EntityId entity) {
  UnlearntLine read;
  read.id = lines.name(entity);
  read.session = line_text(lines, entity, "session");
  read.line.text = line_text(lines, entity, "text");
  read.line.speaker = line_text(lines, entity, "speaker");
  read.line.trust =
      govern::parse_trust(line_text(lines, entity, "trust")).value_or(govern::Trust::kUntrusted);
  double turn = 0;
  const auto number = lines.attribute(entity, "turn");
  if (number && lines.number(*number, &turn) && turn >= 0)
    read.line.turn = static_cast<std::size_t>(turn);
  read.said = parse_timestamp(line_text(lines, entity, "said")).value_or(Timestamp{});
  return read;
}

}  // namespace

Result<std::string> UnlearntLines::add(const store::Origin& origin, const std::string& session,
                                       const SpokenLine& line, Timestamp said) {
  const std::string id = govern::make_uuid(random_);
  const std::pair<std::string_view, std::string> texts[] = {
      {"session", valid_text(session)},
      {"text", valid_text(line.text)},
      {"speaker", valid_text(line.speaker)},
      {"trust", std::string(govern::trust_name(line.trust))},
      {"said", format_timestamp(said)}};
  const auto written = space_.write(origin, [&](store::Transaction& transaction) -> Status {
    store::AssertOptions place;
    place.graph = transaction.graph(kUnlearntGraph);
    ANIMA_ASSIGN(const EntityId type, transaction.upsert_type(kLineType, place));
    ANIMA_ASSIGN(const EntityId entity, transaction.upsert_concept(type, id, place));
    for (const auto& [key, text] : texts) {
      ANIMA_ASSIGN(const store::Term term, transaction.term(store::Value::string(text).view()));
      ANIMA_TRY(transaction.set_attribute(entity, key, std::span(&term, 1), place));
    }
    const auto turn = store::Value::of(static_cast<std::int64_t>(line.turn));
    ANIMA_ASSIGN(const store::Term number, transaction.term(turn.view()));
    return transaction.set_attribute(entity, "turn", std::span(&number, 1), place);
  });
  if (!written) return fail(written.error());
  return id;
}

Result<std::vector<UnlearntLine>> UnlearntLines::all() {
  std::vector<UnlearntLine> left;
  ANIMA_ASSIGN(const Snapshot now, space_.snapshot());
  const Snapshot lines = store::in_graph(now, kUnlearntGraph);
  const auto type = lines.find_type(kLineType);
  if (!type) return left;
  store::Scratch scratch;
  const auto found = lines.subjects(store::kTypePredicate, store::Term::entity(*type), scratch);
  std::vector<std::uint32_t> ids(found.begin(), found.end());
  std::sort(ids.begin(), ids.end());  // as they were made
  for (const std::uint32_t id : ids) left.push_back(read_line(lines, static_cast<EntityId>(id)));
  return left;
}

Status UnlearntLines::learnt(const store::Origin& origin, const std::vector<std::string>& ids) {
  if (ids.empty()) return {};
  return space_
      .write(origin,
             [&](store::Transaction& transaction) -> Status {
               const store::GraphId graph = transaction.graph(kUnlearntGraph);
               const Snapshot lines = store::in_graph(transaction.view(), kUnlearntGraph);
               const auto type = lines.find_type(kLineType);
               for (const std::string& id : ids) {
                 const auto line = type ? lines.find_concept(*type, id) : std::nullopt;
                 if (line) ANIMA_TRY(transaction.retract_concept(*line, graph, true));
               }
               return {};
             })
      .map([](const store::Receipt&) {});
}

Result<std::vector<LearntFact>> learn_left_lines(GovernedHouse& house, SpaceAsker& asker,
                                                 UnlearntLines& lines,
                                                 const store::Origin& origin) {
  std::vector<LearntFact> all;
  ANIMA_ASSIGN(const std::vector<UnlearntLine> left, lines.all());
  for (const UnlearntLine& each : left) {
    const auto learn = [&]() -> Result<std::vector<LearntFact>> {
      const std::vector<SpokenLine> said{each.line};
      const auto found = facts_by_rules(asker, said, each.said);
      ANIMA_ASSIGN(auto learnt, keep_facts(house, each.session, said, found, {}));
      ANIMA_TRY(lines.learnt(origin, {each.id}));
      return learnt;
    };
    ANIMA_ASSIGN(auto learnt, store::as_whole_act(house.space(), learn));
    std::move(learnt.begin(), learnt.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace anima::agent
