// The public door of Anima's memory: a space that can be told, asked, undone, proved and copied.
//
//   auto memory = anima::Memory::open("/home/ada/space", {.create = true}).value();
//   memory.kip(R"(UPSERT { CONCEPT { {type: "Person", name: "Ada"} } })");
//   const auto people = memory.find(R"(FIND(?p.name) WHERE { ?p {type: "Person"} })").value();
//   for (const auto& person : people) std::puts(person.text(0).c_str());
//
// view() and as_of() give all that can be read at one moment: search, history, why, rules, export
// (view.h). docs/library.md says which call does what, and examples/library/ shows each.
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

#include "anima/answers.h"
#include "anima/sparql.h"
#include "anima/view.h"
#include "base/json/json.h"
#include "base/result.h"

namespace anima {

// In whose name is written: it stands in the log and in everything that history tells.
struct Author {
  std::string name = "local";
  std::string source = {};  // where the knowledge comes from: a file, an address, a conversation
  // How far what is written counts: kOperator for the owner's own word. Who says nothing is not
  // trusted.
  TrustLevel trust = TrustLevel::kUntrusted;
};

// How a folder is opened.
struct OpenOptions {
  bool create = false;     // true: makes a space where there is none; a typo must not
  bool read_only = false;  // what would write fails with kDenied; one who is not there is not made
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

// How entries are taken back.
struct UndoSettings {
  bool cascade = false;  // true: with the later entries that depend on them
};

class Memory {
 public:
  // With `create` makes the folder with the genesis content when there is none. `folder` may be the
  // address of a PostgreSQL database (docs/postgres.md). Errors: kIo, kCorrupt, kNotFound (no space
  // there, and none is to be made), kVersionMismatch (a space of another version: `anima migrate`).
  static Result<Memory> open(const std::string& folder, const OpenOptions& options = {});
  // Nothing on disk; gone with the last copy.
  static Result<Memory> in_memory();
  ~Memory();
  Memory(const Memory&);
  Memory& operator=(const Memory&);
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  // One KIP text of one or more statements; `parameters` is an object whose members replace
  // placeholders (`:name`). Answers {"result": ...} or {"error": {"code", "name", "message", ...}}.
  // What `limits` end is an error there (KIP_4001). Where it wrote, "entry" is the number of the
  // first log entry, whose undo() takes back all that the call wrote.
  Json kip(std::string_view command, const Json& parameters = {}, const Author& author = {},
           const CallLimits& limits = {});
  // What such an answer holds under "result", of several statements a list of answers; or its
  // error, or that of the first statement that failed, as find() gives it. O(result).
  static Result<Json> result_of(const Json& answer);
  // A whole execute_kip request object, as KIP's function calls carry it.
  Json execute_kip(const Json& request, const Author& author = {});
  // The same; whatever would write is refused.
  Json execute_kip_readonly(const Json& request) const;

  // A KIP query as rows, over the newest state. Errors and complexity: as View::find().
  Result<Rows> find(std::string_view kip, const Json& parameters = {},
                    const CallLimits& limits = {}) const;
  // What a query would answer if a change (KIP that writes) were made, which it is not. Errors: as
  // find(), also those of the change.
  Result<Rows> what_if(std::string_view change, std::string_view query, const Json& parameters = {},
                       const CallLimits& limits = {}) const;

  // A SPARQL 1.1 query over the newest state, with what the loaded packs' rules derive. Errors and
  // complexity: as View::sparql().
  Result<SparqlAnswer> sparql(std::string_view query, const SparqlSettings& settings = {}) const;
  // A SPARQL 1.1 update: all its operations in one log entry, or none. Errors: kSyntax
  // ("line:column"), kDenied (LOAD from elsewhere, Anima's own books), kTimeout, kCancelled,
  // kLimitExceeded, kConflict.
  Result<SparqlChange> sparql_update(std::string_view update, const Author& author = {},
                                     const SparqlSettings& settings = {});
  // Takes RDF in, in one log entry or not at all, and gives how many statements it read; load()
  // takes files. Blank nodes keep their labels where the memory has none of that label. Errors:
  // kSyntax with line and column, kInvalidArgument (no such format), kDenied. O(bytes).
  Result<std::uint64_t> import_rdf(const RdfText& rdf, const Author& author = {});

  // Answers a question in plain words over what the memory holds, without a model, and writes
  // nothing (docs/ask.md). Not to be understood is an answer, not an error. Errors:
  // kInvalidArgument (`now`), kTimeout, kCancelled, those of the language pack. The first question
  // reads all statements, others O(words) and their queries.
  Result<QuestionAnswer> ask(std::string_view question, const AskSettings& settings = {}) const;

  // All that can be read of this moment, and of an earlier one: the number of a log entry, an
  // ISO 8601 time, a date (the end of that day, UTC), "yesterday", "2 hours ago". Errors:
  // kInvalidArgument (no time), kNotFound (an entry that is not there). O(1) for the present, else
  // O(changes since).
  Result<View> view() const;
  Result<View> as_of(std::string_view point) const;
  // The commits behind a log entry, as they come; without one those that come from now on. Errors:
  // kInvalidArgument (an entry that is not there yet), those of reading the log.
  Result<ChangeFeed> changes() const;
  Result<ChangeFeed> changes(std::uint64_t after) const;

  // Loads CSV, TSV, JSON, JSON Lines, SQLite and files of facts by their proposed mapping, in one
  // log entry or not at all: {"tables": [{"file", "type", "rows", "created", "changed", ..}],
  // "mapping", "changed", "sequence"}. A second load of the same files changes nothing. Errors:
  // kNotFound (no file), kInvalidArgument (a cell that is no number where its column is, with file,
  // row and column; a column that is not there), kSyntax, kUnsupported (a text: that is for
  // Agent::remember). O(bytes).
  Result<LoadReport> load(const LoadRequest& request, const Author& author = {});

  // Takes a pack in, the folder of a compartment (compartment.toml with facts, rules, words;
  // docs/rules.md), and gives its id; one that is there stays. Its rules count in ask() and
  // View::why(). Errors: those of its files with their place; nothing is loaded then.
  Result<std::string> load_pack(const std::string& folder, const Author& author = {});
  // Takes everything that it said out again. Errors: kNotFound, kConflict.
  Status unload_pack(const std::string& id, const Author& author = {});

  // The number of the newest log entry. It grows by one with each transaction.
  Result<std::uint64_t> newest_entry() const;
  // Puts back what the entries first..last changed, as a new entry; of an act, such as a remembered
  // text, all that it wrote, whichever of its entries is named (docs/undo.md). Errors: kConflict
  // (later entries depend on them, and are not to be taken back), kInvalidArgument.
  Status undo(std::uint64_t first, std::uint64_t last, const UndoSettings& settings = {},
              const Author& author = {});
  // The same by words, as `anima undo` takes them: "120", "120..124", or "last", the newest act
  // that is not undone yet and left something. Gives the number of the first entry that was taken
  // back. Errors: as above; kNotFound (nothing is left to undo).
  Result<std::uint64_t> undo(std::string_view entries, const UndoSettings& settings = {},
                             const Author& author = {});
  // Checks every entry's hash and place. Errors: kCorrupt with the place of the first damage.
  // O(log).
  Status verify() const;
  // A copy as of now in one file, verified, while the space is in use. Errors: kAlreadyExists,
  // kDiskFull, kInvalidArgument (the path lies inside a space).
  // An error of learnings alone: the backup is made, without those that cannot be read.
  Status backup(const std::string& path) const;

 private:
  friend class Agent;  // works over the same open space
  struct State;
  explicit Memory(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace anima
