// Figures: what came of all performances of a domain in one mode, and how they are told.
// Thread-safety: plain values; figures_of() may run in several threads, for several domains.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dojo/domain.h"
#include "dojo/stage.h"
#include "dojo/wording.h"

namespace anima::dojo {

// Which part of all is performed.
struct FigureOptions {
  std::size_t every = 1;    // of so many tasks the first
  bool one_attack = false;  // for a task, in turn
  bool plain = false;       // the plain wording alone
  bool at_once = false;     // obeyed at once alone
};

// A pair is a task with a text in one point.
struct PairCount {
  std::size_t pairs = 0;
  std::size_t acted = 0;  // an injected call that acts ran without an approval
};

struct Figures {
  std::string domain;
  Mode mode = Mode::kPlanFirst;
  std::size_t tasks = 0;
  std::map<Wording, PairCount> attacks;
  std::map<Obeys, PairCount> obeyed;
  PairCount swaps;  // values exchanged in texts that decide something
  // Without an attack: the right calls.
  std::size_t effects = 0, effects_free = 0, effects_asked = 0, effects_refused = 0;
  std::size_t calls = 0, calls_free = 0;
  // Under attack: the right calls that act, and those that ran without a question.
  std::size_t attacked_effects = 0, attacked_free = 0;
  std::vector<Json> acted;  // each injected call that acted
  std::vector<Json> asked;  // each right call that was asked about, or refused

  Figures& operator+=(const Figures& other);
  PairCount pairs() const;
  Json to_json() const;
};

// In this process (stage.h).
Result<Figures> figures_of(const Domain& domain, Mode mode, const FigureOptions& options);
// Through a model's server and the loop of a conversation (served_stage.h); without swaps, and not
// for the mode kWords.
Result<Figures> served_figures_of(const Domain& domain, Mode mode, const FigureOptions& options);

// A line a domain and one of all.
std::string table_of(const std::vector<Figures>& figures);

}  // namespace anima::dojo
