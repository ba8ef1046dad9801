#include "serve/v1/kept_answers.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "store/undone_acts.h"

namespace anima::serve::v1 {
namespace {

constexpr std::string_view kHeadersKept[] = {"ETag", "Location"};
constexpr std::string_view kPlaces = "/serve_keys.lock";
constexpr std::size_t kBytesOfPlace = 7;  // a file's offset is 63 bits

std::uint64_t number(store::Sequence sequence) { return static_cast<std::uint64_t>(sequence); }

std::string hash_of(std::string_view text) { return to_hex(sha256(text)); }

// Under which his keys are kept: names are given again, tokens are not.
std::string owner_of(const http::Caller& caller) {
  return caller.token.empty() ? caller.name : caller.name + " " + caller.token;
}

}  // namespace

Result<Json> KeptAnswers::record(store::Sequence entry) {
  ANIMA_ASSIGN(const store::LogEntry stored, space_->log().entry(entry));
  Json found;
  ANIMA_TRY(
      store::visit_records(stored, [&](store::RecordKind kind, std::string_view payload) -> Status {
        if (kind != kAnswerRecord) return {};
        ANIMA_ASSIGN(found, parse_json(payload));
        return {};
      }));
  return found;  // null: it was forgotten
}

void KeptAnswers::add(const std::string& caller, std::string key, Kept kept) {
  OfCaller& own = callers_[caller];
  const auto [at, is_new] = own.kept.insert_or_assign(key, std::move(kept));
  if (!is_new) std::erase(own.order, key);
  own.order.push_back(std::move(key));
  if (own.order.size() <= kMostOfCaller) return;
  own.kept.erase(own.order.front());
  own.order.pop_front();
}

Status KeptAnswers::take_up(store::Sequence entry, Timestamp time) {
  ANIMA_ASSIGN(const Json json, record(entry));
  if (!json.is_object()) return {};
  add(text_member(json, "caller"), text_member(json, "key"),
      {entry, text_member(json, "request"), time});
  return {};
}

// What came since the last look: at first what a day holds.
Status KeptAnswers::catch_up() {
  ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
  const Timestamp oldest{clock_.now().microseconds - kMicrosecondsPerDay};
  std::vector<store::Sequence> answers;
  std::set<store::Sequence> cut_off;  // entries of acts that were taken back
  for (std::uint64_t at = number(now.sequence()); at > number(seen_); --at) {
    const store::EntryInfo info = now.entry(store::Sequence{at});
    if (info.time < oldest) break;
    if (info.source == kAnswerSource) answers.push_back(store::Sequence{at});
    if (info.source != store::kCutOffSource || info.trust != store::Trust::kSystem) continue;
    ANIMA_ASSIGN(const auto undone, store::undone_by(*space_, store::Sequence{at}));
    cut_off.insert(undone.begin(), undone.end());
  }
  for (auto at = answers.rbegin(); at != answers.rend(); ++at) {
    const store::Sequence act = store::act_of(now, *at);
    if (!cut_off.contains(*at) && !cut_off.contains(act))
      ANIMA_TRY(take_up(*at, now.entry(*at).time));
  }
  seen_ = now.sequence();
  return {};
}

// What only one server of the space answers at a time; kBusy: another one does.
Result<std::unique_ptr<FileLock>> KeptAnswers::place_of(std::string_view caller,
                                                        std::string_view key) const {
  if (space_->folder().empty()) return std::unique_ptr<FileLock>();
  const Digest digest = sha256(std::string(caller) + "\n" + std::string(key));
  std::uint64_t byte = 0;
  for (std::size_t i = 0; i < kBytesOfPlace; ++i) byte = byte << 8 | digest[i];
  return system_files().lock_byte(space_->folder() + std::string(kPlaces), byte);
}

Result<KeptAnswers::Claim> KeptAnswers::claim(const http::Caller& caller, std::string_view key,
                                              std::string_view request) {
  const std::lock_guard lock(mutex_);
  const std::string owner = owner_of(caller), name = hash_of(key);
  OfCaller& own = callers_[owner];
  if (own.running.contains(name)) return Claim{State::kRuns};
  // First the place, then the look: what another server answered meanwhile is seen.
  auto place = place_of(owner, name);
  if (!place && place.error().code == ErrorCode::kBusy) return Claim{State::kRuns};
  if (!place) return fail(place.error());
  ANIMA_TRY(catch_up());
  const auto found = own.kept.find(name);
  const Timestamp oldest{clock_.now().microseconds - kMicrosecondsPerDay};
  if (found == own.kept.end() || found->second.time < oldest) {
    own.running.emplace(name, *std::move(place));
    return Claim{};
  }
  if (found->second.request != hash_of(request)) return Claim{State::kOther};
  ANIMA_ASSIGN(const Json json, record(found->second.entry));
  const Json* status = json.find("status");
  const Json* body = json.find("answer");
  if (status == nullptr || body == nullptr) {  // what it told was forgotten since
    own.running.emplace(name, *std::move(place));
    return Claim{};
  }
  http::Response answer;
  answer.status = static_cast<unsigned>(status->as_integer());
  answer.content_type = "application/json";
  answer.body = body->dump() + "\n";
  for (const std::string_view header : kHeadersKept) {
    if (std::string value = text_member(json, header); !value.empty())
      answer.headers.emplace_back(header, std::move(value));
  }
  answer.headers.emplace_back("Idempotent-Replayed", "true");
  return Claim{State::kSame, std::move(answer)};
}

Status KeptAnswers::keep(const http::Caller& caller, std::string_view key, std::string_view request,
                         const http::Response& answer) {
  ANIMA_ASSIGN(const Json body, parse_json(answer.body));
  Json json = Json::object({{"caller", owner_of(caller)},
                            {"key", hash_of(key)},
                            {"request", hash_of(request)},
                            {"status", answer.status},
                            {"answer", body}});
  for (const auto& [name, value] : answer.headers) {
    if (std::ranges::find(kHeadersKept, name) != std::end(kHeadersKept)) json.set(name, value);
  }
  store::Origin origin;
  origin.author = caller.name;
  origin.source = kAnswerSource;
  origin.trust = caller.trust;
  ANIMA_TRY(space_->write(origin, [&](store::Transaction& transaction) {
    return transaction.record(kAnswerRecord, json.dump());
  }));
  return {};
}

void KeptAnswers::release(const http::Caller& caller, std::string_view key) {
  const std::lock_guard lock(mutex_);
  callers_[owner_of(caller)].running.erase(hash_of(key));
}

}  // namespace anima::serve::v1
