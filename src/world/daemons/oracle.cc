#include "world/daemons/oracle.h"

#include <algorithm>

#include "base/text/text.h"
#include "world/daemons/nexus.h"

namespace anima::world {
namespace {

constexpr std::uint64_t kMostFound = 50;
constexpr std::size_t kApprovals = 2;
constexpr double kLeastWeight = 0.05;

// What a verdict says of the accuracy; less than 0 for a word that is none.
double verdict_value(std::string_view verdict) {
  using pack_detail::same_name;
  if (same_name(verdict, "accurate") || same_name(verdict, "correct")) return 1;
  if (same_name(verdict, "partial")) return 0.5;
  if (same_name(verdict, "outdated")) return 0.3;
  if (same_name(verdict, "incorrect")) return 0;
  return -1;
}

}  // namespace

void Oracle::found() {
  Entry genesis;
  genesis.title = "Genesis";
  genesis.bodies = {"The rules of this world, and the language of its programs: docs/world.md."};
  genesis.author = id();
  genesis.accuracy = 1;
  const Digest id = sha256("Genesis");
  entries_[id] = std::move(genesis);
  changes_.written.insert(id);
}

Answer Oracle::handle(const Request& request) {
  switch (request.type) {
    case Message::kEntryPublish:
      return publish(request);
    case Message::kEntryUpdate:
      return update(request);
    case Message::kEntryQuery:
      return query(request);
    case Message::kEntryVerify:
      return verify_entry(request);
    case Message::kEntryGet:
      return get(request);
    case Message::kCitationAdd:
      return cite(request);
    default:
      return refuse(Category::kInvalidRequest, "the oracle does not answer that");
  }
}

Answer Oracle::publish(const Request& request) {
  // {entry, review} or the flat fields.
  const MessagePack* nested = request.body.find("entry");
  Fields fields(nested == nullptr ? request.body : *nested);
  Entry fresh;
  fresh.title = fields.need<std::string>("title");
  fresh.bodies = {fields.need<std::string>("body")};
  fresh.author = request.sender;
  Fields outer(request.body);
  const auto mode = outer.take<std::string>("review", outer.take<std::string>("review_mode"));
  if (fields.fault()) return fields.refusal();
  if (outer.fault()) return outer.refusal();
  if (!is_valid_utf8(fresh.title) || !is_valid_utf8(fresh.bodies.back()))
    return refuse(Category::kInvalidRequest, "title and body must be UTF-8");
  fresh.reviewed = pack_detail::same_name(mode, "PeerReview");
  fresh.published = !fresh.reviewed;
  const Digest id = fresh_id("entry", request.sender);
  realm_.nexus->credit_contribution(request.sender);
  tell(EventKind::kEntryPublished,
       body_of({{"entry_id", pack(id)}, {"author", pack(request.sender)}, {"title", fresh.title}}));
  entries_[id] = std::move(fresh);
  changes_.written.insert(id);
  return body_of({{"entry_id", pack(id)}});
}

Answer Oracle::update(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("entry_id");
  auto body = fields.need<std::string>("new_body");
  if (fields.fault()) return fields.refusal();
  const auto found = entries_.find(id);
  if (found == entries_.end()) return refuse(Category::kNotFound, "there is no such entry");
  if (found->second.author != request.sender)
    return refuse(Category::kUnauthorized, "only its author may change it");
  if (!is_valid_utf8(body)) return refuse(Category::kInvalidRequest, "the body must be UTF-8");
  std::size_t bytes = body.size();
  for (const std::string& each : found->second.bodies) bytes += each.size();
  if (bytes > kMaxEntryBytes)
    return refuse(Category::kQuotaExceeded, "the versions of an entry take 4 MiB at most");
  found->second.bodies.push_back(std::move(body));
  changes_.written.insert(id);
  const std::uint64_t version = found->second.bodies.size();
  tell(EventKind::kEntryUpdated, body_of({{"entry_id", pack(id)}, {"version", version}}));
  return body_of({{"version", version}});
}

Answer Oracle::query(const Request& request) {
  Fields fields(request.body);
  const auto text = fields.take<std::string>("text_match");
  const auto limit = fields.take<std::uint64_t>("limit", kMostFound);
  if (fields.fault()) return fields.refusal();
  MessagePack::Array found;
  for (const auto& each : entries_) {
    if (found.size() == std::min(limit, kMostFound)) break;
    const Entry& entry = each.second;
    if (!entry.published || (entry.title.find(text) == std::string::npos &&
                             entry.bodies.back().find(text) == std::string::npos))
      continue;
    found.push_back(body_of(
        {{"entry_id", pack(each.first)}, {"title", entry.title}, {"accuracy", entry.accuracy}}));
  }
  return body_of({{"entries", MessagePack(std::move(found))}});
}

Answer Oracle::verify_entry(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("entry_id");
  const auto verdict = fields.need<std::string>("verdict");
  if (fields.fault()) return fields.refusal();
  const double value = verdict_value(verdict);
  if (value < 0)
    return refuse(Category::kInvalidRequest,
                  "the verdicts are accurate, partial, outdated and incorrect");
  const auto found = entries_.find(id);
  if (found == entries_.end()) return refuse(Category::kNotFound, "there is no such entry");
  Entry& entry = found->second;
  if (entry.author == request.sender)
    return refuse(Category::kUnauthorized, "nobody verifies what he wrote");
  const auto known = realm_.nexus->agents().find(request.sender);
  const double weight =
      kLeastWeight +
      (known == realm_.nexus->agents().end() ? 0.0 : static_cast<double>(known->second.reputation));
  if (!entry.verdicts.emplace(request.sender, Verdict{value, weight}).second)
    return refuse(Category::kConflict, "this agent has verified it");
  changes_.judged.emplace(request.sender, id);
  double sum = 0, weights = 0;
  std::size_t approvals = 0;
  for (const auto& each : entry.verdicts) {
    sum += each.second.value * each.second.weight;
    weights += each.second.weight;
    if (each.second.value == 1) ++approvals;
  }
  entry.accuracy = sum / weights;
  if (entry.reviewed && !entry.published && approvals >= kApprovals) {
    entry.published = true;
    entry.accuracy = 0.5;
  }
  realm_.nexus->credit_contribution(request.sender);
  if (value == 1) realm_.nexus->credit_quality(entry.author);
  tell(EventKind::kEntryVerified, body_of({{"entry_id", pack(id)},
                                           {"author", pack(entry.author)},
                                           {"verifier", pack(request.sender)},
                                           {"verdict", verdict}}));
  return MessagePack(MessagePack::Map());
}

Answer Oracle::get(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("entry_id");
  const auto version = fields.take<std::optional<std::uint64_t>>("version");
  if (fields.fault()) return fields.refusal();
  const auto found = entries_.find(id);
  if (found == entries_.end()) return refuse(Category::kNotFound, "there is no such entry");
  const Entry& entry = found->second;
  const std::uint64_t wanted = version.value_or(entry.bodies.size());
  if (wanted < 1 || wanted > entry.bodies.size())
    return refuse(Category::kNotFound, "there is no such version");
  return body_of({{"title", entry.title},
                  {"body", entry.bodies[wanted - 1]},
                  {"author", pack(entry.author)},
                  {"accuracy", entry.accuracy},
                  {"version", wanted}});
}

Answer Oracle::cite(const Request& request) {
  Fields fields(request.body);
  const auto from = fields.need<Digest>("from");
  const auto to = fields.need<Digest>("to");
  if (fields.fault()) return fields.refusal();
  const auto found = entries_.find(from);
  if (found == entries_.end() || !entries_.contains(to))
    return refuse(Category::kNotFound, "there is no such entry");
  if (found->second.author != request.sender)
    return refuse(Category::kUnauthorized, "only its author may add a citation");
  std::vector<Digest>& cites = found->second.cites;
  if (from == to || std::find(cites.begin(), cites.end(), to) != cites.end())
    return refuse(Category::kConflict, "it cites that already");
  cites.push_back(to);
  changes_.citing.insert(from);
  tell(EventKind::kCitationAdded, body_of({{"from", pack(from)}, {"to", pack(to)}}));
  return MessagePack(MessagePack::Map());
}

MessagePack Oracle::state() const { return body_of({{"entries", pack(entries_)}}); }

// What lies in the space, by the number of its last entry and what it must come to.
MessagePack Oracle::kept() const {
  if (knowledge_ == nullptr) return state();
  return body_of({{"position", position_}, {"hash", pack(state_hash())}});
}

Status Oracle::keep() {
  if (knowledge_ == nullptr || changes_.empty()) return {};
  const auto reputation = [this](const AgentId& agent) {
    const auto known = realm_.nexus->agents().find(agent);
    return known == realm_.nexus->agents().end() ? 0.0F : known->second.reputation;
  };
  ANIMA_TRY(knowledge_->write(entries_, changes_, id(), reputation, realm_.tick));
  changes_ = {};
  ANIMA_ASSIGN(position_, knowledge_->position());
  return {};
}

Status Oracle::restore(const MessagePack& state) {
  Fields fields(state);
  if (knowledge_ != nullptr && state.find("position") != nullptr) {
    const auto position = fields.need<std::uint64_t>("position");
    const auto hash = fields.need<Digest>("hash");
    if (!fields.fault()) return restore_from_space(position, hash);
  }
  entries_ = fields.need<Entries>("entries");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the oracle cannot be read");
  // Of a world that kept its entries itself: all of it goes into the space.
  for (const auto& each : entries_) {
    changes_.written.insert(each.first);
    if (!each.second.cites.empty()) changes_.citing.insert(each.first);
    for (const auto& verdict : each.second.verdicts)
      changes_.judged.emplace(verdict.first, each.first);
  }
  return {};
}

Status Oracle::restore_from_space(std::uint64_t position, const Digest& hash) {
  ANIMA_TRY(knowledge_->go_back(position));
  ANIMA_ASSIGN(entries_, knowledge_->read());
  // Who adds to the space writes behind the position, which is no harm; a changed entry is.
  if (state_hash() != hash)
    return fail(ErrorCode::kCorrupt, "the knowledge of the world is not what its agents wrote", {},
                "undo what was changed in its space, or bring its files back from a copy");
  ANIMA_ASSIGN(position_, knowledge_->position());
  return {};
}

}  // namespace anima::world
