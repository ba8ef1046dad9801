// memory:search, memory:lookup, memory:store and memory:core_edit as tools, before the tools of
// another runner. What a search gives has the lowest label of its hits, and each hit names its own;
// what a look-up gives has the label of the one item. What is stored carries the trust `stored_as`,
// which the caller sets to the label of the message it serves. Thread-safety: as the memory
// manager; `stored_as` is set by one thread. Ownership: both outlive it. Source: governance
// specification 1.6, 1.8.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "agent/telling/told_facts.h"
#include "govern/decide/executor.h"
#include "memory/memory_manager.h"
#include "tools/external.h"

namespace anima::agent {

class MemoryTools final : public govern::ToolRunner {
 public:
  MemoryTools(memory::MemoryManager& memory, govern::ToolRunner& others, std::string agent)
      : memory_(memory), others_(others), agent_(std::move(agent)) {}

  // memory:search {query, limit?} -> {hits:[..], trust}; memory:store {text} -> {id (null of what
  // only takes back what was said last), quarantined, stated: as what it can be asked back, or
  // null, and else what Told::add_to() sets}; memory:lookup {name} ->
  // {content, id, trust}: what was remembered as "NAME: CONTENT", the most trusted, then the
  // newest. kNotFound. memory:core_edit: core_memory.h.
  bool has(std::string_view tool) const override;
  govern::Rehearser* rehearser(std::string_view tool) override;
  Result<Json> run(std::string_view tool, const Json& arguments,
                   std::int64_t timeout_milliseconds) override {
    return run_until({}, tool, arguments, timeout_milliseconds);
  }
  Result<Json> run_until(const std::stop_token& stop, std::string_view tool, const Json& arguments,
                         std::int64_t timeout_milliseconds) override;
  static void add_policies(govern::PermissionTable& table);
  static std::span<const tools::ExternalTool> tools();  // what each takes, sorted by name

  govern::Trust stored_as = govern::Trust::kUntrusted;
  std::string said_by;       // who told it; empty: the agent
  std::string said_in;       // the session that it was told in; empty: none
  bool judged_only = false;  // no tool of these runs: it gives null
  // What a text that was stored states, kept as facts (told_facts.h), and whether it is one that is
  // not stored, because it only takes back what was said last; `speaker` is who says "I".
  std::function<Result<Told>(const memory::NewMemory&, const memory::StoredMemory*,
                             const std::string& speaker)>
      keep;
  std::function<Result<bool>(const memory::NewMemory&, const std::string& speaker)> only_withdraws;
  // What memory:core_edit does; without it there is no such tool.
  std::function<Result<Json>(const store::Origin&, const Json& arguments)> edit_core;

 private:
  Result<Json> edit(const Json& arguments);
  Result<Json> search(const Json& arguments);
  Result<Json> store(const Json& arguments);
  Result<Json> lookup(const Json& arguments);

  memory::MemoryManager& memory_;
  govern::ToolRunner& others_;
  std::string agent_;
};

}  // namespace anima::agent
