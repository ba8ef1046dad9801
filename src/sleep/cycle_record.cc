#include "sleep/cycle_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/json_member.h"

namespace anima::sleep {
namespace {

using store::Sequence;

constexpr std::string_view kNames[kPhases] = {"Assessment",       "Sleep tasks",   "Unsorted inbox",
                                              "Orphans",          "Stale events",  "Duplicates",
                                              "Confidence decay", "Domain health", "Finalization"};

std::int64_t integer_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value == nullptr ? 0 : value->as_integer();
}

std::string text_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value == nullptr ? std::string() : value->as_string();
}

bool flag_in(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value != nullptr && value->as_bool();
}

Timestamp time_in(const Json& json, std::string_view key) {
  return parse_timestamp(text_in(json, key)).value_or(Timestamp{});
}

Sequence sequence_in(const Json& json, std::string_view key) {
  return Sequence{static_cast<std::uint64_t>(integer_in(json, key))};
}

Json number(Sequence sequence) { return Json(static_cast<std::uint64_t>(sequence)); }

Json time_text(Timestamp time) {
  return time.microseconds == 0 ? Json() : Json(format_timestamp(time));
}

Json phase_json(const PhaseRecord& phase, std::size_t most) {
  Json items = Json::array();
  std::size_t changed = 0, left = 0;
  for (const Item& item : phase.items) {
    if ((item.changed ? changed : left)++ < most) items.push_back(item.to_json());
  }
  return Json::object({{"phase", phase.phase},
                       {"name", phase_name(phase.phase)},
                       {"changes", static_cast<std::uint64_t>(phase.changes)},
                       {"left", static_cast<std::uint64_t>(phase.left)},
                       {"milliseconds", phase.milliseconds},
                       {"items", std::move(items)}});
}

PhaseRecord phase_from(const Json& json) {
  PhaseRecord phase;
  phase.phase = static_cast<int>(integer_in(json, "phase"));
  phase.changes = static_cast<std::size_t>(integer_in(json, "changes"));
  phase.left = static_cast<std::size_t>(integer_in(json, "left"));
  phase.milliseconds = integer_in(json, "milliseconds");
  if (const Json* items = json.find("items")) {
    for (const Json& item : items->as_array())
      phase.items.push_back({flag_in(item, "changed"), text_in(item, "what"),
                             text_in(item, "about"), text_in(item, "reason")});
  }
  return phase;
}

MetricRow count_row(std::string name, std::string target, std::int64_t before, std::int64_t after,
                    bool met) {
  return {std::move(name), std::move(target), std::to_string(before), std::to_string(after), met};
}

}  // namespace

std::string_view phase_name(int phase) {
  return phase < 1 || phase > kPhases ? std::string_view("?") : kNames[phase - 1];
}

Json Item::to_json() const {
  return Json::object({{"changed", changed}, {"what", what}, {"about", about}, {"reason", reason}});
}

Json Asked::to_json() const {
  Json only = Json::array();
  for (const int phase : phases) only.push_back(phase);
  return Json::object(
      {{"stale_after_days", policy.stale_after_days},
       {"remove_archived_after_days", policy.remove_archived_after_days},
       {"decay_factor", policy.decay_factor},
       {"decay_floor", policy.decay_floor},
       {"small_domain", static_cast<std::uint64_t>(policy.small_domain)},
       {"large_domain", static_cast<std::uint64_t>(policy.large_domain)},
       {"fewest_for_a_domain", static_cast<std::uint64_t>(policy.fewest_for_a_domain)},
       {"phases", std::move(only)},
       {"max_changes", static_cast<std::uint64_t>(max_changes)},
       {"model_tokens", model_tokens}});
}

Asked Asked::from_json(const Json& json) {
  const auto number_in = [&](std::string_view key, double otherwise) {
    const Json* value = json.find(key);
    return value == nullptr ? otherwise : value->as_number();
  };
  const auto size_in = [&](std::string_view key) {
    return static_cast<std::size_t>(integer_in(json, key));
  };
  Asked asked;
  asked.known = true;
  asked.policy.stale_after_days = integer_in(json, "stale_after_days");
  asked.policy.remove_archived_after_days = integer_in(json, "remove_archived_after_days");
  asked.policy.decay_factor = number_in("decay_factor", asked.policy.decay_factor);
  asked.policy.decay_floor = number_in("decay_floor", asked.policy.decay_floor);
  asked.policy.small_domain = size_in("small_domain");
  asked.policy.large_domain = size_in("large_domain");
  asked.policy.fewest_for_a_domain = size_in("fewest_for_a_domain");
  if (const Json* only = json.find("phases")) {
    for (const Json& phase : only->as_array())
      asked.phases.push_back(static_cast<int>(phase.as_integer()));
  }
  asked.max_changes = size_in("max_changes");
  asked.model_tokens = integer_in(json, "model_tokens");
  return asked;
}

Json ModelRecord::to_json() const {
  Json json = Json::object({{"name", name},
                            {"calls", calls},
                            {"tokens", tokens},
                            {"proposed", static_cast<std::uint64_t>(proposed)},
                            {"taken", static_cast<std::uint64_t>(taken)},
                            {"failure", failure}});
  if (!setup.is_null()) json.set("setup", setup);
  return json;
}

ModelRecord ModelRecord::from_json(const Json& json) {
  ModelRecord record;
  record.name = text_in(json, "name");
  record.calls = integer_in(json, "calls");
  record.tokens = integer_in(json, "tokens");
  record.proposed = static_cast<std::size_t>(integer_in(json, "proposed"));
  record.taken = static_cast<std::size_t>(integer_in(json, "taken"));
  record.failure = text_in(json, "failure");
  if (const Json* setup = json.find("setup")) record.setup = *setup;
  return record;
}

Json Metrics::to_json() const {
  return Json::object({{"sequence", number(sequence)},
                       {"concepts", concepts},
                       {"links", links},
                       {"orphans", orphans},
                       {"unsorted", unsorted},
                       {"waiting_events", waiting_events},
                       {"stale_events", stale_events},
                       {"average_confidence", average_confidence()},
                       {"confidence_micros", confidence_micros},
                       {"domains", domains},
                       {"domains_in_range", domains_in_range}});
}

Metrics Metrics::from_json(const Json& json) {
  Metrics metrics;
  metrics.sequence = sequence_in(json, "sequence");
  metrics.concepts = integer_in(json, "concepts");
  metrics.links = integer_in(json, "links");
  metrics.orphans = integer_in(json, "orphans");
  metrics.unsorted = integer_in(json, "unsorted");
  metrics.waiting_events = integer_in(json, "waiting_events");
  metrics.stale_events = integer_in(json, "stale_events");
  metrics.confidence_micros = integer_in(json, "confidence_micros");
  metrics.domains = integer_in(json, "domains");
  metrics.domains_in_range = integer_in(json, "domains_in_range");
  return metrics;
}

std::vector<MetricRow> metric_rows(const Metrics& before, const Metrics& after) {
  std::vector<MetricRow> rows;
  rows.push_back(
      count_row("Orphan count", "< 10", before.orphans, after.orphans, after.orphans < 10));
  rows.push_back(
      count_row("Unsorted backlog", "< 20", before.unsorted, after.unsorted, after.unsorted < 20));
  rows.push_back(count_row("Stale events", "< 30", before.stale_events, after.stale_events,
                           after.stale_events < 30));
  rows.push_back({"Average confidence", "> 0.6", fmt::format("{:.3f}", before.average_confidence()),
                  fmt::format("{:.3f}", after.average_confidence()),
                  after.average_confidence() > 0.6});
  const auto share = [](const Metrics& metrics) {
    return fmt::format("{} of {}", metrics.domains_in_range, metrics.domains);
  };
  rows.push_back({"Domain utilization", "5-100", share(before), share(after),
                  after.domains_in_range == after.domains});
  return rows;
}

std::size_t CycleRecord::changes() const {
  std::size_t sum = 0;
  for (const PhaseRecord& phase : phases) sum += phase.changes;
  return sum;
}

Json CycleRecord::to_json(std::size_t most) const {
  Json ranges = Json::array();
  for (const auto& [first, last] : entries)
    ranges.push_back(Json::array({number(first), number(last)}));
  Json events = Json::array();
  for (const store::EntityId event : young) events.push_back(static_cast<std::uint32_t>(event));
  Json list = Json::array();
  for (const PhaseRecord& phase : phases) list.push_back(phase_json(phase, most));
  Json json = Json::object({{"cycle", cycle},
                            {"status", status},
                            {"trigger", trigger},
                            {"dry_run", dry_run},
                            {"resumed", resumed},
                            {"started_at", time_text(started)},
                            {"ended_at", time_text(ended)},
                            {"changes", static_cast<std::uint64_t>(changes())},
                            {"entries", std::move(ranges)},
                            {"before", before.to_json()},
                            {"after", after.to_json()},
                            {"phases", std::move(list)},
                            {"looked_from", number(looked_from)},
                            {"seen", number(seen)},
                            {"fading", fading.to_json()},
                            {"young", std::move(events)}});
  if (asked.known) json.set("asked", asked.to_json());
  if (!model.name.empty()) json.set("model", model.to_json());
  return json;
}

CycleRecord CycleRecord::from_json(const Json& json) {
  CycleRecord record;
  record.cycle = static_cast<std::uint64_t>(integer_in(json, "cycle"));
  record.status = text_in(json, "status");
  record.trigger = text_in(json, "trigger");
  record.dry_run = flag_in(json, "dry_run");
  record.resumed = flag_in(json, "resumed");
  record.started = time_in(json, "started_at");
  record.ended = time_in(json, "ended_at");
  record.looked_from = sequence_in(json, "looked_from");
  record.seen = sequence_in(json, "seen");
  record.fading = FadingCalendar::from_json(json.find("fading"));
  if (const Json* ranges = json.find("entries")) {
    for (const Json& range : ranges->as_array()) {
      if (range.as_array().size() != 2) continue;
      record.entries.emplace_back(
          Sequence{static_cast<std::uint64_t>(range.as_array()[0].as_integer())},
          Sequence{static_cast<std::uint64_t>(range.as_array()[1].as_integer())});
    }
  }
  if (const Json* young = json.find("young")) {
    for (const Json& id : young->as_array())
      record.young.push_back(store::EntityId{static_cast<std::uint32_t>(id.as_integer())});
  }
  if (const Json* asked = json.find("asked")) record.asked = Asked::from_json(*asked);
  if (const Json* model = json.find("model")) record.model = ModelRecord::from_json(*model);
  if (const Json* before = json.find("before")) record.before = Metrics::from_json(*before);
  if (const Json* after = json.find("after")) record.after = Metrics::from_json(*after);
  if (const Json* phases = json.find("phases")) {
    for (const Json& phase : phases->as_array()) record.phases.push_back(phase_from(phase));
  }
  return record;
}

}  // namespace anima::sleep
