#include "agent/house/memory_tools.h"

#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "agent/mind/core_memory.h"
#include "base/text/text.h"

namespace anima::agent {
namespace {

Result<std::string> text_argument(const Json& arguments, std::string_view name) {
  const Json* value = arguments.find(name);
  if (value != nullptr && value->is_string() && !value->as_string().empty())
    return value->as_string();
  return fail(ErrorCode::kInvalidArgument, "the text '" + std::string(name) + "' is missing");
}

// What stands behind "NAME:", in any case. A letter can change its length with its case.
std::optional<std::string_view> said_of(std::string_view content, std::string_view name) {
  const std::string wanted = to_lower(name);
  for (std::size_t colon = content.find(':'); colon != std::string_view::npos;
       colon = content.find(':', colon + 1)) {
    if (to_lower(content.substr(0, colon)) == wanted) return content.substr(colon + 1);
    if (colon > 4 * wanted.size()) break;
  }
  return std::nullopt;
}

}  // namespace

void MemoryTools::add_policies(govern::PermissionTable& table) {
  table.set({.tool = "memory:search",
             .tier = govern::Tier::kReadOnly,
             .agents = {"*"},
             .output_trust = govern::Trust::kSystem});
  table.set({.tool = "memory:lookup",
             .tier = govern::Tier::kReadOnly,
             .agents = {"*"},
             .output_trust = govern::Trust::kSystem});
  table.set({.tool = "memory:store",
             .tier = govern::Tier::kWriteSafe,
             .agents = {"*"},
             .carried = {"text"}});
  // What it is given steers every later session: the label of each argument counts.
  table.set({.tool = std::string(kCoreEdit), .tier = govern::Tier::kWriteSafe, .agents = {"*"}});
}

std::span<const tools::ExternalTool> MemoryTools::tools() {
  const auto tool = [](const char* name, govern::Tier tier, const char* description,
                       std::vector<tools::ToolParameter> parameters) {
    tools::ExternalTool made;
    made.info.name = name;
    made.info.description = description;
    made.info.parameters = std::move(parameters);
    made.tier = tier;
    return made;
  };
  static const std::vector<tools::ExternalTool> all = {
      tool("memory:core_edit", govern::Tier::kWriteSafe,
           "edits the agent's core memory: who it is, whom it talks with, what it is at",
           {{"block", true, "persona, human or task"},
            {"text", true, "the line to be added, or what stands in place of 'old'"},
            {"old", false, "the words of the block that are replaced, exactly as they stand"}}),
      tool("memory:lookup", govern::Tier::kReadOnly, "what was remembered as \"NAME: CONTENT\"",
           {{"name", true, "the name"}}),
      tool("memory:search", govern::Tier::kReadOnly,
           "remembered texts by their words, each with its trust",
           {{"query", true, "the words"}, {"limit", false, "at most; default 10"}}),
      tool("memory:store", govern::Tier::kWriteSafe, "remembers a text, as far trusted as who asks",
           {{"text", true, "what to remember"}})};
  return all;
}

govern::Rehearser* MemoryTools::rehearser(std::string_view tool) {
  return judged_only || tool.starts_with("memory:") ? nullptr : others_.rehearser(tool);
}

bool MemoryTools::has(std::string_view tool) const {
  if (tool == kCoreEdit) return edit_core != nullptr;
  return tool == "memory:search" || tool == "memory:store" || tool == "memory:lookup" ||
         others_.has(tool);
}

Result<Json> MemoryTools::run_until(const std::stop_token& stop, std::string_view tool,
                                    const Json& arguments, std::int64_t timeout_milliseconds) {
  if (judged_only && has(tool) && !others_.has(tool)) return Json();
  if (tool == kCoreEdit && edit_core) return edit(arguments);
  if (tool == "memory:search") return search(arguments);
  if (tool == "memory:store") return store(arguments);
  if (tool == "memory:lookup") return lookup(arguments);
  return others_.run_until(stop, tool, arguments, timeout_milliseconds);
}

Result<Json> MemoryTools::edit(const Json& arguments) {
  store::Origin origin;
  origin.author = said_by.empty() ? agent_ : said_by;
  origin.source = kCoreEdit;
  origin.trust = stored_as;
  return edit_core(origin, arguments);
}

Result<Json> MemoryTools::search(const Json& arguments) {
  ANIMA_ASSIGN(const std::string query, text_argument(arguments, "query"));
  const Json* limit = arguments.find("limit");
  const std::int64_t most = limit != nullptr && limit->is_integer() ? limit->as_integer() : 10;
  if (most < 1 || most > 100) return fail(ErrorCode::kInvalidArgument, "the limit is 1 to 100");
  ANIMA_ASSIGN(const auto hits, memory_.search(query, agent_, static_cast<std::size_t>(most)));
  Json list = Json::array();
  govern::Trust trust = govern::Trust::kSystem;
  for (const memory::MemoryHit& hit : hits) {
    // An exchange holds what was recalled before: it is no source of its own.
    if (hit.item.kind == memory::ItemKind::kSession) continue;
    trust = govern::lowest(trust, hit.item.trust);
    list.push_back(Json::object({{"id", hit.item.id},
                                 {"content", hit.item.content},
                                 {"trust", std::string(govern::trust_name(hit.item.trust))},
                                 {"source", hit.item.source},
                                 {"score", hit.score}}));
  }
  return Json::object(
      {{"hits", std::move(list)}, {"trust", std::string(govern::trust_name(trust))}});
}

Result<Json> MemoryTools::lookup(const Json& arguments) {
  ANIMA_ASSIGN(const std::string name, text_argument(arguments, "name"));
  ANIMA_ASSIGN(const auto items, memory_.list(agent_, memory::ItemKind::kKnowledge));
  const memory::MemoryItem* best = nullptr;
  for (const memory::MemoryItem& item : items) {
    if (item.type == memory::ItemType::kQuarantine || !said_of(item.content, name)) continue;
    const auto rank = [](const memory::MemoryItem& each) {
      return std::tuple(each.trust, each.created_at.microseconds, each.id);
    };
    if (best == nullptr || rank(*best) < rank(item)) best = &item;
  }
  if (best == nullptr) {
    return fail(ErrorCode::kNotFound, "nothing is remembered as '" + name + "'", {},
                "anima memory add \"" + name + ": ...\"");
  }
  ANIMA_TRY(memory_.read(best->id, agent_));  // an access, told in the audit
  return Json::object({{"content", std::string(trim(*said_of(best->content, name)))},
                       {"id", best->id},
                       {"trust", std::string(govern::trust_name(best->trust))}});
}

Result<Json> MemoryTools::store(const Json& arguments) {
  memory::NewMemory item;
  ANIMA_ASSIGN(item.content, text_argument(arguments, "text"));
  item.created_by = agent_;
  item.source = said_in.empty() ? "message" : session_source(said_in);
  item.trust = stored_as;
  memory::NewMemory told = item;
  told.created_by = said_by.empty() ? agent_ : said_by;
  // What an agent stores by a call of its own is no person's word.
  const std::string speaker = said_in.empty() ? std::string() : said_by;
  bool withdraws = false;
  if (only_withdraws) {
    ANIMA_ASSIGN(withdraws, only_withdraws(told, speaker));
  }
  memory::StoredMemory stored;
  if (!withdraws) {
    ANIMA_ASSIGN(stored, memory_.store(item));
  }
  if (stored.quarantined)
    return fail(ErrorCode::kDenied, "the text was quarantined: " + stored.reason);
  Json result =
      Json::object({{"id", withdraws ? Json() : Json(stored.id)}, {"quarantined", false}});
  if (!keep) return result;
  ANIMA_ASSIGN(const Told done, keep(told, withdraws ? nullptr : &stored, speaker));
  if (!done.withdrawn.empty()) {
    const Status gone = memory_.forget(done.withdrawn, agent_);
    if (!gone && gone.error().code != ErrorCode::kNotFound) return fail(gone.error());
  }
  done.add_to(result);
  return result;
}

}  // namespace anima::agent
