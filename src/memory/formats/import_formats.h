// Knowledge files of other programs, read into a transaction: CSV with a triple a row, and the JSON
// Lines of the MCP memory server. Like triples.json, a file is read whole or not at all: the first
// wrong line ends it, named by number. Thread-safety: plain functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/snapshot.h"
#include "store/transaction.h"

namespace anima::memory {

struct FileLoad {
  std::uint64_t concepts = 0;  // lines that describe one
  std::uint64_t links = 0;
};

// RFC 4180; the first line names the columns: subject, predicate, object and perhaps confidence, in
// any order. Rules and errors as for the elements of triples.json.
Result<FileLoad> load_csv(store::Transaction& transaction, std::string_view text,
                          const std::string& name, store::GraphId graph);

// Lines {"type":"entity","name","entityType","observations":[...]} and
// {"type":"relation","from","to", "relationType"}: an entity is a concept of that type whose
// attribute "observations" holds the texts; the ends of a relation are entities of the file by
// name, else concepts of type Entity. Blank lines are fine. Source: the file format of
// @modelcontextprotocol/server-memory.
Result<FileLoad> load_mcp_memory(store::Transaction& transaction, std::string_view text,
                                 const std::string& name, store::GraphId graph);

// The links between concepts as triples.json, and everything as MCP memory lines; sorted.
std::string write_triples_json(const store::Snapshot& snapshot);
std::string write_mcp_memory(const store::Snapshot& snapshot);

}  // namespace anima::memory
