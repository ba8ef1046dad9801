// anima why, anima why-not: the derivation of a fact by the rules of the loaded compartments, down
// to the log entries that hold its facts, or where each rule stops.
#include <fmt/format.h>

#include "cli/frame/access.h"
#include "cli/frame/options.h"
#include "cli/render/cycle_view.h"
#include "cli/render/fact_words.h"
#include "cli/render/grounds.h"
#include "govern/trust.h"
#include "memory/contradiction.h"
#include "memory/provenance.h"
#include "store/symbols.h"

namespace anima::cli {
namespace {

// Where one given fact comes from, for people and for programs.
struct Origins {
  std::string text;
  Json json = Json::array();
};

Origins origins_of(memory::ProvenanceLedger& ledger, const memory::ProofLine& line,
                   const std::string& indent) {
  Origins origins;
  for (const datalog::Premise& premise : line.statements) {
    for (const datalog::Assertion& assertion : premise.assertions) {
      const memory::ProvenanceRecord* record = ledger.find(assertion.provenance);
      const std::string told =
          record == nullptr ? std::string() : memory::describe(*record, premise.statement.subject);
      origins.text += indent + assertion_text(assertion, told) + "\n";
      origins.json.push_back(assertion_json(assertion, told));
    }
  }
  return origins;
}

// What contradicts the statements that a given fact rests on, and which of each pair is effective.
struct Disputes {
  std::string text;
  Json json = Json::array();
  bool superseded = false;  // one of the statements lost
};

std::string triple_text(const store::Snapshot& snapshot, const store::Triple& triple) {
  return fmt::format("\"{}\" {} \"{}\"", store::symbol_label(snapshot, triple.subject),
                     store::predicate_label(snapshot, triple.predicate),
                     store::term_label(snapshot, triple.object));
}

Disputes disputes_of(const store::Snapshot& snapshot, const memory::Contradictions& contradictions,
                     const memory::ProofLine& line, const std::string& indent) {
  Disputes disputes;
  if (!contradictions.declared()) return disputes;
  for (const datalog::Premise& premise : line.statements) {
    for (const memory::Conflict& conflict : contradictions.conflicts_of(premise.statement)) {
      const bool lost = conflict.superseded == premise.statement;
      disputes.superseded = disputes.superseded || lost;
      disputes.text +=
          fmt::format("{}{} {}\n{}  {}\n", indent, lost ? "superseded by" : "effective over",
                      triple_text(snapshot, lost ? conflict.effective : conflict.superseded),
                      indent, conflict.reason);
      disputes.json.push_back(
          Json::object({{"superseded", lost},
                        {"effective", triple_text(snapshot, conflict.effective)},
                        {"other", triple_text(snapshot, conflict.superseded)},
                        {"reason", conflict.reason}}));
    }
  }
  return disputes;
}

struct Setting {
  Workshop workshop;
  std::optional<store::Snapshot> snapshot;
  std::unique_ptr<memory::Reasoner> reasoner;
};

Result<Setting> open_setting(Context& context) {
  Setting setting;
  ANIMA_ASSIGN(setting.workshop, open_workshop(context, "anima why"));
  ANIMA_ASSIGN(setting.snapshot, space_snapshot(context, *setting.workshop.space));
  ANIMA_ASSIGN(setting.reasoner,
               memory::Reasoner::create(*setting.snapshot, setting.workshop.compartments->rules()));
  return setting;
}

constexpr const char* kFactHelp =
    "as Datalog, 'needs(\"curl\", X)', or as words, SUBJECT PREDICATE [OBJECT]";

int run_why(Context& context, Arguments arguments) {
  std::vector<std::string> words;
  Options options;
  options.positional("FACT...", words, std::string(kFactHelp) + "; of several the first")
      .required();
  if (const auto exit = options.parse(context, arguments)) return *exit;
  auto setting = open_setting(context);
  if (!setting) return context.fail(setting.error());
  const auto patterns = fact_patterns(words, *setting->reasoner);
  if (!patterns) return context.fail(patterns.error());
  const auto goal = first_fact(*patterns, *setting->reasoner);
  if (!goal) return context.fail(goal.error());
  const auto proof = setting->reasoner->why(*goal);
  if (!proof) return context.fail(proof.error());
  memory::ProvenanceLedger ledger(*setting->workshop.space);
  if (Status read = ledger.refresh(); !read) return context.fail(read.error());
  const memory::Contradictions contradictions(*setting->snapshot);
  Json lines = proof_json(*proof);
  std::string text;
  std::uint64_t superseded = 0;
  for (std::size_t i = 0; i < proof->size(); ++i) {
    const memory::ProofLine& line = (*proof)[i];
    text += show_proof(context, {line}, "", true);
    if (!line.given) continue;
    Origins origins = origins_of(ledger, line, std::string(2 * line.depth + 4, ' '));
    text += context.paint(Paint::kDim, origins.text);
    lines.as_array()[i].set("asserted", std::move(origins.json));
    if (line.repeated) continue;
    Disputes disputes =
        disputes_of(*setting->snapshot, contradictions, line, std::string(2 * line.depth + 4, ' '));
    text += disputes.text;
    if (disputes.superseded) ++superseded;
    if (!disputes.json.as_array().empty()) {
      lines.as_array()[i].set("contradictions", std::move(disputes.json));
    }
  }
  const auto trust = setting->reasoner->trust(*goal);
  if (!trust) return context.fail(trust.error());
  if (context.json) {
    context.print_json(Json::object({{"fact", *goal},
                                     {"proof", std::move(lines)},
                                     {"confidence", proof->front().confidence},
                                     {"superseded", superseded},
                                     {"trust", govern::trust_name(*trust)}}));
  } else {
    if (superseded != 0) {
      text += fmt::format("rests on {} superseded fact{}: see anima contradictions\n", superseded,
                          superseded == 1 ? "" : "s");
    }
    context.print(text + fmt::format("confidence: {:.2f}\ntrust: {}\n", proof->front().confidence,
                                     govern::trust_name(*trust)));
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
  const auto patterns = fact_patterns(words, *setting->reasoner);
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
