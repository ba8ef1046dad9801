// What a verb works with: streams, configuration, the space that was chosen, and the habits of the
// command line (results on standard output, progress and errors on standard error, --json, colour
// only on a terminal). Thread-safety: a Context belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/stream.h"

namespace anima::agent {
class Gate;
}

namespace anima::cli {

struct Verb;

enum class ProgressMode : std::uint8_t { kAuto, kPlain, kJson, kNone };
enum class Paint : std::uint8_t { kBold, kDim, kRed, kGreen, kYellow, kCyan };

// One option or positional of a verb, for completion and documentation.
struct OptionInfo {
  std::string name;        // "--format", or "FILE" of a positional
  std::string value_name;  // empty for a flag
  std::string help;
  std::vector<std::string> choices;
};

// How tables are written. kText fits a terminal; the others are whole.
enum class TableForm : std::uint8_t { kText, kExpanded, kCsv, kTsv, kMarkdown };

class Context {
 public:
  Context(Stream& standard_output, Stream& standard_error, FileSystem& file_system,
          Environment variables);

  Stream& out;
  Stream& err;
  FileSystem& files;
  Environment environment;
  Config config;

  const Verb* verb = nullptr;
  std::vector<std::string> words = {};     // that stood behind it on the command line
  std::set<std::string> told = {};         // notes of a space that were shown
  std::string cannot_write = {};           // why a space that is to be written is only read
  std::shared_ptr<agent::Gate> gate = {};  // of the space that was opened last (access.h)
  bool json = false;                       // --json
  bool color = false;                      // on standard output
  ProgressMode progress = ProgressMode::kAuto;
  // The folder of the space: --space, $ANIMA_SPACE, else the user's default. The address of a
  // database stands in its place until find_space().
  std::string space;
  bool space_was_named = false;  // by --space
  // A sequence or a time: `anima as-of` sets it, space_snapshot() goes there, and the space is
  // opened read-only.
  std::string as_of;
  bool salvage = false;  // --salvage: the space is read up to the damage of its log
  bool books = false;    // --books: space_snapshot() shows Anima's own books too
  TableForm table = TableForm::kText;
  std::vector<std::string> given_settings = {};  // --set KEY=VALUE
  // Set while a verb is only asked for its options (see Options::parse).
  std::vector<OptionInfo>* describe = nullptr;

  // A result for people; verbs that print results have a JSON form too.
  void print(std::string_view text) { out.write(text); }
  // One JSON document and a line end; indented on a terminal.
  void print_json(const Json& value);
  // "anima VERB: message" on standard error.
  void note(std::string_view message);
  void warn(std::string_view message);
  // Reports the error (with --json also on standard output, as {"error":{...}}) and returns its
  // exit code.
  int fail(const Error& error);
  // The same for a mistake in the command line: exit code 2.
  int usage_error(std::string_view message, std::string_view hint = {});
  std::string paint(Paint paint, std::string_view text) const;

  // The whole file, or standard input for "-".
  Result<std::string> read_input(const std::string& path,
                                 std::uint64_t max_bytes = std::uint64_t{1} << 32);

  // The folder of a space that was named by the address of a database (store/space_place.h).
  Status find_space();
  // Reads the layers of the configuration for the chosen space. Warnings go to standard error.
  Status load_config(const std::vector<std::string>& settings, bool quiet);
  // The layers as they are now, with the settings of the command line. Errors: those of the files.
  Result<Config> read_config() const;
  // The files of the configuration, weakest first.
  std::vector<std::string> config_files() const;
};

// {"code","message","where","hint"}, leaving out what is empty.
Json error_json(const Error& error);

}  // namespace anima::cli
