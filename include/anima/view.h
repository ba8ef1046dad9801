// What a memory says at one moment, now or in the past, and what rules derive from that.
//
//   const anima::View then = memory.as_of("2 hours ago").value();
//   const anima::Rows rows = then.find(R"(FIND(?s.name) WHERE { ?s {type: "Service"} })").value();
//   const anima::Proof proof = memory.view()->why("borea runs_on rack2").value();
//
// A View never changes, whatever is written meanwhile, and waits for no writer. Copying one is
// copying a pointer; it shares the open space with its Memory and may outlive it. The text that a
// function gives is yours. Errors: Result<T> (base/result.h). Thread-safety: every function from
// any thread; questions and explanations take turns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anima/answers.h"
#include "anima/sparql.h"

namespace anima {

class Memory;

// How a question in plain words is asked.
struct AskSettings {
  // Questions of one session are one conversation ("and its owner?"); kept until the Memory ends.
  std::string session = {};
  std::string language = "en";
  // Who asks, "I" and "my"; texts of others about themselves are no answer to him then, and facts
  // are everybody's. None: nobody in particular, and what somebody said is told as his words ("Ann
  // said: ..").
  std::optional<std::string> speaker = {};
  std::string now = {};  // ISO 8601: what "today" is told from; empty: the clock
  bool all = false;      // more than 200 rows
  CallLimits limits = {};
};

// A Datalog text (docs/datalog.md, docs/rules.md) and what messages call it.
struct RuleText {
  std::string name;  // "policy.mg"
  std::string text;
};

// Rules run to their fixpoint over a View; immutable. A fact is Datalog, `runs_on("db", X)`, or
// plain words, `db runs_on`.
class Rules {
 public:
  // What matches: a column for each named variable, cells of text, sorted. Errors: kSyntax,
  // kNotFound (no such predicate), kInvalidArgument (a name of several things). O(matches) where an
  // index serves, else O(rows).
  Result<Rows> query(std::string_view goal, std::size_t limit = 0) const;
  // The derivation of the first fact that matches. Errors: kNotFound (none does: why_not()).
  Result<Proof> why(std::string_view fact) const;
  // Where each rule stops, in words.
  Result<std::string> why_not(std::string_view fact) const;
  std::vector<std::string> predicates() const;  // "goes_down_with/2", sorted

 private:
  friend class View;
  struct State;
  explicit Rules(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

class View {
 public:
  // The log entry whose state this is.
  std::uint64_t entry() const;

  // A KIP query (FIND, SEARCH): a column for each expression, a row for each match. Errors: kSyntax
  // and kInvalidArgument with KIP's code and place in the message, kTimeout, kCancelled,
  // kLimitExceeded. Complexity: that of the query.
  Result<Rows> find(std::string_view kip, const Json& parameters = {},
                    const CallLimits& limits = {}) const;
  // A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE. The rules are those of the packs that
  // are loaded now. Errors: kSyntax ("line:column"), kUnsupported (SERVICE), kInvalidArgument,
  // kTimeout (30 s unless said otherwise), kCancelled, kLimitExceeded. Complexity: that of the
  // query.
  Result<SparqlAnswer> sparql(std::string_view query, const SparqlSettings& settings = {}) const;
  // As Memory::ask(), about this moment.
  Result<QuestionAnswer> ask(std::string_view question, const AskSettings& settings = {}) const;
  // Concepts, or links, by their words. Errors: kNotFound (no such type), kInvalidArgument.
  // O(postings of the words).
  Result<std::vector<Hit>> search(std::string_view text, const SearchSettings& settings = {}) const;
  // What changed about a thing ("Ada", "C:12"), the oldest of the newest `limit` first. Errors:
  // kNotFound, kInvalidArgument (a name of several, with their ids). O(its versions).
  Result<std::vector<Commit>> history(std::string_view entity, std::size_t limit = 100) const;

  // Down to the log: Rules::why() and why_not() of the loaded packs' rules, which the first call
  // runs. Errors: as there.
  Result<Proof> why(std::string_view fact, const CallLimits& limits = {}) const;
  Result<std::string> why_not(std::string_view fact, const CallLimits& limits = {}) const;
  // The rules of the loaded packs (Memory::load_pack) and these beside them, run here. Errors:
  // those of the language with file, line and column; kTimeout (60 s unless said otherwise),
  // kCancelled, kLimitExceeded. O(facts read + facts derived).
  Result<Rules> rules(const std::vector<RuleText>& beside = {},
                      const CallLimits& limits = {}) const;

  // Everything as a text that reads back, sorted, so that equal knowledge gives equal texts.
  // `format`: "ntriples", "nquads", "turtle", "trig", "rdfxml", "jsonld", "triples.json",
  // "mcp-memory"; `pack`: what that one says alone. Errors: kInvalidArgument, kUnsupported (no such
  // format to write, or RDF/XML cannot say it), kNotFound. O(n log n).
  Result<std::string> export_text(std::string_view format = "ntriples",
                                  std::string_view pack = {}) const;
  // The same into a file, replaced whole or not at all; its ending says the format (.nt, .nq,
  // .ttl, .trig, .rdf, .jsonld, .json, .jsonl). Errors: the same, kIo, kDiskFull; kInvalidArgument
  // also for a path inside a space.
  Status export_file(const std::string& path, std::string_view pack = {}) const;

 private:
  friend class Memory;
  struct State;
  explicit View(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Result<Rules> kept_rules(const CallLimits& limits) const;
  std::shared_ptr<State> state_;
};

// The commits of a memory as they come, of whichever process; each once, in order.
//
//   anima::ChangeFeed feed = memory.changes().value();
//   while (auto commit = feed.next({.stop = token}).value()) handle(*commit);
//
// A reader that remembers after() can go on from there in another process. Thread-safety: one
// thread.
class ChangeFeed {
 public:
  // Waits for the next one; nothing when the limits end the waiting (without a time it waits until
  // it is stopped). Errors: those of reading the log. O(what the commit wrote).
  Result<std::optional<Commit>> next(const CallLimits& limits = {});
  std::uint64_t after() const { return after_; }  // the last entry that was handed out

 private:
  friend class Memory;
  struct State;
  ChangeFeed(std::shared_ptr<State> state, std::uint64_t after)
      : state_(std::move(state)), after_(after) {}
  std::shared_ptr<State> state_;
  std::uint64_t after_ = 0;
};

}  // namespace anima
