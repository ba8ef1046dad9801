// anima why, anima why-not: the derivation of a fact by the rules of the loaded compartments, down
// to the log entries that hold its facts, or where each rule stops.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/cycle_view.h"
#include "govern/trust.h"
#include "memory/compartments/fact_words.h"
#include "memory/fact_proof.h"
#include "memory/grounds.h"

namespace anima::cli {
namespace {

// Below a step of the proof: who says so, and what contradicts it.
std::string asserted_text(const Context& context, const memory::FactStep& step) {
  const std::string indent(2 * step.line.depth + 4, ' ');
  std::string text;
  for (const memory::ToldAssertion& one : step.asserted) {
    text += indent + memory::assertion_text(one.assertion, one.told) + "\n";
  }
  if (!text.empty()) text = context.paint(Paint::kDim, text);
  for (const std::string& one : step.out_of_time) text += indent + one + "\n";
  for (const memory::Dispute& dispute : step.disputes) {
    text += fmt::format("{}{}\n{}  {}\n", indent, dispute.words(), indent, dispute.reason);
  }
  return text;
}

std::string to_text(const Context& context, const memory::FactProof& proof) {
  std::string text;
  for (const memory::FactStep& step : proof.steps) {
    text += show_proof(context, {step.line}, "", true) + asserted_text(context, step);
  }
  if (proof.ended != 0) {
    text += fmt::format("rests on {} fact{} that {} not hold now\n", proof.ended,
                        proof.ended == 1 ? "" : "s", proof.ended == 1 ? "does" : "do");
  }
  if (const std::uint64_t lost = proof.superseded - proof.ended; lost != 0) {
    text += fmt::format("rests on {} superseded fact{}: see anima contradictions\n", lost,
                        lost == 1 ? "" : "s");
  }
  return text + fmt::format("confidence: {:.2f}\ntrust: {}\n", proof.confidence,
                            govern::trust_name(proof.trust));
}

struct Setting {
  Workshop workshop;
  std::optional<store::Snapshot> snapshot;
  std::unique_ptr<memory::Reasoner> reasoner;
};

Result<Setting> open_setting(Context& context) {
  Setting setting;
  ANIMA_ASSIGN(setting.workshop, open_workshop(context, Access::kAsItGoes, "anima why"));
  ANIMA_ASSIGN(setting.snapshot, space_snapshot(context, *setting.workshop.space));
  ANIMA_ASSIGN(setting.reasoner,
               memory::Reasoner::create(*setting.snapshot, setting.workshop.compartments->rules()));
  return setting;
}

constexpr const char* kFactHelp =
    "as Datalog, 'needs(\"curl\", X)', as words, SUBJECT PREDICATE [OBJECT], or as a triple, "
    "'<S> <P> <O>'";

int run_why(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  options.positional("FACT...", words, std::string(kFactHelp) + "; of several the first that holds")
      .required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto setting = open_setting(context);
  if (!setting) return context.fail(setting.error());
  const auto patterns = memory::fact_patterns(words, *setting->reasoner);
  if (!patterns) return context.fail(patterns.error());
  const auto proof = memory::prove_first(*setting->workshop.space, *setting->snapshot,
                                         *setting->reasoner, *patterns);
  if (!proof) return context.fail(proof.error());
  if (context.json) {
    context.print_json(proof->to_json());
  } else {
    context.print(to_text(context, *proof));
  }
  return kDone;
}

int run_why_not(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  options.positional("FACT...", words, kFactHelp).required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto setting = open_setting(context);
  if (!setting) return context.fail(setting.error());
  const auto patterns = memory::fact_patterns(words, *setting->reasoner);
  if (!patterns) return context.fail(patterns.error());
  const std::string& fact = patterns->front();
  const auto text = setting->reasoner->why_not(fact);
  if (!text) return context.fail(text.error());
  if (context.json) {
    context.print_json(Json::object({{"fact", fact}, {"why_not", *text}}));
  } else {
    context.print(*text + (text->ends_with('\n') ? "" : "\n"));
  }
  return kDone;
}

}  // namespace

extern const Verb kWhy, kWhyNot;
const Verb kWhy{"why",
                Group::kKnowledge,
                "why a fact holds, down to the log entries it rests on",
                "FACT...",
                "anima why 'stops_working(P, \"libssl3\")'",
                run_why,
                true};
const Verb kWhyNot{"why-not",
                   Group::kKnowledge,
                   "why a fact does not hold: where each rule stops",
                   "FACT...",
                   "anima why-not 'needs(\"dpkg\", \"libssl3\")'",
                   run_why_not,
                   true};

}  // namespace anima::cli
