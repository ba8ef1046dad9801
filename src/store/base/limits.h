// How far the numbers of a space go. Columns of a base are of 32 bits, and the upper bits of some
// say what the others name, so a space can be full; docs/formats_views.md lists the limits.
//
// Whoever gives out a number, or takes one from a log or a file, asks before it is cut. Tests give
// smaller limits. Thread-safety: plain values and functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/ids.h"

namespace anima::store::detail {

struct NumberLimits {
  std::uint64_t entries = 0xfffffffe;     // of the log
  std::uint64_t entities = kPayloadMask;  // ids of concepts and propositions
  std::uint64_t literals = kPayloadMask;  // places in the dictionary
  std::uint64_t graphs = kPayloadMask;
  // Versions of statements, those that are no more too: the top bit tells the tables apart.
  std::uint64_t rows = 0x7fffffff;
  std::uint64_t contexts = 0x7fffffff;  // distinct words of a graph for a statement
  std::uint64_t lists = 0x7fffffff;     // numbers in lists of contexts
  std::uint64_t names = 0xffffffff;     // bytes of authors and sources, each once
  std::uint64_t value = 0xffffffff;     // bytes of one stored value or name of a graph
};

// GraphId for a graph that has no room; whoever writes into it is told so.
inline constexpr GraphId kNoGraph{0xffffffffu};

inline Error limit_error(std::string_view what, std::uint64_t limit) {
  return Error{ErrorCode::kLimitExceeded,
               "a space holds no more than " + std::to_string(limit) + " " + std::string(what),
               {},
               "begin another space"};
}

inline Status check_limit(std::uint64_t number, std::uint64_t limit, std::string_view what) {
  if (number <= limit) return {};
  return fail(limit_error(what, limit));
}

inline constexpr std::string_view kEntriesWords = "log entries";
inline constexpr std::string_view kEntitiesWords = "concepts and propositions";
inline constexpr std::string_view kLiteralsWords = "distinct values";
inline constexpr std::string_view kGraphsWords = "graphs beside the default one";
inline constexpr std::string_view kRowsWords = "statements, those that are no more included";
inline constexpr std::string_view kContextsWords = "distinct words of graphs for statements";
inline constexpr std::string_view kListsWords = "places in lists of who asserts a statement";
inline constexpr std::string_view kNamesWords = "bytes of authors and sources";
inline constexpr std::string_view kValueWords = "bytes in one value";

}  // namespace anima::store::detail
