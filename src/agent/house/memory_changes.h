// Changes to what is remembered, by its handle: another text in its place, or none.
//
// With a memory goes what was stated with it (told_facts.h): what its author told last of a fact is
// taken back, and what it had taken the place of holds again. What others state of the same stays.
// A caller changes what it kept itself, and only what is trusted no more than it; the operator
// changes everything that he trusts no more than himself. What a caller may not read is not there
// for it. A text that takes the place of another holds from that one's time, where its words say no
// other. Everything is written by the calling thread's act (store/act.h), so that one undo brings
// it back. Thread-safety: one thread. Ownership: both outlive it. Errors: kNotFound; kDenied;
// kInvalidArgument; those of the space. Complexity: O(facts that were ever told).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/telling/told_facts.h"
#include "memory/memory_manager.h"

namespace anima::agent {

// For a text that is to be remembered: what is no UTF-8 would be read leniently, and two such texts
// as one. Errors: kInvalidArgument with the first such byte, counted from 1.
Status check_text(std::string_view text);

// Who changes something.
struct MemoryCaller {
  std::string author, source;
  govern::Trust trust = govern::Trust::kUntrusted;
  std::string reader = "planner";  // whose memories it may see
  Timestamp since = {};            // what the author kept before was another's of that name
};

struct ChangedMemory {
  memory::StoredMemory stored = {};     // what stands in its place; without an id: nothing
  Told told = {};                       // what the new text states
  std::vector<std::string> facts = {};  // what is taken back: "Ada's phone: no longer 333"
  bool unchanged = false;               // it had this text already
};

class MemoryChanges {
 public:
  MemoryChanges(memory::MemoryManager& memory, ToldFacts& facts) : memory_(memory), facts_(facts) {}

  static bool may_change(const memory::MemoryItem& item, const MemoryCaller& caller);
  Result<ChangedMemory> forget(std::string_view id, const MemoryCaller& caller);
  // What that would take back, of what holds now.
  Result<std::vector<std::string>> would_forget(std::string_view id, const MemoryCaller& caller);
  // Kept for the same readers, as the caller's word. A text that is quarantined changes nothing.
  // Its speaker stays, unless another is named; who says "I" where there is none is `self`, empty
  // for nobody in particular.
  Result<ChangedMemory> update(std::string_view id, std::string text, const MemoryCaller& caller,
                               const std::string& self = {}, const std::string& speaker = {});

  // Questions about what was told that nobody has answered, as far as the caller may answer them:
  // its own, and for the operator all. The newest first.
  static bool may_answer(const OpenQuestion& asked, const MemoryCaller& caller);
  Result<std::vector<OpenQuestion>> questions(const MemoryCaller& caller);
  // "yes", "no", or one of its choices (ToldFacts::decide).
  Result<Told> answer(std::string_view id, std::string_view answer, const MemoryCaller& caller);

 private:
  Result<memory::MemoryItem> changeable(std::string_view id, const MemoryCaller& caller);

  memory::MemoryManager& memory_;
  ToldFacts& facts_;
};

}  // namespace anima::agent
