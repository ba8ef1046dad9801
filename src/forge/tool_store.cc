#include "forge/tool_store.h"

#include <algorithm>
#include <set>

#include "base/crypto.h"
#include "base/json/text_array.h"
#include "base/text/read_number.h"

namespace anima::forge {
namespace {

constexpr std::uint64_t kMostFile = std::uint64_t{64} << 20;
constexpr std::size_t kVersionsKept = 3;
constexpr std::size_t kHistoryKept = 1000;

std::string hash_of(std::string_view bytes) { return hash_hex(HashAlgorithm::kSha256, bytes); }

std::string text_in(const Json& json, std::string_view name) {
  const Json* member = json.find(name);
  return member == nullptr ? std::string() : member->as_string();
}

std::int64_t integer_in(const Json& json, std::string_view name) {
  const Json* member = json.find(name);
  return member == nullptr ? 0 : member->as_integer();
}

Status copy_file(FileSystem& files, const std::string& from, const std::string& to,
                 std::uint32_t permissions) {
  ANIMA_ASSIGN(const std::string bytes, read_file(files, from, kMostFile));
  return replace_file(files, to, bytes, permissions);
}

Status remove_if_there(FileSystem& files, const std::string& path) {
  const Status removed = files.remove(path);
  if (removed || removed.error().code == ErrorCode::kNotFound) return {};
  return removed;
}

Status reach(const ToolStore::AtStep& at_step, std::string_view step) {
  return at_step ? at_step(step) : Status();
}

}  // namespace

Json MadeTool::to_json() const {
  return Json::object(
      {{"name", name},
       {"description", description},
       {"schema",
        Json::object({{"parameters", Json::object({{"input", "text"}, {"args", "texts"}})},
                      {"returns", "text"}})},
       {"capabilities", text_array(capabilities)},
       {"version", version},
       {"source_sha256", source_sha256},
       {"binary_sha256", binary_sha256},
       {"stability", stability},
       {"safety_score", safety_score},
       {"registered_at", registered_at},
       {"generator", generator},
       {"need", need},
       {"examples", forge::to_json(examples)}});
}

Result<MadeTool> MadeTool::from_json(const Json& json, const std::string& where) {
  MadeTool tool;
  tool.name = text_in(json, "name");
  tool.description = text_in(json, "description");
  tool.version = integer_in(json, "version");
  tool.source_sha256 = text_in(json, "source_sha256");
  tool.binary_sha256 = text_in(json, "binary_sha256");
  tool.stability = integer_in(json, "stability");
  tool.registered_at = integer_in(json, "registered_at");
  tool.generator = text_in(json, "generator");
  if (const Json* score = json.find("safety_score")) tool.safety_score = score->as_number();
  if (const Json* need = json.find("need")) tool.need = *need;
  if (const Json* examples = json.find("examples")) {
    ANIMA_ASSIGN(tool.examples, examples_from_json(*examples));
  }
  if (const Json* list = json.find("capabilities")) {
    for (const Json& each : list->as_array()) tool.capabilities.push_back(each.as_string());
  }
  if (tool.name.empty() || tool.version < 1 || tool.source_sha256.empty() ||
      tool.binary_sha256.empty())
    return fail(ErrorCode::kCorrupt, "the manifest of a made tool lacks a member", where);
  return tool;
}

std::string ToolStore::source_path(std::string_view tool) const {
  return join_path(folder_, std::string(tool) + ".cpp");
}
std::string ToolStore::binary_path(std::string_view tool) const {
  return join_path(join_path(folder_, ".compiled"), tool);
}
std::string ToolStore::manifest_path(std::string_view tool) const {
  return join_path(folder_, std::string(tool) + ".json");
}
std::string ToolStore::version_folder(std::string_view tool, std::int64_t version) const {
  return join_path(folder_, ".versions/" + std::string(tool) + "/" + std::to_string(version));
}

Result<std::optional<MadeTool>> ToolStore::whole_in(const std::string& source,
                                                    const std::string& binary,
                                                    const std::string& manifest) const {
  const auto text = read_file(files_, manifest, kMostFile);
  if (!text) return std::nullopt;
  const auto json = parse_json(*text);
  const auto tool =
      json ? MadeTool::from_json(*json, manifest) : Result<MadeTool>(fail(json.error()));
  const auto code = read_file(files_, source, kMostFile);
  const auto program = read_file(files_, binary, kMostFile);
  if (!tool || !code || !program || hash_of(*code) != tool->source_sha256 ||
      hash_of(*program) != tool->binary_sha256)
    return std::nullopt;
  return *tool;
}

Result<std::optional<MadeTool>> ToolStore::find(std::string_view tool) const {
  return whole_in(source_path(tool), binary_path(tool), manifest_path(tool));
}

Result<std::vector<MadeTool>> ToolStore::list() const {
  std::vector<MadeTool> tools;
  const auto entries = files_.list(folder_);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return tools;
    return fail(entries.error());
  }
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind != FileInfo::Kind::kFile || !entry.name.ends_with(".json")) continue;
    ANIMA_ASSIGN(auto tool, find(entry.name.substr(0, entry.name.size() - 5)));
    if (tool) tools.push_back(*std::move(tool));
  }
  return tools;
}

Result<std::string> ToolStore::source(std::string_view tool) const {
  return read_file(files_, source_path(tool), kMostFile);
}

Result<std::unique_ptr<FileLock>> ToolStore::lock(std::string_view tool, bool wait) const {
  const std::string folder = join_path(folder_, ".locks");
  ANIMA_TRY(files_.make_directories(folder, 0700));
  return files_.lock(join_path(folder, tool), LockMode::kExclusive, wait);
}

Result<MadeTool> ToolStore::commit(MadeTool tool, std::string_view run, std::string_view source,
                                   std::string_view binary, const AtStep& at_step) {
  ANIMA_ASSIGN(const auto before, find(tool.name));
  ANIMA_ASSIGN(const auto kept, versions(tool.name));
  tool.version = std::max(before ? before->version : 0, kept.empty() ? 0 : kept.front()) + 1;
  const std::string staging = join_path(folder_, ".staging/" + tool.name + "." + std::string(run));
  const auto work = [&]() -> Status {
    ANIMA_TRY(reach(at_step, "stage"));
    ANIMA_TRY(files_.make_directories(staging, 0700));
    ANIMA_TRY(files_.make_directories(join_path(folder_, ".compiled"), 0700));
    ANIMA_TRY(replace_file(files_, join_path(staging, "source"), source, 0600));
    ANIMA_TRY(replace_file(files_, join_path(staging, "binary"), binary, 0755));
    ANIMA_TRY(
        replace_file(files_, join_path(staging, "manifest"), tool.to_json().dump(2) + "\n", 0600));
    ANIMA_TRY(reach(at_step, "keep"));
    if (before) ANIMA_TRY(keep_version(*before));
    ANIMA_TRY(reach(at_step, "binary"));
    ANIMA_TRY(files_.rename(join_path(staging, "binary"), binary_path(tool.name)));
    ANIMA_TRY(reach(at_step, "source"));
    ANIMA_TRY(files_.rename(join_path(staging, "source"), source_path(tool.name)));
    ANIMA_TRY(files_.sync_directory(join_path(folder_, ".compiled")));
    ANIMA_TRY(files_.sync_directory(folder_));
    ANIMA_TRY(reach(at_step, "manifest"));
    ANIMA_TRY(files_.rename(join_path(staging, "manifest"), manifest_path(tool.name)));
    return files_.sync_directory(folder_);
  };
  const Status done = work();
  const Status cleared = remove_tree(files_, staging);
  if (!done) {
    const Status back = before ? restore_version(before->name, before->version) : remove(tool.name);
    // What was in force may not have been kept yet, and then it was not touched either.
    if (!back && back.error().code != ErrorCode::kNotFound) return fail(back.error());
    return fail(done.error());
  }
  ANIMA_TRY(cleared);
  ANIMA_TRY(prune_versions(tool.name));
  return tool;
}

Status ToolStore::keep_version(const MadeTool& tool) {
  const std::string folder = version_folder(tool.name, tool.version);
  ANIMA_TRY(files_.make_directories(folder, 0700));
  ANIMA_TRY(copy_file(files_, binary_path(tool.name), join_path(folder, "binary"), 0755));
  ANIMA_TRY(copy_file(files_, source_path(tool.name), join_path(folder, "source"), 0600));
  return copy_file(files_, manifest_path(tool.name), join_path(folder, "manifest"), 0600);
}

Status ToolStore::restore_version(std::string_view tool, std::int64_t version) {
  const std::string folder = version_folder(tool, version);
  ANIMA_ASSIGN(const auto kept, whole_in(join_path(folder, "source"), join_path(folder, "binary"),
                                         join_path(folder, "manifest")));
  if (!kept) return fail(ErrorCode::kNotFound, "this version is not kept", folder);
  ANIMA_TRY(files_.make_directories(join_path(folder_, ".compiled"), 0700));
  ANIMA_TRY(copy_file(files_, join_path(folder, "binary"), binary_path(tool), 0755));
  ANIMA_TRY(copy_file(files_, join_path(folder, "source"), source_path(tool), 0600));
  return copy_file(files_, join_path(folder, "manifest"), manifest_path(tool), 0600);
}

Status ToolStore::roll_back(const MadeTool& tool) {
  ANIMA_ASSIGN(const auto kept, versions(tool.name));
  for (const std::int64_t version : kept) {
    if (version >= tool.version) continue;
    if (restore_version(tool.name, version)) return {};
  }
  return remove(tool.name);
}

Result<std::vector<std::int64_t>> ToolStore::versions(std::string_view tool) const {
  std::vector<std::int64_t> found;
  const auto entries = files_.list(join_path(folder_, ".versions/" + std::string(tool)));
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return found;
    return fail(entries.error());
  }
  for (const DirectoryEntry& entry : *entries) {
    if (const auto version = read_number<std::int64_t>(entry.name)) found.push_back(*version);
  }
  std::ranges::sort(found, std::greater<>());
  return found;
}

Status ToolStore::prune_versions(std::string_view tool) {
  ANIMA_ASSIGN(const auto kept, versions(tool));
  for (std::size_t i = kVersionsKept; i < kept.size(); ++i)
    ANIMA_TRY(remove_tree(files_, version_folder(tool, kept[i])));
  return {};
}

// The manifest first: without it the rest is nothing.
Status ToolStore::remove(std::string_view tool) {
  ANIMA_TRY(remove_if_there(files_, manifest_path(tool)));
  ANIMA_TRY(remove_if_there(files_, binary_path(tool)));
  ANIMA_TRY(remove_if_there(files_, source_path(tool)));
  return remove_tree(files_, join_path(folder_, ".versions/" + std::string(tool)));
}

Status ToolStore::quarantine(const std::string& tool, std::string_view run) {
  const std::string folder = join_path(folder_, ".quarantine/" + tool + "." + std::string(run));
  ANIMA_TRY(files_.make_directories(folder, 0700));
  for (const auto& [path, name] :
       {std::pair{manifest_path(tool), "manifest"}, std::pair{source_path(tool), "source"},
        std::pair{binary_path(tool), "binary"}}) {
    const Status moved = files_.rename(path, join_path(folder, name));
    if (!moved && moved.error().code != ErrorCode::kNotFound) return moved;
  }
  return {};
}

Status ToolStore::recover_tool(const std::string& tool, std::string_view run, Recovery& recovery) {
  const auto held = lock(tool, false);
  if (!held) return {};  // somebody is at it
  if (const auto staged = files_.list(join_path(folder_, ".staging"))) {
    for (const DirectoryEntry& entry : *staged) {
      if (entry.name.starts_with(tool + "."))
        ANIMA_TRY(remove_tree(files_, join_path(folder_, ".staging/" + entry.name)));
    }
  }
  ANIMA_ASSIGN(const auto whole, find(tool));
  if (whole) return {};
  const bool any = file_exists(files_, manifest_path(tool)) ||
                   file_exists(files_, source_path(tool)) || file_exists(files_, binary_path(tool));
  if (!any) return {};
  ANIMA_TRY(quarantine(tool, run));
  recovery.quarantined.push_back(tool);
  ANIMA_ASSIGN(const auto kept, versions(tool));
  for (const std::int64_t version : kept) {
    if (!restore_version(tool, version)) continue;
    recovery.restored.push_back(tool);
    break;
  }
  return {};
}

Result<ToolStore::Recovery> ToolStore::recover(std::string_view run) {
  Recovery recovery;
  std::set<std::string> tools;
  const auto note = [&](const std::string& folder, std::string_view end) {
    const auto entries = files_.list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.name.starts_with('.') || !entry.name.ends_with(end)) continue;
      tools.insert(entry.name.substr(0, std::min(entry.name.find('.'), entry.name.size())));
    }
  };
  note(folder_, ".json");
  note(folder_, ".cpp");
  note(join_path(folder_, ".compiled"), "");
  note(join_path(folder_, ".staging"), "");
  for (const std::string& tool : tools) ANIMA_TRY(recover_tool(tool, run, recovery));
  return recovery;
}

Result<ToolHistory> ToolStore::history(std::string_view tool) const {
  ToolHistory history;
  const std::string path = join_path(folder_, ".history/" + std::string(tool) + ".json");
  const auto text = read_file(files_, path, kMostFile);
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) return history;
    return fail(text.error());
  }
  ANIMA_ASSIGN(const Json json, parse_json(*text));
  if (const Json* list = json.find("hashes")) {
    for (const Json& each : list->as_array()) history.hashes.push_back(each.as_string());
  }
  if (const Json* list = json.find("panics")) {
    for (const Json& each : list->as_array()) history.panics.push_back(each.as_integer());
  }
  return history;
}

Status ToolStore::keep_history(std::string_view tool, const ToolHistory& history) {
  Json hashes = Json::array(), panics = Json::array();
  const std::size_t first =
      history.hashes.size() > kHistoryKept ? history.hashes.size() - kHistoryKept : 0;
  for (std::size_t i = first; i < history.hashes.size(); ++i) hashes.push_back(history.hashes[i]);
  for (const std::int64_t each : history.panics) panics.push_back(each);
  const std::string folder = join_path(folder_, ".history");
  ANIMA_TRY(files_.make_directories(folder, 0700));
  return replace_file(
      files_, join_path(folder, std::string(tool) + ".json"),
      Json::object({{"hashes", std::move(hashes)}, {"panics", std::move(panics)}}).dump() + "\n",
      0600);
}

}  // namespace anima::forge
