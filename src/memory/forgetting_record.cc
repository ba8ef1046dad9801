#include "memory/forgetting_record.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "store/symbols.h"

namespace anima::memory {
namespace {

using store::EntityId;
using store::Sequence;

std::string digest_of(std::string_view space_id, std::string_view text) {
  return to_hex(sha256("anima forgotten\n" + std::string(space_id) + "\n" + std::string(text)));
}

JsonArray digests_of(std::string_view space_id, const std::vector<std::string>& texts) {
  JsonArray digests;
  for (const std::string& text : texts) digests.emplace_back(digest_of(space_id, text));
  return digests;
}

JsonArray ids_of(const std::vector<EntityId>& entities) {
  JsonArray ids;
  for (const EntityId entity : entities)
    ids.emplace_back(static_cast<std::uint64_t>(static_cast<std::uint32_t>(entity)));
  return ids;
}

std::vector<std::string> texts_in(const Json& request, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = request.find(name);
  if (list == nullptr) return texts;
  for (const Json& each : list->as_array()) texts.push_back(each.as_string());
  return texts;
}

std::string shown(const std::string& digest) { return "what has the digest " + digest; }

// Whether all of it is named again; an error for anything else than all or nothing.
Result<bool> is_named_again(const std::string& id, const std::vector<std::string>& asked,
                            const std::string& source, const ForgetRequest& named) {
  if (named.things.empty() && !named.source) return false;
  std::multiset<std::string> meant(asked.begin(), asked.end()), said;
  for (const std::string& thing : named.things) said.insert(digest_of(id, thing));
  const std::string said_source = named.source ? digest_of(id, *named.source) : std::string();
  if (meant == said && source == said_source) return true;
  return fail(ErrorCode::kInvalidArgument, "it is not what that entry tells of", {},
              "name exactly what was asked for, or nothing");
}

Result<Timestamp> time_in(const Json& request, std::string_view name) {
  return parse_timestamp(text_member(request, name));
}

// The request as it was made, with digests for what is not named again.
Result<ForgetRequest> request_of(const Json& recorded, const ForgetRequest& named, bool known) {
  ForgetRequest request;
  request.things = named.things;
  request.source = named.source;
  const Json* mentions = recorded.find("mentions");
  request.mentions = mentions != nullptr && mentions->as_bool();
  const Json* in_doubt = recorded.find("in_doubt");
  request.in_doubt = in_doubt != nullptr && in_doubt->as_bool();
  if (!known) {
    for (const std::string& digest : texts_in(recorded, "asked"))
      request.things.push_back(shown(digest));
    if (const std::string source = text_member(recorded, "source"); !source.empty())
      request.source = "with the digest " + source;
  }
  if (recorded.find("from") == nullptr) return request;
  ANIMA_ASSIGN(const Timestamp from, time_in(recorded, "from"));
  ANIMA_ASSIGN(const Timestamp to, time_in(recorded, "to"));
  request.between = std::pair(from, to);
  return request;
}

}  // namespace

std::string asked_words(const ForgetRequest& request) {
  std::string words;
  const auto add = [&](const std::string& part) { words += (words.empty() ? "" : "; ") + part; };
  for (const std::string& thing : request.things) add(thing);
  if (request.mentions) add("and what names it");
  if (request.mentions && request.in_doubt) add("and what may name it, or another thing");
  if (request.source) add("all from the source " + *request.source);
  if (request.between) {
    add("all written from " + format_timestamp(request.between->first) + " to " +
        format_timestamp(request.between->second));
  }
  return words;
}

std::string said_words(std::size_t count) {
  if (count == 0) return {};
  return count == 1 ? "; and the text that this person said"
                    : "; and the " + std::to_string(count) + " texts that this person said";
}

Result<std::string> space_id(store::Space& space) {
  ANIMA_ASSIGN(const store::LogEntry first, space.log().entry(Sequence{1}));
  return to_hex(first.hash);
}

Json request_json(const ForgetRequest& request, const ForgetPlan& plan, std::string_view space_id) {
  std::vector<EntityId> others;
  for (const Mention& other : plan.others) others.push_back(other.entity);
  Json json = Json::object(
      {{"things", ids_of(plan.what.entities)},
       {"values", static_cast<std::uint64_t>(plan.what.values.size() + plan.what.texts.size())},
       {"mentions", request.mentions},
       {"asked", digests_of(space_id, request.things)},
       {"keys", digests_of(space_id, plan.keys)},
       {"not_touched", ids_of(others)}});
  if (request.in_doubt) json.set("in_doubt", true);
  if (!plan.said.empty()) json.set("said", static_cast<std::uint64_t>(plan.said.size()));
  if (request.source) json.set("source", digest_of(space_id, *request.source));
  if (request.between) {
    json.set("from", format_timestamp(request.between->first));
    json.set("to", format_timestamp(request.between->second));
  }
  return json;
}

Result<AskedAgain> asked_again(store::Space& space, Sequence entry, const ForgetRequest& named) {
  ANIMA_ASSIGN(const Json record, store::forgotten_record(space.log(), entry));
  const Json* recorded = record.find("request");
  if (recorded == nullptr || recorded->find("asked") == nullptr) {
    return fail(ErrorCode::kUnsupported,
                "an older program forgot it, and its record does not keep what a certificate says");
  }
  ANIMA_ASSIGN(const std::string id, space_id(space));
  ANIMA_ASSIGN(const bool known, is_named_again(id, texts_in(*recorded, "asked"),
                                                text_member(*recorded, "source"), named));
  ANIMA_ASSIGN(const ForgetRequest request, request_of(*recorded, named, known));
  AskedAgain again;
  const Json* said = recorded->find("said");
  again.asked = asked_words(request) +
                said_words(said == nullptr ? 0 : static_cast<std::size_t>(said->as_integer()));
  if (known) again.names = named.things;
  const std::vector<std::string> keys = texts_in(*recorded, "keys");
  std::set<std::string> gone(keys.begin(), keys.end());
  ANIMA_ASSIGN(const std::vector<std::string> there, space.keys());
  for (const std::string& key : there) {
    if (gone.erase(digest_of(id, key)) == 0) continue;
    again.keys.push_back(key);
    again.destroyed.push_back(key);
  }
  for (const std::string& digest : gone) again.destroyed.push_back(shown(digest));
  ANIMA_ASSIGN(const store::Snapshot snapshot, space.snapshot());
  const store::Snapshot now = snapshot.with_books();
  if (const Json* others = recorded->find("not_touched"); others != nullptr) {
    for (const Json& each : others->as_array()) {
      const auto other = static_cast<EntityId>(each.as_integer());
      const std::string label =
          now.kind(other) == store::EntityKind::kNone ? "" : store::symbol_label(now, other);
      again.not_touched.push_back("C:" + std::to_string(each.as_integer()) + " " + label);
    }
  }
  return again;
}

namespace {

// Newest last.
Status each_forgetting(store::Log& log, const std::function<void(Sequence, const Json&)>& visit) {
  return log.read(Sequence{1}, [&](const store::LogEntry& entry) -> Status {
    if (entry.origin.source != "anima forget") return {};
    if (const auto record = store::forgotten_record(log, entry.sequence))
      visit(entry.sequence, *record);
    return {};
  });
}

}  // namespace

Result<bool> was_asked(store::Space& space, std::string_view text) {
  ANIMA_ASSIGN(const std::string id, space_id(space));
  const std::string sought = digest_of(id, text);
  bool found = false;
  ANIMA_TRY(each_forgetting(space.log(), [&](Sequence, const Json& record) {
    const Json* const request = record.find("request");
    if (request == nullptr) return;
    const auto asked = texts_in(*request, "asked");
    found = found || std::ranges::find(asked, sought) != asked.end();
  }));
  return found;
}

Result<Sequence> newest_forgetting(store::Log& log) {
  Sequence newest = Sequence::kNone;
  ANIMA_TRY(each_forgetting(log, [&](Sequence entry, const Json&) { newest = entry; }));
  if (newest != Sequence::kNone) return newest;
  return fail(ErrorCode::kNotFound, "nothing was forgotten from this space");
}

}  // namespace anima::memory
