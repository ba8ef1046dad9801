// What somebody told the agent to remember, as facts that can be asked back.
//
// A remembered sentence that states something in the words of the space
// (ask/parse/statements/saying.h) is also kept as an assertion: in the graph kToldGraph, which can
// be unloaded like a compartment, by the one who said it, with his trust, with a provenance record
// that names the sentence and the memory. A value that an attribute has already is corrected when
// it stands in the default graph and nobody who is trusted more stated it (the history keeps it);
// else the new one stands beside it, and answers tell that.
//
// A correction closes what it corrects: a link gets `valid_to`, and `superseded_by` where another
// takes its place; a value of an attribute goes, and the log keeps it. Whoever is trusted less than
// what he corrects changes nothing. What corrects without naming what ("sorry, it is 333") is about
// the facts that the same speaker was told or answered last there (LastFacts). What is not clear
// changes nothing and comes back as a question, and "yes" as the next line of the conversation
// writes what was asked. What takes back something is about the line before it, and nothing older.
// A new object of a functional predicate closes the one that held, where that is trusted no more.
//
// How a text is read, and when it teaches nothing, is the one rule of language/frames/telling.h.
// What the space has no words for is learnt where it is told in open words (learnt_facts.h). What
// is asked back is kept as an open question (open_questions.h), and is answered by the next line of
// its conversation, in whatever process, or by its id. What is about records is asked as long as
// these count. What was said in the words of the space is
// read again then, and is written where it still asks the same.
//
// What is closed to some readers, or quarantined, states nothing, for facts have no readers of
// their own. Thread-safety: one thread. Ownership: shares the space; the file system, the clock and
// the last facts outlive it. Errors: those of the space. Complexity: a question's, and of the first
// the lexicon's; of the first correction in a process the provenance's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/telling/last_facts.h"
#include "agent/telling/learnt_facts.h"
#include "agent/telling/open_questions.h"
#include "agent/telling/space_asker.h"
#include "memory/memory_manager.h"
#include "memory/names.h"
#include "memory/provenance.h"
#include "store/present.h"

namespace anima::agent {

using memory::kToldGraph;

// What came of a sentence.
struct Told {
  std::string stated = {};     // in the space's words: "Ada phone 333"; empty: no fact
  std::string corrected = {};  // "Ada's phone: 333, was 111"
  std::string asks = {};       // to be asked back, or what keeps it from being answered
  std::string withdrawn = {};  // the memory of what it takes back
  std::string left_over = {};  // the words or signs for which a sentence is a text alone
  // Of what is asked back, where an answer decides it: the open question, what a yes notes, and
  // what may be answered.
  std::string question = {}, proposes = {};
  std::vector<std::string> choices = {};
  bool dropped = false;  // what was asked back is not to be noted
  static Told asking(std::string question);
  // Sets the members that tell of it, as every door does.
  void add_to(Json& json) const;
  bool learnt() const { return !stated.empty() || !corrected.empty() || !asks.empty(); }
};

class ToldFacts {
 public:
  ToldFacts(std::shared_ptr<store::Space> space, FileSystem& files, Clock& clock, LastFacts& last)
      : space_(std::move(space)), files_(files), clock_(clock), last_(last) {}

  store::Space& space() { return *space_; }
  // What a sentence means to do. Its author, speaker and source say which conversation it is of
  // (last_facts.h); `speaker`: who is "I", empty where the words are not a person's own.
  Result<ask::Said> read(const memory::NewMemory& item, const std::string& speaker);
  // A text sentence by sentence, in the space's words and in open ones. It points into the item.
  Result<language::Telling> read_text(const memory::NewMemory& item, const std::string& speaker);
  // What the text answers to what the line before it was asked: "yes", "no" or a choice; nothing
  // was asked, or it is no answer: nullopt.
  Result<std::optional<std::string>> answer_in(const memory::NewMemory& item);
  // Asks once more what the line before this one asked, for a line that nobody understands: the
  // next one may answer it. Nothing was asked: an empty one.
  Result<Told> ask_again(const memory::NewMemory& item);
  // Whether a text is kept as one: it answers nothing and does not only take something back.
  Result<bool> is_kept_as_text(const memory::NewMemory& item, const std::string& speaker);
  // Writes it down; `stored`: the memory of the text, null where none was kept. What takes the
  // place of a text that was said at `item.said_at` is meant, and states, from then on.
  Result<Told> keep(const memory::NewMemory& item, const memory::StoredMemory* stored,
                    const std::string& speaker);
  // Answers an open question: "yes", "no", or one of its choices. What is written is what it
  // proposes, as the word of who told it; what it means by now is asked anew where that is
  // something else. `by`: whose act it is; `late`: not in the next line, so that what was told
  // since stands. Errors: also kInvalidArgument (no answer to it), kNotFound (what it is about does
  // not count any more).
  Result<Told> decide(const OpenQuestion& asked, std::string_view answer, const store::Origin& by,
                      bool late = true);
  // Those about a memory that goes are dropped.
  Status drop_questions(std::string_view memory, const store::Origin& by) {
    return close_questions_about(*space_, memory, by);
  }
  // What is asked: of what is known, as long as that counts. Each with what it asks by now.
  Result<std::vector<OpenQuestion>> questions();
  // As it was asked. Errors: also kNotFound (what it is about does not count any more).
  Result<OpenQuestion> question(std::string_view id);
  // Takes back, as the word of `by`, what was stated with a memory, each told as Told::corrected
  // is. What is no longer as it was stated, and what is trusted more than `by`, stays. O(facts that
  // were ever told).
  Result<std::vector<std::string>> take_back(const memory::NewMemory& by, std::string_view memory);
  // What that would take back: "Ada works_at Initech". Writes nothing.
  Result<std::vector<std::string>> would_take_back(const memory::NewMemory& by,
                                                   std::string_view memory);

 private:
  Timestamp now() const { return store::present(*space_, clock_); }
  // When the words were said.
  Timestamp time_of(const memory::NewMemory& item) const { return item.said_at.value_or(now()); }
  struct Telling {
    const memory::NewMemory& item;
    const memory::StoredMemory* stored;
    std::optional<Timestamp> since = {};
    std::string memory() const { return stored == nullptr ? std::string() : stored->id; }
  };
  Result<ask::Said> read_as(const memory::NewMemory& item, const std::string& speaker,
                            const LastFacts::Last* last, Timestamp now);
  Result<ask::Said> read_as(const memory::NewMemory& item, const std::string& speaker) {
    return read_as(item, speaker, last_.find(said_by(item)), now());
  }
  Status find_last(const memory::NewMemory& item);
  Result<bool> is_next_line(const store::Snapshot& now, store::Sequence before,
                            const memory::NewMemory& item);
  // Whether anything was written since the act of that entry but by the line that is said now, and
  // the words of other speakers.
  Result<bool> is_something_since(const store::Snapshot& now, store::Sequence before,
                                  const SaidBy& by);
  Result<std::set<std::uint64_t>> withdrawn_with(const store::Snapshot& now,
                                                 std::string_view memory);
  Result<std::string> other_teller(const store::Snapshot& now, const store::Triple& fact,
                                   const SaidBy& by);
  Result<std::vector<const memory::ProvenanceRecord*>> told_records();
  Result<std::string> some_person(const store::Snapshot& now) const;
  Status make_known(const store::Origin& origin, const std::string& speaker);
  Result<Told> keep_sentence(const Telling& telling, const std::string& speaker);
  Result<Told> learn(const Telling& telling, const language::Telling& read,
                     const std::string& speaker);
  Result<Told> told_of(const memory::NewMemory& item, const std::string& memory, Learnt learnt,
                       OpenQuestion asked);
  Result<std::optional<OpenQuestion>> asked_before(const memory::NewMemory& item);
  Result<std::optional<OpenQuestion>> find_asked(const memory::NewMemory& item);
  // `last`: what is corrected or taken back by it.
  Result<Told> write(const Telling& telling, const ask::Said& said, const LastFacts::Last& last);
  Told tell(const Telling& telling, const ask::Said& said, const LastFacts::Last& last,
            const store::Snapshot& before, const store::Receipt& written,
            const store::Snapshot& after);
  LastFacts::Last last_of(const memory::NewMemory& item) const;
  Result<Told> ask_back(const Telling& telling, const ask::Said& said, const std::string& speaker);
  Result<std::optional<ToldQuestion>> asked_now(const OpenQuestion& asked);
  Result<Told> decide_meaning(const OpenQuestion& asked, std::string_view answer,
                              const store::Origin& by);
  Result<Told> keep_answer(const memory::NewMemory& item, const std::string& answer);

  std::shared_ptr<store::Space> space_;
  FileSystem& files_;
  Clock& clock_;
  LastFacts& last_;
  std::unique_ptr<SpaceAsker> asker_;  // made by the first sentence
  std::unique_ptr<memory::ProvenanceLedger> provenance_;
};

}  // namespace anima::agent
