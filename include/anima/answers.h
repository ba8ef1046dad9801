// What a memory answers with: rows, commits, hits, proofs. Plain values that iterate:
//
//   const anima::Rows rows = memory.find(R"(FIND(?s.name, ?s.attributes.port) WHERE ..)").value();
//   for (const auto& row : rows) std::cout << row.text("?s.name") << '\n';
//
// Keep what is looped over in a variable: C++20 ends the life of a temporary before the loop
// begins. Times are ISO 8601 in UTC; entries are numbers of the log. Thread-safety: plain values.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace anima {

// How far the origin of a text is trusted, rising. A channel has a most; nothing in a text raises
// it.
enum class TrustLevel : std::uint8_t {
  kHostile,
  kUntrusted,  // whatever comes from outside
  kStandard,
  kVerified,
  kOperator,  // the owner
  kSystem,
};
std::string_view to_string(TrustLevel level);  // "hostile" .. "system"

// When a call ends whether it is done or not, with kCancelled or kTimeout. What it wrote stays.
struct CallLimits {
  std::stop_token stop = {};
  std::chrono::milliseconds time{0};  // 0: what the call itself allows, 30 s for a query
};

// Over the rows of a table, which it may not outlive. Random access for std::ranges; to algorithms
// of C++17 it is an input iterator, as a row is made when it is asked for.
template <typename Table, typename Row>
class RowIterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;
  using value_type = Row;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Row;
  RowIterator() = default;
  RowIterator(const Table& table, std::size_t index)
      : table_(&table), index_(static_cast<difference_type>(index)) {}
  Row operator*() const { return (*this)[0]; }
  Row operator[](difference_type by) const {
    return {*table_, static_cast<std::size_t>(index_ + by)};
  }
  RowIterator& operator+=(difference_type by) {
    index_ += by;
    return *this;
  }
  RowIterator& operator-=(difference_type by) { return *this += -by; }
  RowIterator& operator++() { return *this += 1; }
  RowIterator& operator--() { return *this -= 1; }
  RowIterator operator++(int) { return std::exchange(*this, *this + 1); }
  RowIterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend RowIterator operator+(RowIterator at, difference_type by) { return at += by; }
  friend RowIterator operator+(difference_type by, RowIterator at) { return at += by; }
  friend RowIterator operator-(RowIterator at, difference_type by) { return at -= by; }
  friend difference_type operator-(const RowIterator& a, const RowIterator& b) {
    return a.index_ - b.index_;
  }
  bool operator==(const RowIterator& other) const { return index_ == other.index_; }
  auto operator<=>(const RowIterator& other) const { return index_ <=> other.index_; }

 private:
  const Table* table_ = nullptr;
  difference_type index_ = 0;
};

// A table of values. A column is named as the query writes it: "?s.name", "COUNT(?s)", "X".
class Rows {
 public:
  Rows() = default;
  Rows(std::vector<std::string> columns, std::vector<JsonArray> cells)
      : columns_(std::move(columns)), cells_(std::move(cells)) {}

  // One of them, seen in its table, which it may not outlive.
  class Row {
   public:
    Row(const Rows& table, std::size_t index) : table_(&table), index_(index) {}
    std::size_t size() const { return table_->columns_.size(); }
    // The cell of a column, by place or by name; null when there is none. O(columns) by name.
    const Json& operator[](std::size_t column) const;
    const Json& operator[](std::string_view column) const;
    // As a person reads it: a string without quotes, everything else as JSON.
    std::string text(std::size_t column) const { return text_of((*this)[column]); }
    std::string text(std::string_view column) const { return text_of((*this)[column]); }

   private:
    static std::string text_of(const Json& value);
    const Rows* table_;
    std::size_t index_;
  };

  using Iterator = RowIterator<Rows, Row>;

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t size() const { return cells_.size(); }
  bool empty() const { return cells_.empty(); }
  Row operator[](std::size_t index) const { return {*this, index}; }  // requires index < size()
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::vector<std::string> columns_;
  std::vector<JsonArray> cells_;
};

enum class QuestionStatus : std::uint8_t {
  kAnswered,
  kEmpty,          // understood, and nothing is so
  kAmbiguous,      // details: the readings
  kNotUnderstood,  // unknown: the words that nothing here explains
};
std::string_view to_string(QuestionStatus status);  // "answered" ..

// The answer to a question in plain words; looping over it gives its rows.
struct QuestionAnswer {
  QuestionStatus status = QuestionStatus::kNotUnderstood;
  std::string text;     // one sentence
  std::string reading;  // what was understood
  std::string query;    // KIP or Datalog that can be run by hand
  Rows rows;
  std::vector<std::string> unknown;
  Json details;  // all of it (docs/ask.md): proof, readings, trust, confidence, contradictions ..

  Rows::Iterator begin() const { return rows.begin(); }
  Rows::Iterator end() const { return rows.end(); }
};

// "borea runs_on rack2", "borea .ram_gb 64", "borea is a Host".
struct Statement {
  std::string subject, predicate, object;
  std::string text() const { return subject + " " + predicate + " " + object; }
};

// One entry of the log: who wrote it, when, from where, and what it changed.
struct Commit {
  std::uint64_t entry = 0;
  std::string time, author, source;
  TrustLevel trust = TrustLevel::kUntrusted;
  std::vector<Statement> added, removed;
  bool readable = true;  // false: what it changed was erased, or is sealed under a key not here
};

// What the words of a search found, the best first.
struct Hit {
  std::string id;    // "C:12", or "P:12" of a link
  std::string type;  // of a link its predicate
  std::string name;
  double score = 0;  // BM25; compares hits of one search only
};

struct SearchSettings {
  std::string type = {};   // only concepts of this type; of links: of this predicate
  std::size_t limit = 10;  // 1 .. 10000
  bool links = false;      // links instead of concepts
  bool exact = false;      // no starts of words, no typos
};

// What came of the rows of one table that was loaded.
struct LoadedTable {
  std::string file, table, type;  // `table` of a file with several
  std::uint64_t rows = 0;
  std::uint64_t created = 0, changed = 0, unchanged = 0;  // things
  std::uint64_t facts = 0;                                // stated
  std::uint64_t withdrawn = 0;                            // no longer stated, of these
  // That stay beside the new one, for who stated them is trusted more.
  std::uint64_t outranked = 0;
  std::uint64_t overruled = 0;  // that somebody else had stated, not a load of this table
  std::uint64_t mentioned = 0;  // things that a link names and no row describes, made here
};

// A file of facts that was loaded.
struct LoadedFacts {
  std::string file, format;
  std::uint64_t statements = 0;
};

struct LoadReport {
  std::vector<LoadedTable> tables;
  std::vector<LoadedFacts> facts;
  std::vector<std::string> notes;
  Json mapping;             // that was used (docs/load.md), for LoadRequest::mapping
  bool changed = false;     // whether there was something to write
  std::uint64_t entry = 0;  // the newest of the log then
};

// Who states a fact.
struct Assertion {
  std::uint64_t entry = 0;
  std::string time, author, source;
  std::string provenance;  // "Loaded(hosts.csv, row 7)", or empty
  TrustLevel trust = TrustLevel::kUntrusted;
  double confidence = 1.0;  // 0 .. 1
};

// One step of a derivation; `depth` is its distance from the fact that is proved.
struct ProofStep {
  std::uint32_t depth = 0;
  std::string fact;                         // Datalog
  std::string because;                      // the rule as written, "given", "nothing says so" ..
  std::string where;                        // file:line:column of the rule
  bool given = false;                       // stated, not derived
  std::vector<Assertion> asserted;          // of a given one: by whom
  std::vector<std::string> contradictions;  // and when it ended: "ended on 2026-11-16, by Ada"
};

// Why a fact holds; looping over it gives its steps, the fact itself first.
struct Proof {
  std::string fact;
  std::vector<ProofStep> steps;
  double confidence = 1.0;                    // 0 .. 1
  TrustLevel trust = TrustLevel::kUntrusted;  // of the least trusted that it rests on
  std::uint64_t superseded = 0;  // facts that it rests on and that lost to others, or that ended

  std::string text() const;  // an indented line a step, as `anima why` prints it
  auto begin() const { return steps.begin(); }
  auto end() const { return steps.end(); }
};

}  // namespace anima
