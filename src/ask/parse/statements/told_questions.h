// Questions for what was told in open words ("Where do I work?", "Who is my brother?"), as
// readings: what language/frames/frame_questions.h reads, bound to the things of the space.
// Thread-safety: pure. Complexity: O(question x forms) and the look-ups of its names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ask/parse/ask_time.h"
#include "ask/parse/reading.h"
#include "ask/parse/who_speaks.h"

namespace anima::ask {

// Each way to read it for which the space has the relation; `speaker`: who "I" is, or nobody. A
// noun by which `everything` has an attribute or predicate of its own asks for that instead.
std::vector<Reading> told_questions(const Lexicon& lexicon, const Schema& everything,
                                    std::string_view question, const WhoSpeaks& speaker,
                                    AskTime now);

}  // namespace anima::ask
