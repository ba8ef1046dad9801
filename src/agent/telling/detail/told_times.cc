#include "agent/telling/detail/told_times.h"

#include <algorithm>
#include <tuple>

#include "agent/json_fields.h"
#include "agent/telling/detail/told_statements.h"
#include "store/restate.h"
#include "store/statements.h"
#include "store/symbols.h"

namespace anima::agent::detail {

using store::EntityId;
using store::Snapshot;
using store::Term;
using store::Triple;

namespace {

constexpr std::string_view kTold = "told", kBegins = "begins", kEnds = "ends", kAt = "at",
                           kNamed = "named", kSaidEarlier = "said_earlier", kMoves = "moves",
                           kFromNow = "from_now", kCorrects = "corrects", kNewer = "newer",
                           kRecord = "record";

Json to_json(const ToldTime& time) {
  Json json = Json::object({{std::string(kTold), format_timestamp(time.told)},
                            {std::string(time.ends ? kEnds : kBegins), true},
                            {std::string(kRecord), time.word.provenance}});
  if (time.at) json.set(kAt, format_timestamp(*time.at));
  const std::pair<std::string_view, bool> flags[] = {{kNamed, time.named},
                                                     {kSaidEarlier, time.said_earlier},
                                                     {kMoves, time.moves},
                                                     {kFromNow, time.from_now},
                                                     {kCorrects, time.corrects}};
  for (const auto& [name, is] : flags)
    if (is) json.set(name, true);
  if (!time.newer.empty()) json.set(kNewer, time.newer);
  return json;
}

std::optional<ToldTime> from_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  const auto told = parse_timestamp(agent::text_of(*json, kTold));
  if (!told || (!flag_of(*json, kEnds) && !flag_of(*json, kBegins))) return std::nullopt;
  ToldTime time;
  time.told = *told;
  time.ends = flag_of(*json, kEnds);
  if (const auto at = parse_timestamp(agent::text_of(*json, kAt))) time.at = *at;
  time.named = flag_of(*json, kNamed);
  time.said_earlier = flag_of(*json, kSaidEarlier);
  time.moves = flag_of(*json, kMoves);
  time.from_now = flag_of(*json, kFromNow);
  time.corrects = flag_of(*json, kCorrects);
  time.newer = agent::text_of(*json, kNewer);
  return time;
}

// One for each record of provenance, so that who undoes one of them leaves the others.
std::string key_of(std::uint64_t provenance) {
  return std::string(kToldTimes) + std::to_string(provenance);
}

bool is_key(const Snapshot& now, store::Predicate predicate) {
  return store::predicate_label(now, predicate).starts_with(kToldTimes);
}

std::optional<ToldTime> read(const Snapshot& now, const Triple& kept) {
  auto time = from_json(now.value(kept.object).text);
  const auto assertions = now.assertions(kept);
  if (!time || assertions.empty()) return std::nullopt;
  const store::Assertion& word = assertions.front();
  time->link = now.triple_of(kept.subject);
  time->word = {word.provenance, word.confidence, word.born};
  time->trust = now.entry(word.born).trust;
  time->value = kept.object;
  return time;
}

}  // namespace

bool was_told_before(const ToldTime& a, const ToldTime& b) {
  return std::tuple(a.told.microseconds, a.word.entry, a.word.provenance, a.at) <
         std::tuple(b.told.microseconds, b.word.entry, b.word.provenance, b.at);
}

std::vector<ToldTime> told_times(const Snapshot& now, const Triple& link) {
  std::vector<ToldTime> times;
  const auto known = now.known_proposition(link);
  if (!known) return times;
  store::Pattern pattern;
  pattern.subject = *known;
  pattern.predicate_class = store::PredicateClass::kMetadata;
  store::each_statement(now, pattern, [&](const Triple& row) {
    if (!is_key(now, row.predicate)) return;
    if (auto time = read(now, row)) times.push_back(std::move(*time));
  });
  std::ranges::sort(times, was_told_before);
  return times;
}

std::vector<ToldTime> told_times_with(const Snapshot& now, std::uint64_t provenance) {
  std::vector<ToldTime> times;
  const auto key = now.find_string(key_of(provenance));
  if (!key) return times;
  store::Pattern pattern;
  pattern.predicate = store::Predicate::metadata(*key);
  store::each_statement(now, pattern, [&](const Triple& row) {
    if (auto time = read(now, row)) times.push_back(std::move(*time));
  });
  std::ranges::sort(times, was_told_before);
  return times;
}

Status keep_told_time(store::Transaction& transaction, ToldTime& time, store::GraphId graph) {
  const auto link = transaction.live().known_proposition(time.link);
  if (!link) return {};
  ANIMA_ASSIGN(time.value, transaction.term(store::Value::from_json(to_json(time)).view()));
  ANIMA_ASSIGN(const Term key,
               transaction.term(store::Value::string(key_of(time.word.provenance)).view()));
  store::AssertOptions options;
  options.graph = graph;
  options.confidence = time.word.confidence;
  options.provenance = time.word.provenance;
  const Triple kept{*link, store::Predicate::metadata(key), time.value};
  return store::restate(transaction, kept, options, time.word.entry).map([](EntityId) {});
}

Status drop_told_time(store::Transaction& transaction, const ToldTime& time, store::GraphId graph) {
  const auto link = transaction.live().known_proposition(time.link);
  const auto key = transaction.live().find_string(key_of(time.word.provenance));
  if (!link || !key) return {};
  return transaction.retract({*link, store::Predicate::metadata(*key), time.value}, graph)
      .map([](bool) {});
}

}  // namespace anima::agent::detail
