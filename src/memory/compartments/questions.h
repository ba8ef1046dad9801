// Questions that a compartment's rules can answer, in the words of people. Data of the pack:
//
//   [[question]]
//   name    = "stops_working"
//   ask     = ["(which|what) [installed] packages (stop working|break) when {package} is removed"]
//   query   = "stops_working(P, {package})"        # a slot becomes a quoted string
//   subject = "package"                            # the slot that the question is about
//   known   = "known_package({package})"           # must hold, or `absent` is the answer
//   names   = "known_package(X)"                   # what near names are looked for in
//   answer  = "{count} packages stop working when {package} is removed"
//   none    = "nothing else stops working when {package} is removed"
//   absent  = "{package} is not installed here"
//   proof   = "stops_working({row}, {package})"    # shown for one of the rows
//   next    = ["what does {row} need"]             # what to ask next
//
// A pattern is words without regard to case and to the marks at the end; [..] may be left out,
// (a|b) is either, {slot} takes one word (quotes and back-quotes around it are dropped), <name>
// stands for the phrase of that name in the table [phrases].
// Errors: kSyntax, kInvalidArgument with the place. Thread-safety: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace anima::memory {

struct QuestionPattern {
  std::string name;
  std::vector<std::string> ask;
  std::string query, subject, known, names, answer, none, absent, proof;
  std::vector<std::string> next;
};

Result<std::vector<QuestionPattern>> parse_questions(std::string_view toml,
                                                     const std::string& source);

struct QuestionMatch {
  const QuestionPattern* pattern = nullptr;
  std::map<std::string, std::string, std::less<>> slots;
  std::vector<std::string> words;  // of the question, without the slots
};

// The first pattern, in the order given, that the text fits. O(patterns x words).
std::optional<QuestionMatch> match_question(std::string_view text,
                                            const std::vector<QuestionPattern>& patterns);

// Replaces {slot} in one pass; `quoted` writes each value as a Datalog string.
std::string fill_slots(std::string_view text,
                       const std::map<std::string, std::string, std::less<>>& values, bool quoted);

// A readable form of a pattern: the first choice of each, options left out.
std::string example_of(std::string_view ask);
// Reads like a question: ends with a mark, or begins with which, what, who ..
bool looks_like_question(std::string_view text);

}  // namespace anima::memory
