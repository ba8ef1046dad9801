// What was told, answered and asked back last in each conversation, speaker by speaker: what a
// correction that names nothing is about, and what a yes agrees to. Thread-safety: one thread.
// Complexity: O(log conversations).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "ask/ask.h"
#include "base/json/json.h"
#include "memory/memory_manager.h"

namespace anima::agent {

// The source of what is said in a session; whoever speaks and his source are a conversation.
std::string session_source(std::string_view session);
// "session chat, turn 3" is of "session chat".
std::string conversation_of(std::string_view source);

// Who says a line: in whose name it is kept, the person whose words it is, and from where. Without
// a speaker, and where these are one, it is the author who speaks.
struct SaidBy {
  SaidBy(std::string by, std::string whose, std::string from);
  std::string author, speaker, source;
};
SaidBy said_by(const memory::NewMemory& item);
// Whether both are of the same author, speaker and conversation.
bool is_same_talk(const SaidBy& a, const SaidBy& b);

// What was told or answered last, by conversation: what a correction is about.
class LastFacts {
 public:
  // Of what was told: with which memory, and by which entry.
  struct Source {
    store::Triple fact;
    std::string memory = {};  // empty: none was kept
    store::Sequence entry = store::Sequence::kNone;
  };
  struct Last {
    std::vector<ask::SaidFact> facts = {};
    bool told = false;                      // by the one who speaks, not answered to him
    std::vector<store::Triple> ended = {};  // what was told to hold no longer
    std::vector<Source> sources = {};       // of what was told or ended
    unsigned lines = 0;  // of the conversation since; 1: the line before this one
    bool is_of_last_line() const { return lines <= 1; }
    const Source* source_of(const store::Triple& fact) const;
    // The memory that told of it, and of nothing else here; empty: there is none.
    std::string memory_of_it_alone(const store::Triple& fact) const;
    // As it was, for who answers later what was asked about it. The statements by their ids, which
    // no copy of the space changes.
    Json to_json() const;
    static Last from_json(const Json& json);
  };
  // A line of the conversation begins.
  void begin_line(const SaidBy& by);
  // Whether no line of it came before the one that is said now, in this process.
  bool is_first_line(const SaidBy& by) const;
  void set(const SaidBy& by, Last last);
  // Beside what was told before in the same line.
  void add(const SaidBy& by, Last told);
  // It is none of them any more.
  void drop(const SaidBy& by, const store::Triple& fact);
  const Last* find(const SaidBy& by) const;
  // The open question that was asked back (open_questions.h).
  void set_asked(const SaidBy& by, std::string question);
  // It was answered.
  void settle(const SaidBy& by);
  // What the line before this one asked back; empty: nothing.
  std::string asked(const SaidBy& by) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key(const SaidBy& by);

  struct Asked {
    std::string question;
    unsigned lines = 0;
  };
  std::map<Key, unsigned> lines_;
  std::map<Key, Last> last_;
  std::map<Key, Asked> asked_;
};

}  // namespace anima::agent
