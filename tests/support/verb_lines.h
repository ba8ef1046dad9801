// A command line for each verb that opens a space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace anima::test {

using Line = std::vector<std::string>;

// What a line does to what is known. Who reads may note that he did.
enum class LineEffect : std::uint8_t { kReads, kWrites };
struct OpeningLine {
  LineEffect effect;
  Line words;
};

// One command line a way of opening a space; a word with FILE in it names a file that is there.
inline const std::vector<OpeningLine>& lines_with_effect() {
  using enum LineEffect;
  static const std::vector<OpeningLine> lines = {
      {kReads, {"kip", "DESCRIBE PRIMER"}},
      {kReads, {"kip", "--readonly", "DESCRIBE PRIMER"}},
      {kReads, {"kip", "--dry-run", "DESCRIBE PRIMER"}},
      {kReads, {"kip", "--explain", "FIND(?s) WHERE { ?s {type: \"Person\"} }"}},
      {kWrites, {"mcp"}},
      {kWrites, {"mcp", "--readonly"}},
      {kWrites, {"mcp", "--act"}},
      {kWrites, {"mcp", "--front", "files"}},
      {kWrites, {"mcp", "add", "files", "--", "/bin/cat"}},
      {kReads, {"mcp", "list"}},
      {kReads, {"mcp", "check", "files"}},
      {kWrites, {"mcp", "accept", "files"}},
      {kWrites, {"mcp", "remove", "files"}},
      {kWrites, {"import", "FILE.csv"}},
      {kReads, {"import", "--dry-run", "FILE.csv"}},
      {kWrites, {"load", "--yes", "FILE.csv"}},
      {kReads, {"load", "--dry-run", "FILE.csv"}},
      {kReads, {"load", "FILE.csv"}},
      {kReads, {"export"}},
      {kReads, {"search", "moon"}},
      {kReads, {"changes", "1"}},
      {kWrites, {"sleep"}},
      {kReads, {"sleep", "--dry-run"}},
      {kReads, {"sleep", "list"}},
      {kReads, {"sleep", "status"}},
      {kReads, {"sleep", "metrics"}},
      {kReads, {"sleep", "report"}},
      {kWrites, {"sleep", "undo", "1"}},
      {kWrites, {"sleep", "merge", "moon", "satellite"}},
      {kReads, {"ask", "list the services"}},
      {kReads, {"compartment", "list"}},
      {kReads, {"compartment", "info", "debian"}},
      {kReads, {"compartment", "discover"}},
      {kWrites, {"compartment", "create", "astronomy"}},
      {kWrites, {"compartment", "load", "astronomy"}},
      {kWrites, {"compartment", "unload", "astronomy"}},
      {kWrites, {"compartment", "activate", "astronomy"}},
      {kWrites, {"compartment", "deactivate", "astronomy"}},
      {kWrites, {"compartment", "switch", "astronomy"}},
      {kWrites,
       {"compartment", "accept",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}},
      {kReads, {"compartment", "keys"}},
      {kReads, {"compartment", "query", "astronomy", "ASK {}"}},
      {kReads, {"sparql", "ASK {}"}},
      {kWrites, {"serve", "--sparql"}},
      {kWrites, {"serve", "token", "add", "dashboard"}},
      {kReads, {"serve", "token", "list"}},
      {kWrites, {"serve", "token", "remove", "dashboard"}},
      {kReads, {"skill", "list"}},
      {kReads, {"skill", "info", "tides"}},
      {kWrites, {"skill", "load", "tides"}},
      {kWrites, {"skill", "unload", "tides"}},
      {kWrites, {"skill", "scaffold", "tides"}},
      {kReads, {"why", "needs(X, Y)"}},
      {kReads, {"why-not", "needs(\"a\", \"b\")"}},
      {kReads, {"contradictions"}},
      {kReads, {"provenance", "moon"}},
      {kReads, {"agent", "goals"}},
      {kWrites, {"agent", "plan"}},
      {kWrites, {"agent", "cycle"}},
      {kWrites, {"agent", "resume"}},
      {kWrites, {"agent", "reflect"}},
      {kWrites, {"agent", "consolidate"}},
      {kReads, {"agent", "recall", "moon"}},
      {kReads, {"agent", "gaps", "--goal", "moon"}},
      {kReads, {"agent", "memory"}},
      {kWrites, {"agent", "infer"}},
      {kReads, {"agent", "infer", "--dry-run"}},
      {kWrites, {"agent", "document", "moon"}},
      {kReads, {"agent", "schema"}},
      {kWrites, {"agent", "prune", "--older-than", "1 day"}},
      {kWrites, {"agent", "repl"}},
      {kWrites, {"agent", "chat"}},
      {kReads, {"grammar", "parse", "Earth is a planet."}},
      {kWrites, {"grammar", "load", "FILE.toml"}},
      {kReads, {"grammar", "render", "Earth"}},
      {kReads, {"psyche", "show"}},
      {kWrites, {"psyche", "reload"}},
      {kWrites, {"psyche", "drop-veto", "offline"}},
      {kReads, {"psyche", "history"}},
      {kReads, {"psyche", "export", "FILE.written.toml"}},
      {kWrites, {"psyche", "set", "FILE.psyche.toml"}},
      {kWrites, {"psyche", "reset", "--confirm"}},
      {kWrites, {"run", "find out about Earth"}},
      {kReads, {"chat"}},
      {kReads, {"replay", "1"}},
      {kReads, {"history", "Ada"}},
      {kWrites, {"undo", "1"}},
      {kReads, {"undo", "1", "--dry-run"}},
      {kReads, {"as-of", "1", "history", "Ada"}},
      {kReads, {"audit", "log"}},
      {kReads, {"audit", "verify"}},
      {kReads, {"audit", "prove", "1"}},
      {kReads, {"audit", "checkpoint", "-o", "FILE.checkpoint"}},
      {kReads, {"audit", "export"}},
      {kReads, {"backup", "FILE.backup"}},
      {kWrites, {"erase", "1", "--confirm"}},
      {kWrites, {"forget", "Ada", "--confirm"}},
      {kReads, {"forget", "Ada", "--dry-run"}},
      {kWrites, {"archive", "FILE.archive", "--before", "1"}},
      {kWrites, {"compact", "--keep-undo", "1"}},
      {kReads, {"compact", "--dry-run"}},
      {kReads, {"checkpoint"}},
      {kWrites, {"migrate"}},
      {kReads, {"stats"}},
      {kWrites, {"guard", "call"}},
      {kWrites, {"guard", "halt"}},
      {kWrites, {"guard", "resume"}},
      {kReads, {"guard", "line"}},
      {kWrites, {"tool", "run", "file:read", "{\"path\":\"note.txt\"}"}},
      {kWrites, {"tool", "undo"}},
      {kWrites, {"tool", "add", "FILE.toml"}},
      {kWrites, {"tool", "remove", "mail"}},
      {kWrites, {"tool", "generate", "--need", "{\"name\":\"csv_sum\"}"}},
      {kReads, {"tool", "log", "csv_sum"}},
      {kReads, {"why-denied", "3f2a"}},
      {kReads, {"what-would-allow", "3f2a"}},
      {kReads, {"approve", "list"}},
      {kReads, {"approve", "show", "3f2a"}},
      {kWrites, {"approve", "grant", "3f2a"}},
      {kWrites, {"approve", "deny", "3f2a"}},
      {kWrites, {"approver", "init", "ada"}},
      {kWrites, {"approver", "add", "FILE.csv"}},
      {kReads, {"approver", "list"}},
      {kWrites, {"approver", "pin"}},
      {kWrites, {"approver", "remove", "ada"}},
      {kReads, {"learnings", "list"}},
      {kReads, {"learnings", "export", "--shard", "owner"}},
      {kWrites, {"learnings", "import", "--shard", "owner", "--file", "FILE.json"}},
      {kWrites, {"learnings", "forget", "1", "--shard", "owner"}},
      {kWrites, {"learnings", "decay", "--shard", "owner"}},
      {kWrites, {"learnings", "clear", "--shard", "owner"}},
      {kReads, {"learnings", "stats", "--shard", "owner"}},
      {kReads, {"plan", "list"}},
      {kReads, {"plan", "show", "3f2a"}},
      {kWrites, {"plan", "continue", "3f2a"}},
      {kWrites, {"plan", "abandon", "3f2a"}},
      {kWrites, {"council", "propose", "Keep backups for a year"}},
      {kWrites, {"council", "vote", "3f2a", "approve", "--as", "guardian"}},
      {kWrites, {"council", "veto", "3f2a", "--as", "guardian", "--domain", "security"}},
      {kReads, {"council", "tally", "3f2a"}},
      {kReads, {"council", "show"}},
      {kWrites, {"message", "read notes.txt"}},
      {kReads, {"events"}},
      {kWrites, {"remember", "Tides follow the moon"}},
      {kReads, {"recall", "moon"}},
      {kWrites, {"memory", "add", "Tides follow the moon"}},
      {kReads, {"memory", "search", "moon"}},
      {kReads, {"memory", "context", "moon"}},
      {kReads, {"memory", "show"}},
      {kWrites, {"memory", "verify", "3f2a", "--as", "guardian"}},
      {kWrites, {"memory", "update", "3f2a", "Tides follow the sun"}},
      {kWrites, {"memory", "forget", "3f2a"}},
      {kReads, {"memory", "embed"}},
      {kWrites, {"memory", "ingest", "FILE.csv"}},
      {kReads, {"memory", "ingest", "--dry-run", "FILE.csv"}},
      {kReads, {"memory", "cards"}},
      {kWrites, {"memory", "review", "3f2a", "--quality", "4"}},
      {kReads, {"memory", "review"}},
      {kWrites, {"memory", "review", "ask_3f2a", "yes"}},
  };
  return lines;
}

inline std::vector<Line> opening_lines() {
  std::vector<Line> lines;
  for (const OpeningLine& one : lines_with_effect()) lines.push_back(one.words);
  return lines;
}

inline std::vector<Line> reading_lines() {
  std::vector<Line> lines;
  for (const OpeningLine& one : lines_with_effect())
    if (one.effect == LineEffect::kReads) lines.push_back(one.words);
  return lines;
}

}  // namespace anima::test
