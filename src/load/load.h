// Loading files that nobody prepared: what is in them is found out, a mapping is proposed, and all
// of it is written in one log entry, or nothing.
//
//   ANIMA_ASSIGN(auto loading, Loading::open(files, {{"hosts.csv"}}, {}, snapshot));
//   for (const PlannedTable& table : loading->tables()) show(table);
//   ANIMA_ASSIGN(const LoadReport report, loading->write(*space, origin));
//
// Things are found by their type and key and never doubled; a second load of the same files writes
// nothing; a changed row replaces the values that it changes, and history keeps the old ones. Each
// fact carries a provenance record with file and row. Rules, in full: docs/load.md.
//
// Thread-safety: one thread. Ownership: the file system outlives it; files stay mapped while it
// lives, and must not shrink. Errors: kInvalidArgument (a wish that fits nothing, cells that are no
// numbers where their column is; with file, row and column), kSyntax, kNotFound, those of the
// space. Complexity: O(bytes), three passes over each file; memory: 16 bytes a distinct value of
// the columns while proposing, some 16 bytes a statement while writing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/result.h"
#include "load/mapping.h"
#include "store/space.h"

namespace anima::load {

struct LoadInput {
  std::string file;
  std::optional<std::string> bytes = {};  // what is read already: standard input
};

struct LoadSettings {
  MappingWishes wishes = {};
  std::optional<Mapping> mapping = {};  // instead of proposing; of the tables that it names
  std::optional<char> delimiter = {};
  std::optional<bool> header = {};
  std::function<void(std::string_view step, std::uint64_t done, std::uint64_t all)> progress = {};
  std::function<bool()> cancelled = {};  // asked now and then; true ends with kCancelled
};

// What a row would become, for people.
struct RowPreview {
  std::uint64_t row = 0;
  std::string name;
  std::vector<std::string> facts;  // "port 443", "host -> Host \"borea\""
};

struct PlannedTable {
  std::string file, format;
  std::string table;  // of the file: "orders" of shop.db
  TableMapping mapping;
  std::uint64_t rows = 0;
  bool kept = false;                // the mapping of an earlier load
  std::vector<RowPreview> preview;  // of the first five rows
};

struct TableReport {
  std::string file, table, type;
  std::uint64_t rows = 0;
  std::uint64_t created = 0, changed = 0, unchanged = 0;  // things
  std::uint64_t facts = 0;                                // stated
  std::uint64_t withdrawn = 0;                            // no longer stated, of these
  std::uint64_t outranked =
      0;  // that stay, for who stated them is trusted more; beside the new one
  std::uint64_t overruled = 0;  // that somebody else had stated, not a load of this table
  std::uint64_t mentioned = 0;  // things that a link names and no row describes, made here
};

// A file of facts: N-Triples, triples.json, MCP memory.
struct FactsReport {
  std::string file, format;
  std::uint64_t statements = 0;
};

// A Markdown or text file, for whoever remembers texts (memory/memory_manager.h); write() leaves
// it.
struct TextPart {
  std::string title;  // "Storage › Disks"; empty before the first heading
  std::string text;
};
struct TextFile {
  std::string file;
  std::vector<TextPart> parts;
};

struct LoadReport {
  std::vector<TableReport> tables;
  std::vector<FactsReport> facts;
  store::Receipt receipt;  // changed is false when nothing was to be written
  std::vector<std::string> notes;
};

// {"tables": [..], "facts": [..], "notes": [..], "changed", "sequence"}.
Json to_json(const LoadReport& report);

class Loading {
 public:
  static Result<std::unique_ptr<Loading>> open(FileSystem& files, std::vector<LoadInput> inputs,
                                               LoadSettings settings,
                                               const store::Snapshot& snapshot);
  ~Loading();
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

  const std::vector<PlannedTable>& tables() const;
  const std::vector<std::string>& fact_files() const;  // to be read as they are
  const std::vector<TextFile>& texts() const;
  const std::vector<std::string>& notes() const;
  Mapping mapping() const;
  // Can be called once. A dry run does everything on a private branch.
  Result<LoadReport> write(store::Space& space, const store::Origin& origin, bool dry_run = false);

  struct State;  // of this room

 private:
  explicit Loading(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The mappings that the space keeps, by table.
Mapping kept_mappings(const store::Snapshot& snapshot);

}  // namespace anima::load
