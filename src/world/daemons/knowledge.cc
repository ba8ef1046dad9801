#include "world/daemons/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "agent/telling/told_undo.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text/text.h"
#include "kip/engine.h"
#include "store/space.h"
#include "world/daemons/oracle.h"

namespace anima::world {
namespace {

constexpr std::string_view kSource = "world ";  // how the source of the world's entries begins
constexpr std::size_t kTitleInName = 100;
constexpr std::size_t kCommandsAtOnce = 256;
constexpr float kVerified = 0.7F, kStandard = 0.3F;

constexpr std::string_view kTypes = R"kip(
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Citizen"} SET ATTRIBUTES {
    description: "An agent of a world, or a daemon of it; the name is its id"} }
  CONCEPT { {type: "$ConceptType", name: "Entry"} SET ATTRIBUTES {
    description: "What an agent of a world published: title, body, accuracy from 0 to 1 by the verdicts of others"} }
  CONCEPT { {type: "$PropositionType", name: "wrote"} SET ATTRIBUTES {
    description: "The citizen published the entry"} }
  CONCEPT { {type: "$PropositionType", name: "judged"} SET ATTRIBUTES {
    description: "The citizen verified the entry: value 1 accurate, 0.5 partial, 0.3 outdated, 0 incorrect"} }
  CONCEPT { {type: "$PropositionType", name: "cites"} SET ATTRIBUTES {
    description: "The entry names the other as its ground"} }
})kip";
constexpr std::string_view kWrite = R"kip(
UPSERT {
  CONCEPT ?author { {type: "Citizen", name: :author} SET ATTRIBUTES {alias: :alias} }
  CONCEPT ?entry { {type: "Entry", name: :name} SET ATTRIBUTES {
    entry_id: :id, title: :title, body: :body, earlier: :earlier, reviewed: :reviewed} }
  PROPOSITION { (?author, "wrote", ?entry) }
})kip";
constexpr std::string_view kCite = R"kip(
UPSERT { PROPOSITION { ({type: "Entry", name: :from}, "cites", {type: "Entry", name: :to})
  SET ATTRIBUTES {place: :place} } })kip";
constexpr std::string_view kJudge = R"kip(
UPSERT {
  CONCEPT ?who { {type: "Citizen", name: :who} SET ATTRIBUTES {alias: :alias} }
  PROPOSITION { (?who, "judged", {type: "Entry", name: :name})
    SET ATTRIBUTES {value: :value, weight: :weight} }
})kip";
constexpr std::string_view kWeigh = R"kip(
UPSERT { CONCEPT { {type: "Entry", name: :name}
  SET ATTRIBUTES {accuracy: :accuracy, published: :published} } })kip";

// The world's time, from the tick that is written.
class WorldClock final : public Clock {
 public:
  Timestamp now() override { return {microseconds_.load()}; }
  std::int64_t monotonic_nanoseconds() override { return system_.monotonic_nanoseconds(); }
  void set(std::uint64_t tick) {
    microseconds_ = static_cast<std::int64_t>(tick) * kMicrosecondsPerSecond;
  }

 private:
  std::atomic<std::int64_t> microseconds_ = 0;
  SystemClock system_;
};

// Ids of the things that are made, the same for the same world and tick.
class WorldRandom final : public Random {
 public:
  std::uint64_t next() override { return numbers_.next(); }
  void set(std::string_view secret, std::uint64_t tick) {
    const Digest digest =
        Sha256().update(secret).update("knowledge").update(big_endian(tick, 8)).finish();
    std::uint64_t seed = 0;
    for (std::size_t i = 0; i < 8; ++i) seed = seed << 8 | digest[i];
    numbers_ = SeededRandom(seed);
  }

 private:
  SeededRandom numbers_{0};
};

std::string name_of(const Digest& id, const Entry& entry) {
  return fmt::format("{} ({})", beginning_of(entry.title, kTitleInName), to_hex(id).substr(0, 16));
}

Json command(std::string_view text, Json parameters) {
  return Json::object({{"command", text}, {"parameters", std::move(parameters)}});
}

Json write_command(const Digest& id, const Entry& entry) {
  Json earlier = Json::array();
  for (std::size_t i = 0; i + 1 < entry.bodies.size(); ++i) earlier.push_back(entry.bodies[i]);
  return command(kWrite, Json::object({{"author", to_hex(entry.author)},
                                       {"alias", alias(entry.author)},
                                       {"name", name_of(id, entry)},
                                       {"id", to_hex(id)},
                                       {"title", entry.title},
                                       {"body", entry.bodies.back()},
                                       {"earlier", std::move(earlier)},
                                       {"reviewed", entry.reviewed}}));
}

store::Trust trust_of(float reputation) {
  if (reputation >= kVerified) return store::Trust::kVerified;
  return reputation >= kStandard ? store::Trust::kStandard : store::Trust::kUntrusted;
}

Digest digest_from(const Json* hex) {
  Digest digest{};
  const auto bytes = from_hex(hex == nullptr ? std::string_view() : hex->as_string());
  if (bytes && bytes->size() == digest.size())
    std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(digest.data()));
  return digest;
}

Unexpected<Error> refused(const Json& response) {
  return fail(ErrorCode::kInternal,
              "the knowledge of the world cannot be used: " + response.dump());
}

}  // namespace

struct Knowledge::Inside {
  std::string secret;
  std::shared_ptr<WorldClock> clock = std::make_shared<WorldClock>();
  std::shared_ptr<WorldRandom> random = std::make_shared<WorldRandom>();
  std::shared_ptr<store::Space> space;
  std::shared_ptr<kip::Engine> engine;
  bool typed = false;  // the types are there

  // In one transaction, unless there are very many.
  Status run(const store::Origin& origin, std::vector<Json> commands) {
    kip::Caller caller;
    caller.origin = origin;
    for (std::size_t from = 0; from < commands.size(); from += kCommandsAtOnce) {
      JsonArray some;
      for (std::size_t i = from; i < std::min(commands.size(), from + kCommandsAtOnce); ++i)
        some.push_back(std::move(commands[i]));
      const Json response = engine->execute(
          Json::object({{"commands", Json(std::move(some))}, {"atomic", true}}), caller);
      if (kip::has_error(response)) return refused(response);
    }
    return {};
  }

  // The rows of a query, each as an array of its expressions.
  Result<std::vector<JsonArray>> ask(std::string_view query, std::size_t expressions) {
    kip::Caller caller;
    caller.readonly = true;
    const Json response = engine->execute(query, Json::object(), caller);
    const Json* result = response.find("result");
    if (kip::has_error(response) || result == nullptr) return refused(response);
    std::vector<JsonArray> rows;
    for (std::size_t column = 0; column < result->as_array().size(); ++column) {
      const JsonArray& values = result->as_array()[column].as_array();
      rows.resize(std::max(rows.size(), values.size()), JsonArray(expressions));
      for (std::size_t row = 0; row < values.size(); ++row) rows[row][column] = values[row];
    }
    return rows;
  }
};

Knowledge::Knowledge(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Knowledge::~Knowledge() = default;

Result<std::unique_ptr<Knowledge>> Knowledge::open(const std::string& folder, std::string secret) {
  auto inside = std::make_unique<Inside>();
  inside->secret = std::move(secret);
  inside->random->set(inside->secret, 0);
  store::SpaceOptions options;
  options.create = true;
  options.clock = inside->clock;
  options.random = inside->random;
  options.undo = agent::told_undo_rules();
  if (folder.empty()) {
    ANIMA_ASSIGN(inside->space, store::Space::in_memory(options));
  } else {
    ANIMA_ASSIGN(inside->space, store::Space::open(folder, options));
  }
  kip::EngineOptions engine;
  engine.clock = inside->clock;
  ANIMA_ASSIGN(inside->engine, kip::Engine::open(inside->space, engine));
  return std::unique_ptr<Knowledge>(new Knowledge(std::move(inside)));
}

Status Knowledge::write(const Entries& entries, const Changes& changes, const AgentId& oracle,
                        const std::function<float(const AgentId&)>& reputation,
                        std::uint64_t tick) {
  inside_->clock->set(tick);
  inside_->random->set(inside_->secret, tick);
  const std::string source = fmt::format("{}cycle {}", kSource, tick / kTicksPerCycle);
  const store::Origin own{to_hex(oracle), source, store::Trust::kSystem};
  const auto by = [&](const AgentId& agent) {
    return agent == oracle ? own
                           : store::Origin{to_hex(agent), source, trust_of(reputation(agent))};
  };
  if (!inside_->typed) {
    ANIMA_TRY(inside_->run(own, {command(kTypes, Json::object())}));
    inside_->typed = true;
  }
  // First what is spoken of, then what is said of it, each in the name of its author.
  std::map<AgentId, std::vector<Json>> written, said;
  std::vector<Json> weighed;
  std::set<Digest> touched = changes.written;
  for (const Digest& id : changes.written)
    written[entries.at(id).author].push_back(write_command(id, entries.at(id)));
  for (const Digest& id : changes.citing) {
    const Entry& entry = entries.at(id);
    for (std::size_t place = 0; place < entry.cites.size(); ++place)
      said[entry.author].push_back(command(
          kCite, Json::object({{"from", name_of(id, entry)},
                               {"to", name_of(entry.cites[place], entries.at(entry.cites[place]))},
                               {"place", std::uint64_t{place}}})));
  }
  for (const auto& [who, id] : changes.judged) {
    const Entry& entry = entries.at(id);
    const Verdict& verdict = entry.verdicts.at(who);
    said[who].push_back(command(kJudge, Json::object({{"who", to_hex(who)},
                                                      {"alias", alias(who)},
                                                      {"name", name_of(id, entry)},
                                                      {"value", verdict.value},
                                                      {"weight", verdict.weight}})));
    touched.insert(id);
  }
  for (const Digest& id : touched) {
    const Entry& entry = entries.at(id);
    weighed.push_back(command(kWeigh, Json::object({{"name", name_of(id, entry)},
                                                    {"accuracy", entry.accuracy},
                                                    {"published", entry.published}})));
  }
  for (auto& each : written) ANIMA_TRY(inside_->run(by(each.first), std::move(each.second)));
  for (auto& each : said) ANIMA_TRY(inside_->run(by(each.first), std::move(each.second)));
  return inside_->run(own, std::move(weighed));
}

Result<Entries> Knowledge::read() {
  Entries entries;
  ANIMA_ASSIGN(auto all, inside_->ask("FIND(?a.name, ?e.name, ?e.attributes) WHERE { "
                                      "(?a, \"wrote\", ?e) ?e {type: \"Entry\"} }",
                                      3));
  std::map<std::string, Digest> ids;  // by name
  for (const JsonArray& row : all) {
    Entry entry;
    const Json& has = row[2];
    const auto text = [&](const char* key) {
      const Json* found = has.find(key);
      return found == nullptr ? std::string() : found->as_string();
    };
    const auto yes = [&](const char* key) {
      const Json* found = has.find(key);
      return found != nullptr && found->as_bool();
    };
    entry.author = digest_from(&row[0]);
    entry.title = text("title");
    if (const Json* earlier = has.find("earlier"); earlier != nullptr) {
      for (const Json& each : earlier->as_array()) entry.bodies.push_back(each.as_string());
    }
    entry.bodies.push_back(text("body"));
    entry.reviewed = yes("reviewed");
    entry.published = yes("published");
    if (const Json* accuracy = has.find("accuracy"); accuracy != nullptr)
      entry.accuracy = accuracy->as_number();
    const Digest id = digest_from(has.find("entry_id"));
    ids[row[1].as_string()] = id;
    entries[id] = std::move(entry);
  }
  ANIMA_ASSIGN(all, inside_->ask("FIND(?a.name, ?e.name, ?l.attributes) WHERE { "
                                 "?l (?a, \"judged\", ?e) }",
                                 3));
  for (const JsonArray& row : all) {
    const Json *value = row[2].find("value"), *weight = row[2].find("weight");
    const auto entry = ids.find(row[1].as_string());
    if (entry == ids.end() || value == nullptr || weight == nullptr) continue;
    entries[entry->second].verdicts[digest_from(&row[0])] = {value->as_number(),
                                                             weight->as_number()};
  }
  ANIMA_ASSIGN(all, inside_->ask("FIND(?x.name, ?y.name, ?l.attributes) WHERE { "
                                 "?l (?x, \"cites\", ?y) }",
                                 3));
  for (const JsonArray& row : all) {
    const auto from = ids.find(row[0].as_string()), to = ids.find(row[1].as_string());
    const Json* place = row[2].find("place");
    if (from == ids.end() || to == ids.end() || place == nullptr || place->as_integer() < 0)
      continue;
    std::vector<Digest>& cites = entries[from->second].cites;
    const auto at = static_cast<std::size_t>(place->as_integer());
    if (at >= all.size()) continue;
    cites.resize(std::max(cites.size(), at + 1));
    cites[at] = to->second;
  }
  return entries;
}

Result<std::uint64_t> Knowledge::position() {
  ANIMA_ASSIGN(const store::Snapshot now, inside_->space->snapshot());
  return static_cast<std::uint64_t>(now.sequence());
}

Status Knowledge::go_back(std::uint64_t position) {
  ANIMA_ASSIGN(const std::uint64_t newest, this->position());
  if (newest < position)
    return fail(ErrorCode::kCorrupt, "knowledge that the world counts is missing",
                inside_->space->folder(), "bring the folder's files back from a copy");
  // Runs of entries of the world, the newest first.
  std::vector<std::pair<store::Sequence, store::Sequence>> runs;
  ANIMA_TRY(inside_->space->changes(
      static_cast<store::Sequence>(position), [&](const store::LogEntry& entry) -> Status {
        if (!entry.origin.source.starts_with(kSource)) return {};
        const auto number = static_cast<std::uint64_t>(entry.sequence);
        if (!runs.empty() && static_cast<std::uint64_t>(runs.back().second) + 1 == number) {
          runs.back().second = entry.sequence;
        } else {
          runs.emplace_back(entry.sequence, entry.sequence);
        }
        return {};
      }));
  std::ranges::reverse(runs);
  const store::Origin origin{"world", std::string(kSource) + "goes back", store::Trust::kSystem};
  for (const auto& [first, last] : runs) {
    const auto undone = inside_->space->undo(origin, first, last, false, false);
    // It has been undone already.
    if (!undone && undone.error().code == ErrorCode::kNotFound) continue;
    if (!undone) return fail(undone.error());
  }
  return {};
}

}  // namespace anima::world
