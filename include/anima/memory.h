// The public door of Anima's memory: a space that can be told, asked, undone, proved and copied.
//
//   auto memory = anima::Memory::open("/home/ada/space").value();
//   memory.kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Ada"} } })");
//   anima::Json answer = memory.kip(R"(FIND(?p.name) WHERE { ?p {type: "Person"} })");
//
// A Memory is one folder. Several processes may open the same one: writers take turns, readers see
// each commit. What a write acknowledged is on disk. Copies of a Memory share the open space, which
// is closed with the last of them. Errors: Result<T> (base/result.h) holds a value or an Error with
// a code, a sentence, a place and a hint; what KIP refuses stands in its answer. Nothing throws.
// Thread-safety: every function from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace anima {

// How far the origin of a text is trusted, rising. A channel has a most; nothing in a text raises
// it.
enum class TrustLevel : std::uint8_t {
  kHostile,
  kUntrusted,  // whatever comes from outside
  kStandard,
  kVerified,
  kOperator,  // the owner
  kSystem,
};
std::string_view to_string(TrustLevel level);  // "hostile" .. "system"

// In whose name is written: it stands in the log and in everything that history tells.
struct Author {
  std::string name = "local";
  std::string source = {};  // where the knowledge comes from: a file, an address, a conversation
  // How far what is written counts: kOperator for the owner's own word. Who says nothing is not
  // trusted.
  TrustLevel trust = TrustLevel::kUntrusted;
};

// How a question in plain words is asked.
struct AskSettings {
  // Questions of one session are one conversation ("and its owner?"); kept until the Memory ends.
  std::string session = {};
  std::string language = "en";
  std::string now = {};  // ISO 8601: what "today" is told from; empty: the clock
  bool all = false;      // more than 200 rows
};

// How files are loaded that nobody prepared; what is empty is found out (docs/load.md).
struct LoadRequest {
  std::vector<std::string> files = {};
  std::string type = {};                // of what the rows are
  std::vector<std::string> key = {};    // the columns that tell rows apart
  std::vector<std::string> links = {};  // "COLUMN=TYPE.PREDICATE"
  Json mapping = {};                    // an exported mapping, in place of a proposed one
  bool dry_run = false;
};

class Memory {
 public:
  // Makes the folder with the genesis content when there is none. Errors: kIo, kCorrupt,
  // kVersionMismatch (a space of another version: `anima migrate`).
  static Result<Memory> open(const std::string& folder);
  // Nothing on disk; gone with the last copy.
  static Result<Memory> in_memory();
  ~Memory();
  Memory(const Memory&);
  Memory& operator=(const Memory&);
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  // One KIP text of one or more statements; `parameters` is an object whose members replace
  // placeholders (`:name`). Answers {"result": ...} or {"error": {"code", "name", "message", ...}}.
  Json kip(std::string_view command, const Json& parameters = {}, const Author& author = {});
  // A whole execute_kip request object, as KIP's function calls carry it.
  Json execute_kip(const Json& request, const Author& author = {});
  // The same; whatever would write is refused.
  Json execute_kip_readonly(const Json& request) const;

  // Answers a question in plain words over what the memory holds, without a model, and writes
  // nothing: {"status": "answered" | "empty" | "ambiguous" | "not_understood", "answer", "rows",
  // "query", "proof", "unknown", ..} (docs/ask.md). Errors: kSyntax (`now`), those of the language
  // pack.
  Result<Json> ask(std::string_view question, const AskSettings& settings = {}) const;

  // Loads CSV, TSV, JSON, JSON Lines, SQLite and files of facts by their proposed mapping, in one
  // log entry or not at all: {"tables": [{"file", "type", "rows", "created", "changed", ..}],
  // "mapping", "changed", "sequence"}. A second load of the same files changes nothing. Errors:
  // kNotFound (no file), kInvalidArgument (a cell that is no number where its column is, with file,
  // row and column; a column that is not there), kSyntax, kUnsupported (a text: that is for
  // GovernedAgent::remember). O(bytes).
  Result<Json> load(const LoadRequest& request, const Author& author = {});

  // The number of the newest log entry. It grows by one with each transaction.
  Result<std::uint64_t> newest_entry() const;
  // Puts back what the entries first..last changed, as a new entry. Errors: kConflict (later
  // entries depend on them, and `cascade` is false), kInvalidArgument.
  Status undo(std::uint64_t first, std::uint64_t last, bool cascade = false,
              const Author& author = {});
  // Checks every entry's hash and place. Errors: kCorrupt with the place of the first damage.
  // O(log).
  Status verify() const;
  // A copy as of now in one file, verified, while the space is in use. Errors: kAlreadyExists,
  // kDiskFull.
  Status backup(const std::string& path) const;

 private:
  friend class GovernedAgent;  // works over the same open space
  struct State;
  explicit Memory(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace anima
