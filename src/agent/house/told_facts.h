// What somebody told the agent to remember, as facts that can be asked back.
//
// A remembered sentence that states something in the words of the space (ask/parse/saying.h) is
// also kept as an assertion: in the graph kToldGraph, which can be unloaded like a compartment, by
// the one who said it, with his trust, with a provenance record that names the sentence and the
// memory. A value that an attribute has already is corrected when it stands in the default graph
// and nobody who is trusted more stated it (the history keeps it); else the new one stands beside
// it, and answers tell that.
//
// A correction closes what it corrects: a link gets `valid_to`, and `superseded_by` where another
// takes its place; a value of an attribute goes, and the log keeps it. Whoever is trusted less than
// what he corrects changes nothing. What corrects without naming what ("sorry, it is 333") is about
// the facts that were told or answered last in its conversation (LastFacts). What is not clear
// changes nothing and comes back as a question, and "yes" as the next line of the conversation
// writes what was asked. What takes back something is about the line before it, and nothing older.
// A new object of a functional predicate closes the one that held, where that is trusted no more.
//
// What the space has no words for is learnt where it is told in open words (learnt_facts.h).
//
// What is closed to some readers, or quarantined, states nothing, for facts have no readers of
// their own. Thread-safety: one thread. Ownership: shares the space; the file system, the clock and
// the last facts outlive it. Errors: those of the space. Complexity: a question's, and of the first
// the lexicon's; of the first correction in a process the provenance's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/house/space_asker.h"
#include "memory/memory_manager.h"
#include "memory/provenance.h"

namespace anima::agent {

inline constexpr std::string_view kToldGraph = "urn:anima:compartment:told";

// The source of what is said in a session; whoever speaks and his source are a conversation.
std::string session_source(std::string_view session);

// What was asked back: what a yes writes, and the sentence that said it.
struct Proposal {
  ask::Said said;
  std::string text, memory;
};

// What was told or answered last, by conversation: what a correction is about.
class LastFacts {
 public:
  struct Last {
    std::vector<ask::SaidFact> facts = {};
    bool told = false;                      // by the one who speaks, not answered to him
    std::string memory = {};                // of what was told
    std::vector<store::Triple> ended = {};  // what was told to hold no longer, by this entry
    store::Sequence entry = store::Sequence::kNone;
    unsigned lines = 0;  // of the conversation since; 1: the line before this one
    bool is_of_last_line() const { return lines <= 1; }
  };
  // A line of the conversation begins.
  void begin_line(const std::string& speaker, const std::string& source);
  void set(const std::string& speaker, const std::string& source, Last last);
  const Last* find(const std::string& speaker, const std::string& source) const;
  void propose(const std::string& speaker, const std::string& source, Proposal proposal);
  // What was asked back by the line before this one; null: nothing was.
  const Proposal* proposal(const std::string& speaker, const std::string& source) const;

 private:
  using Key = std::pair<std::string, std::string>;
  static Key key(const std::string& speaker, const std::string& source);

  struct Asked {
    Proposal proposal;
    unsigned lines = 0;
  };
  std::map<Key, Last> last_;
  std::map<Key, Asked> asked_;
};

// What came of a sentence.
struct Told {
  std::string stated = {};     // in the space's words: "Ada phone 333"; empty: no fact
  std::string corrected = {};  // "Ada's phone: 333, was 111"
  std::string asks = {};       // to be asked back, or what keeps it from being answered
  std::string withdrawn = {};  // the memory of what it takes back
  std::string left_over = {};  // the words or signs for which a sentence is a text alone
  bool learnt() const { return !stated.empty() || !corrected.empty() || !asks.empty(); }
};

class ToldFacts {
 public:
  ToldFacts(std::shared_ptr<store::Space> space, FileSystem& files, Clock& clock, LastFacts& last)
      : space_(std::move(space)), files_(files), clock_(clock), last_(last) {}

  // What a sentence means to do. `item.created_by` and `item.source` say which conversation it is
  // of; `speaker`: who is "I", empty where the words are not a person's own.
  Result<ask::Said> read(const memory::NewMemory& item, const std::string& speaker);
  // What a sentence does, in the space's words or in open ones.
  enum class Tells : std::uint8_t { kNothing, kGreets, kText, kStates };
  Result<Tells> tells(const memory::NewMemory& item, const std::string& speaker);
  // Writes it down; `stored`: the memory of the text, null where none was kept.
  Result<Told> keep(const memory::NewMemory& item, const memory::StoredMemory* stored,
                    const std::string& speaker);
  // Takes back, as the word of `by`, what was stated with a memory, each told as Told::corrected
  // is. What is no longer as it was stated, and what is trusted more than `by`, stays. O(facts that
  // were ever told).
  Result<std::vector<std::string>> take_back(const memory::NewMemory& by, std::string_view memory);

 private:
  struct Telling;
  Result<ask::Said> read_as(const memory::NewMemory& item, const std::string& speaker);
  Status find_last(const memory::NewMemory& item);
  std::set<std::uint64_t> withdrawn_with(const store::Snapshot& now, std::string_view memory) const;
  Result<std::string> some_person(const store::Snapshot& now) const;
  Status make_known(const store::Origin& origin, const std::string& speaker);
  Result<Told> learn(const Telling& telling, const std::string& speaker);
  Result<Told> write(const Telling& telling, const ask::Said& said);
  Told tell(const Telling& telling, const ask::Said& said, const store::Snapshot& before,
            const store::Receipt& written, const store::Snapshot& after);
  Told ask_back(const Telling& telling, const ask::Said& said);
  Result<Told> keep_proposed(const memory::NewMemory& item);

  std::shared_ptr<store::Space> space_;
  FileSystem& files_;
  Clock& clock_;
  LastFacts& last_;
  std::unique_ptr<SpaceAsker> asker_;  // made by the first sentence
  std::unique_ptr<memory::ProvenanceLedger> provenance_;
};

}  // namespace anima::agent
