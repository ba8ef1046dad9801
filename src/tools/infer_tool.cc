// infer_rules: the six built-in rules, chained forward, and the rules of the loaded compartments.
//
// Built in: is-a, part-of and has-a are transitive (0.95, 0.90, 0.85), similar-to is symmetric,
// parent-of and child-of are each other's inverse, contains gives part-of. A derived fact has the
// rule's factor times the mean confidence of what it rests on, and the least trust of that; at most
// 1,000 new facts a call.
// These are proposed to the graph. What compartments' rules derive is never stored: it is always
// current, and asked for with `query`.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include "store/symbols.h"
#include "tools/detail/tool_base.h"
#include "tools/fact_labels.h"

namespace anima::tools::detail {
namespace {

using store::EntityId;
using store::Snapshot;

constexpr std::size_t kMaxNew = 1000;
constexpr std::size_t kMaxRead = 200'000;

enum class RuleShape : std::uint8_t { kTransitive, kSymmetric, kInverse };

struct BuiltinRule {
  std::string_view name;
  RuleShape shape;
  std::string_view from, to;
  double factor;
};

constexpr BuiltinRule kRules[] = {
    {"is-a-transitive", RuleShape::kTransitive, "is-a", "is-a", 0.95},
    {"part-of-transitive", RuleShape::kTransitive, "part-of", "part-of", 0.90},
    {"similar-to-symmetric", RuleShape::kSymmetric, "similar-to", "similar-to", 1.0},
    {"parent-child-inverse", RuleShape::kInverse, "parent-of", "child-of", 1.0},
    {"child-parent-inverse", RuleShape::kInverse, "child-of", "parent-of", 1.0},
    {"contains-part-of", RuleShape::kInverse, "contains", "part-of", 1.0},
    {"has-a-transitive", RuleShape::kTransitive, "has-a", "has-a", 0.85},
};

struct Known {
  double confidence = 1.0;
  store::Trust trust = store::Trust::kUntrusted;
};

// The facts of one predicate, old and new: subject -> object.
using Relation = std::map<EntityId, std::map<EntityId, Known>>;

struct Fact {
  EntityId subject, object;
  Known known;
};

class Chainer {
 public:
  // What is derived is trusted no further than `most`.
  Chainer(const Snapshot& snapshot, double min_confidence, store::Trust most)
      : snapshot_(snapshot), min_confidence_(min_confidence), most_(most) {
    for (const BuiltinRule& rule : kRules) read(rule.from);
    for (const BuiltinRule& rule : kRules) read(rule.to);
  }

  // The number of passes that brought something.
  std::size_t run(std::size_t max_iterations) {
    std::size_t passes = 0;
    while (passes < max_iterations && proposals_.size() < kMaxNew) {
      const std::size_t before = proposals_.size();
      for (const BuiltinRule& rule : kRules) apply(rule);
      for (const Proposal& proposal : fresh_) proposals_.push_back(proposal);
      fresh_.clear();
      if (proposals_.size() == before) break;
      ++passes;
    }
    return passes;
  }

  std::vector<Proposal>& proposals() { return proposals_; }

 private:
  void read(std::string_view name) {
    if (relations_.count(name) != 0) return;
    Relation& relation = relations_[name];
    const auto predicate = store::find_relation(snapshot_, name);
    if (!predicate) return;
    store::Pattern pattern;
    pattern.predicate = store::Predicate::link(*predicate);
    store::Cursor cursor = snapshot_.scan(pattern);
    store::Triple batch[256];
    for (std::size_t count = cursor.next(batch); count != 0 && read_ < kMaxRead;
         count = cursor.next(batch)) {
      for (std::size_t i = 0; i < count; ++i, ++read_) {
        if (!batch[i].object.is_entity()) continue;
        const auto assertions = snapshot_.assertions(batch[i]);
        relation[batch[i].subject][batch[i].object.as_entity()] = {
            assertions.empty() ? 1.0 : assertions.front().confidence,
            statement_trust(snapshot_, batch[i]).value_or(store::Trust::kUntrusted)};
      }
    }
  }

  // The fact of the rule that follows from the premises, which are of the rule's `from`.
  void add(const BuiltinRule& rule, EntityId subject, EntityId object,
           std::initializer_list<Fact> premises, std::vector<EntityId> antecedents) {
    Known derived{0, most_};
    for (const Fact& premise : premises) {
      derived.confidence += premise.known.confidence;
      derived.trust = std::min(derived.trust, premise.known.trust);
    }
    derived.confidence = rule.factor * derived.confidence / static_cast<double>(premises.size());
    if (subject == object || derived.confidence < min_confidence_) return;
    if (proposals_.size() + fresh_.size() >= kMaxNew) return;
    auto& known = relations_[rule.to][subject];
    if (!known.emplace(object, derived).second) return;
    Proposal proposal(derived.trust);
    proposal.subject = store::symbol_label(snapshot_, subject);
    proposal.predicate = rule.to;
    proposal.object = store::symbol_label(snapshot_, object);
    proposal.confidence = derived.confidence;
    proposal.rule = rule.name;
    proposal.antecedents = std::move(antecedents);
    for (const Fact& premise : premises) {
      proposal.derived_from.push_back({store::symbol_label(snapshot_, premise.subject),
                                       std::string(rule.from),
                                       store::symbol_label(snapshot_, premise.object)});
    }
    fresh_.push_back(std::move(proposal));
  }

  void apply(const BuiltinRule& rule) {
    const Relation facts = relations_[rule.from];
    for (const auto& [subject, objects] : facts) {
      for (const auto& [object, known] : objects) {
        const Fact first{subject, object, known};
        if (rule.shape != RuleShape::kTransitive) {
          add(rule, object, subject, {first}, {subject, object});
          continue;
        }
        const auto next = facts.find(object);
        if (next == facts.end()) continue;
        for (const auto& [end, other] : next->second) {
          add(rule, subject, end, {first, {object, end, other}}, {subject, object, end});
        }
      }
    }
  }

  const Snapshot& snapshot_;
  double min_confidence_;
  store::Trust most_;
  std::map<std::string_view, Relation> relations_;
  std::vector<Proposal> fresh_, proposals_;
  std::size_t read_ = 0;
};

class InferRules final : public BuiltinTool {
 public:
  using BuiltinTool::BuiltinTool;

  Result<ToolOutput> run(const ToolInput& input, Workbench& bench) const override {
    std::size_t iterations = 5;
    double min_confidence = 0.1;
    if (!number_parameter<std::size_t>(input, "max_iterations", 1, 100, iterations)) {
      return failed("`max_iterations` is a number from 1 to 100");
    }
    if (!number_parameter<double>(input, "min_confidence", 0.0, 1.0, min_confidence)) {
      return failed("`min_confidence` is a number from 0 to 1");
    }
    ToolOutput output;
    const std::string query = parameter(input, "query");
    const Result<RuleAnswer> answer = bench.ask_rules(query);
    if (answer) {
      report(*answer, output);
    } else if (answer.error().code != ErrorCode::kNotFound || !query.empty()) {
      return failed(answer.error().describe());
    }
    // A question is answered by the compartment's rules alone; it is no reason to write.
    if (query.empty()) ANIMA_TRY(chain(bench, iterations, min_confidence, output));
    return output;
  }

 private:
  static void report(const RuleAnswer& answer, ToolOutput& output) {
    output.symbols_involved = answer.symbols;
    if (answer.query.empty()) {
      output.result =
          fmt::format("The compartments' rules hold {} derived facts.\n", answer.derived);
      return;
    }
    output.result = answer.text;
    output.findings.push_back({FindingKind::kAnswer,
                               answer.query,
                               answer.question,
                               {},
                               answer.text,
                               1.0,
                               answer.rows.size(),
                               0});
  }

  static Status chain(Workbench& bench, std::size_t iterations, double min_confidence,
                      ToolOutput& output) {
    Chainer chainer(bench.snapshot(), min_confidence, bench.trust());
    const std::size_t passes = chainer.run(iterations);
    const std::size_t count = chainer.proposals().size();
    output.result += fmt::format("The built-in rules gave {} new fact{} in {} pass{}.", count,
                                 count == 1 ? "" : "s", passes, passes == 1 ? "" : "es");
    for (Proposal& proposal : chainer.proposals()) {
      output.findings.push_back(triple_finding(proposal));
      for (const EntityId antecedent : proposal.antecedents) {
        output.symbols_involved.push_back(antecedent);
      }
      ANIMA_TRY(bench.propose(std::move(proposal)));
    }
    if (count != 0) {
      output.findings.push_back({FindingKind::kInference, {}, {}, {}, {}, 1.0, count, passes});
    }
    std::sort(output.symbols_involved.begin(), output.symbols_involved.end());
    output.symbols_involved.erase(
        std::unique(output.symbols_involved.begin(), output.symbols_involved.end()),
        output.symbols_involved.end());
    return {};
  }
};

}  // namespace

std::unique_ptr<Tool> make_infer_rules() {
  return std::make_unique<InferRules>(ToolInfo{
      "infer_rules",
      "Derives what follows: by the built-in rules, or by a compartment's rules when asked.",
      {{"max_iterations", false, "passes of the built-in rules (5)"},
       {"min_confidence", false, "of derived facts (0.1)"},
       {"query", false, "a question to the loaded rules, as a Datalog atom"}},
      Danger::kSafe,
      {"ReadGraph", "WriteGraph"},
      {"infer", "derive", "deduce", "rules", "follows", "consequence", "imply", "transitive",
       "conclude", "inference"}});
}

}  // namespace anima::tools::detail
