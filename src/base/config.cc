#include "base/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json/toml.h"
#include "base/text/read_number.h"
#include "base/text/text.h"

extern char** environ;

namespace anima {
namespace {

constexpr std::string_view kVariablePrefix = "ANIMA_";

constexpr std::size_t kMaxName = 64;

bool is_chosen_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

// What a key has before and behind its "*"; nothing when it has none.
std::optional<std::pair<std::string_view, std::string_view>> around_star(std::string_view key) {
  const std::size_t star = key.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  return std::pair(key.substr(0, star), key.substr(star + 1));
}

// What stands in `name` where the key has its "*"; empty when the name is none of that key.
std::string_view chosen_part(std::string_view key, std::string_view name) {
  const auto around = around_star(key);
  if (!around || name.size() <= around->first.size() + around->second.size() ||
      !name.starts_with(around->first) || !name.ends_with(around->second))
    return {};
  name.remove_prefix(around->first.size());
  name.remove_suffix(around->second.size());
  return is_chosen_name(name) ? name : std::string_view();
}

// A key that lies in this table makes the table itself no mistake.
bool lies_in(std::string_view key, std::string_view table) {
  if (const auto around = around_star(key); around && table.starts_with(around->first))
    return is_chosen_name(table.substr(around->first.size()));
  return key.size() > table.size() && key.starts_with(table) && key[table.size()] == '.';
}

std::string variable_of(std::string_view key) {
  std::string name = std::string(kVariablePrefix) + to_upper(key);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string_view kind_name(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::kNull:
      return "nothing";
    case Json::Kind::kBool:
      return "true or false";
    case Json::Kind::kInteger:
      return "an integer";
    case Json::Kind::kDouble:
      return "a number";
    case Json::Kind::kString:
      return "a string";
    case Json::Kind::kArray:
      return "a list of strings";
    case Json::Kind::kObject:
      return "a table";
  }
  return "another kind";
}

bool fits(const ConfigKey& key, const Json& value) {
  if (value.is_array() && key.fallback.is_array()) {
    return std::all_of(value.as_array().begin(), value.as_array().end(),
                       [](const Json& item) { return item.is_string(); });
  }
  return value.kind() == key.fallback.kind() || (key.fallback.is_double() && value.is_integer());
}

template <typename Number>
Json number_or_text(std::string_view text) {
  if (const auto value = read_number<Number>(text)) return *value;
  return text;
}

// Text of an environment variable or flag as the kind that the key wants; stays text when it does
// not read as such.
Json read_as(Json::Kind kind, std::string_view text) {
  switch (kind) {
    case Json::Kind::kBool:
      for (const std::string_view yes : {"true", "1", "yes", "on"}) {
        if (equals_ignoring_ascii_case(text, yes)) return true;
      }
      for (const std::string_view no : {"false", "0", "no", "off"}) {
        if (equals_ignoring_ascii_case(text, no)) return false;
      }
      return text;
    case Json::Kind::kInteger:
      return number_or_text<std::int64_t>(text);
    case Json::Kind::kDouble:
      return number_or_text<double>(text);
    case Json::Kind::kArray: {
      Json list = Json::array();
      for (const std::string_view item : split(text, ',')) {
        if (!trim(item).empty()) list.push_back(trim(item));
      }
      return list;
    }
    default:
      return text;
  }
}

}  // namespace

Environment system_environment() {
  Environment result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

Config::Config(std::span<const ConfigKey> keys) : keys_(keys.begin(), keys.end()) {
  for (const ConfigKey& key : keys_) {
    if (around_star(key.name)) continue;
    const std::string name(key.name);
    values_.emplace(name, Entry{name, key.fallback, "built-in", key.secret});
  }
}

const ConfigKey* Config::declared(std::string_view name) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const ConfigKey& key) {
    return around_star(key.name) ? !chosen_part(key.name, name).empty() : key.name == name;
  });
  return found == keys_.end() ? nullptr : &*found;
}

Error Config::unknown(std::string_view name, std::string where) const {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys_) {
    const auto around = around_star(key.name);
    if (!around) {
      names.emplace_back(key.name);
    } else if (name.starts_with(around->first)) {
      // The chosen name is right for certain: only what stands behind it can be meant otherwise.
      const std::string_view chosen = name.substr(
          around->first.size(), name.find('.', around->first.size()) - around->first.size());
      names.push_back(fmt::format("{}{}{}", around->first, chosen, around->second));
    }
  }
  return {ErrorCode::kNotFound, fmt::format("unknown setting \"{}\"", name), std::move(where),
          did_you_mean(nearest_names(name, std::span<const std::string>(names)))};
}

Status Config::put(const std::string& name, const ConfigKey& key, Json value, std::string origin) {
  if (!fits(key, value)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the setting \"{}\" must be {}", name, kind_name(key.fallback.kind())),
                std::move(origin));
  }
  if (!key.choices.empty() && value.is_string() &&
      std::find(key.choices.begin(), key.choices.end(), value.as_string()) == key.choices.end()) {
    std::vector<std::string> choices(key.choices.begin(), key.choices.end());
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the setting \"{}\" cannot be \"{}\"", name, value.as_string()),
                std::move(origin), "choose one of " + join(choices, ", "));
  }
  if (key.least && value.is_integer() && value.as_integer() < *key.least) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("the setting \"{}\" must be {} or more", name, *key.least),
                std::move(origin));
  }
  if (key.fallback.is_double() && value.is_integer()) value = value.as_number();
  values_[name] = Entry{name, std::move(value), std::move(origin), key.secret};
  return {};
}

void Config::take(const std::string& prefix, const Json& table,
                  const std::function<std::string(const std::string&)>& place) {
  for (const auto& [member, value] : table.as_object()) {
    const std::string name = prefix.empty() ? member : prefix + '.' + member;
    if (const ConfigKey* key = declared(name)) {
      if (Status status = put(name, *key, value, place(name)); !status) {
        problems_.push_back(status.error());
      }
    } else if (value.is_object() &&
               std::any_of(keys_.begin(), keys_.end(),
                           [&](const ConfigKey& k) { return lies_in(k.name, name); })) {
      take(name, value, place);
    } else {
      problems_.push_back(unknown(name, place(name)));
    }
  }
}

Status Config::add_toml(std::string_view text, std::string source) {
  ANIMA_ASSIGN(const TomlDocument document, parse_toml(text, std::move(source)));
  take({}, document.root, [&](const std::string& key) { return document.where(key); });
  return {};
}

Status Config::add_file(FileSystem& files, const std::string& path) {
  const auto text = read_file(files, path, std::uint64_t{1} << 24);
  if (text) return add_toml(*text, path);
  if (text.error().code == ErrorCode::kNotFound) return {};
  return fail(text.error());
}

std::optional<std::pair<std::string, const ConfigKey*>> Config::of_variable(
    std::string_view variable) const {
  const ConfigKey* key = nullptr;
  std::string_view chosen;
  for (const ConfigKey& each : keys_) {
    const std::string wanted = variable_of(each.name);
    if (!around_star(each.name)) {
      if (wanted == variable) return std::pair(std::string(each.name), &each);
      continue;
    }
    // Of LLM_A_KEY_FILE the key "llm.*.key_file" leaves the shortest name, and that is meant.
    const std::string_view part = chosen_part(wanted, variable);
    if (part.empty() || (key != nullptr && part.size() >= chosen.size())) continue;
    key = &each;
    chosen = part;
  }
  if (key == nullptr) return std::nullopt;
  const auto around = around_star(key->name);
  std::string name = to_lower(chosen);
  // A file's own spelling goes before: variables know neither "-" nor small letters.
  for (const std::string& known : names_in(around->first.substr(0, around->first.size() - 1))) {
    if (variable_of(replace_all(known, "-", "_")) == variable_of(chosen)) name = known;
  }
  return std::pair(fmt::format("{}{}{}", around->first, name, around->second), key);
}

void Config::add_environment(const Environment& environment,
                             std::span<const std::string_view> reserved) {
  std::vector<std::string> names(reserved.begin(), reserved.end());
  for (const ConfigKey& key : keys_) names.push_back(variable_of(key.name));
  for (const auto& [name, text] : environment) {
    if (name.compare(0, kVariablePrefix.size(), kVariablePrefix) != 0) continue;
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) continue;
    const auto found = of_variable(name);
    const std::string origin = "environment " + name;
    if (!found) {
      problems_.push_back({ErrorCode::kNotFound,
                           fmt::format("unknown environment variable \"{}\"", name), origin,
                           did_you_mean(nearest_names(name, std::span<const std::string>(names)))});
      continue;
    }
    const ConfigKey& key = *found->second;
    const Status status = put(found->first, key, read_as(key.fallback.kind(), text), origin);
    if (!status) problems_.push_back(status.error());
  }
}

Status Config::set(std::string_view name, std::string_view text, std::string origin) {
  const ConfigKey* key = declared(name);
  if (key == nullptr) return fail(unknown(name, std::move(origin)));
  return put(std::string(name), *key, read_as(key->fallback.kind(), text), std::move(origin));
}

const Config::Entry* Config::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> Config::names_in(std::string_view table) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : values_) {
    const ConfigKey* key = declared(name);
    if (key == nullptr || !lies_in(name, table) || !around_star(key->name)) continue;
    std::string chosen(chosen_part(key->name, name));
    if (names.empty() || names.back() != chosen) names.push_back(std::move(chosen));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const Json& Config::value(std::string_view name) const {
  const Entry* entry = find(name);
  ANIMA_CHECK(entry != nullptr);
  return entry->value;
}

std::vector<Config::Entry> Config::entries() const {
  std::vector<Entry> entries;
  for (const auto& [name, entry] : values_) entries.push_back(entry);
  return entries;
}

UserDirectories user_directories(const Environment& environment) {
  const auto get = [&](std::string_view name) -> std::string {
    const auto found = environment.find(name);
    // The XDG specification says that a relative path is invalid and to be ignored.
    return found == environment.end() || found->second.empty() || found->second[0] != '/'
               ? std::string()
               : found->second;
  };
  const std::string home = get("HOME").empty() ? "/" : get("HOME");
  const auto folder = [&](std::string_view variable, std::string_view otherwise) {
    const std::string set = get(variable);
    return join_path(set.empty() ? join_path(home, otherwise) : set, "anima");
  };
  UserDirectories directories;
  directories.config = folder("XDG_CONFIG_HOME", ".config");
  directories.data = folder("XDG_DATA_HOME", ".local/share");
  directories.state = folder("XDG_STATE_HOME", ".local/state");
  directories.cache = folder("XDG_CACHE_HOME", ".cache");
  directories.runtime = get("XDG_RUNTIME_DIR").empty() ? directories.state
                                                       : join_path(get("XDG_RUNTIME_DIR"), "anima");
  return directories;
}

std::vector<std::string> config_files(const Environment& environment,
                                      const std::string& space_folder) {
  return {"/etc/anima/config.toml", join_path(user_directories(environment).config, "config.toml"),
          join_path(space_folder, "config.toml")};
}

}  // namespace anima
