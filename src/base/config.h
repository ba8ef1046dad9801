// Configuration in layers, later wins: built-in, /etc/anima/config.toml,
// $XDG_CONFIG_HOME/anima/config.toml, <space>/config.toml, environment ANIMA_*, flags. Every value
// remembers the layer that it came from.
//
// Settings are declared as ConfigKey rows (cli/frame/settings.cc). A key is dotted ("log.level");
// the environment variable of that one is ANIMA_LOG_LEVEL. A "*" in a key stands for a name that
// the user chooses ("llm.*.url"): letters, digits, "-" and "_", at most 64. Such a setting has no
// value until a layer gives one; its variable is ANIMA_LLM_FAST_URL for the name "fast" in any
// case.
//
// What is wrong in a layer (unknown key, wrong kind of value) is a problem with its place and a
// near name; the value is left out and the layer below stays in force. The caller decides whether a
// problem is a warning or an error. Thread-safety: const functions from any thread once the layers
// are in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima {

struct ConfigKey {
  std::string_view name;  // at most one "*"
  Json fallback;          // its kind is the kind of the setting; a string list is an array
  std::string_view help;
  std::vector<std::string_view> choices = {};  // of a string, when not free
  bool secret = false;                         // never shown
  std::optional<std::int64_t> least = {};      // of an integer
};

using Environment = std::map<std::string, std::string, std::less<>>;
Environment system_environment();

class Config {
 public:
  struct Entry {
    std::string name;
    Json value;
    std::string origin;  // "built-in", "PATH:LINE:COLUMN", "environment ANIMA_X" or "flag --x"
    bool secret = false;
  };

  explicit Config(std::span<const ConfigKey> keys);

  // A layer from a file; a missing file is an empty layer. Errors: kSyntax with its place, kIo.
  Status add_file(FileSystem& files, const std::string& path);
  Status add_toml(std::string_view text, std::string source);
  // Every ANIMA_* variable but those in `reserved`, which have a meaning of their own.
  void add_environment(const Environment& environment,
                       std::span<const std::string_view> reserved = {});
  // One setting from a flag. Errors: kNotFound (unknown key), kInvalidArgument (wrong kind).
  Status set(std::string_view name, std::string_view text, std::string origin);

  // The value in force. Requires a key that was declared (with the kind asked for).
  const Json& value(std::string_view name) const;
  const std::string& text(std::string_view name) const { return value(name).as_string(); }
  std::int64_t integer(std::string_view name) const { return value(name).as_integer(); }
  double number(std::string_view name) const { return value(name).as_number(); }
  bool flag(std::string_view name) const { return value(name).as_bool(); }
  // Null when no such key is declared, or it has a "*" and no layer gave it a value.
  const Entry* find(std::string_view name) const;
  // The names that the layers put in the place of the "*" of keys that begin with `table` and a
  // dot, sorted.
  std::vector<std::string> names_in(std::string_view table) const;

  std::vector<Entry> entries() const;  // sorted by name
  const std::vector<Error>& problems() const { return problems_; }

 private:
  const ConfigKey* declared(std::string_view name) const;
  void take(const std::string& prefix, const Json& table,
            const std::function<std::string(const std::string&)>& place);
  Status put(const std::string& name, const ConfigKey& key, Json value, std::string origin);
  Error unknown(std::string_view name, std::string where) const;
  // The setting that a variable of the environment stands for, and its key; nothing when there is
  // none.
  std::optional<std::pair<std::string, const ConfigKey*>> of_variable(
      std::string_view variable) const;

  std::vector<ConfigKey> keys_;
  std::map<std::string, Entry, std::less<>> values_;
  std::vector<Error> problems_;
};

// Where files of the user live, from the XDG variables in `environment`; each ends in "/anima".
struct UserDirectories {
  std::string config;   // $XDG_CONFIG_HOME, else ~/.config
  std::string data;     // $XDG_DATA_HOME, else ~/.local/share
  std::string state;    // $XDG_STATE_HOME, else ~/.local/state
  std::string cache;    // $XDG_CACHE_HOME, else ~/.cache
  std::string runtime;  // $XDG_RUNTIME_DIR, else the state folder
};
UserDirectories user_directories(const Environment& environment);

// The files of the layers, the lowest first: of the machine, of the user, of the space in that
// folder.
std::vector<std::string> config_files(const Environment& environment,
                                      const std::string& space_folder);

}  // namespace anima
