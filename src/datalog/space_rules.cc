#include "datalog/space_rules.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "datalog/functions.h"
#include "datalog/parser.h"

namespace anima::datalog {

namespace {

constexpr std::int64_t kFollowMs = 200;
constexpr std::int64_t kRetryMs = 1000;

constexpr std::int64_t kFirstDelayMs = 1000;
constexpr std::int64_t kLongestDelayMs = 300'000;
constexpr std::size_t kMaxSetAside = 16;

// An engine over a space, from nothing.
struct World {
  std::shared_ptr<SpaceFacts> facts;
  std::shared_ptr<Engine> engine;
  std::shared_ptr<const Program> program;
  std::map<std::string, Error> failures;  // by the place that the error names
  std::map<PredicateId, Error> broken;    // what needs the rules that fail
  std::map<std::string, Error> unbuilt;   // by the name of a predicate: a rule that cannot compile
};

Result<World> start(World world, Program program, const SpaceRulesOptions& options) {
  world.program = std::make_shared<const Program>(std::move(program));
  EngineOptions engine;
  engine.limits = options.limits;
  engine.clock = options.clock;
  world.facts->attach(*world.program, engine);
  ANIMA_ASSIGN(world.engine,
               Engine::create(world.program, world.facts->values(), std::move(engine)));
  return world;
}

// Was the rule at this place written now?
Names names_at(const std::vector<RuleText>& rules, std::string_view where) {
  for (int part = 0; part < 2; ++part) where = where.substr(0, where.rfind(':'));
  const auto found = std::ranges::find(rules, where, &RuleText::name);
  return found == rules.end() ? Names::kNew : found->names;
}

// The clauses of one text, as far as setting one aside asks.
struct ClauseOutline {
  Offset at = 0;
  Position from, to;               // to: one past its dot
  std::string head;                // with its package
  std::vector<std::string> needs;  // predicates of its body, as written and with the package
};

std::vector<ClauseOutline> outlines(const Unit& unit) {
  const std::string package = unit.package ? unit.package->name + "." : "";
  std::vector<ClauseOutline> out;
  for (const ast::Clause& clause : unit.clauses) {
    ClauseOutline& outline = out.emplace_back();
    outline.at = clause.at;
    outline.from = unit.source->locate(clause.at);
    outline.to = unit.source->locate(clause.end);
    outline.head = package + clause.head.predicate;
    for (const ast::Literal& literal : clause.body) {
      if (literal.atom.predicate.empty()) continue;
      outline.needs.push_back(literal.atom.predicate);
      if (!package.empty()) outline.needs.push_back(package + literal.atom.predicate);
    }
  }
  return out;
}

// The rules of several texts, less those that cannot compile. What is loaded does not fail as a
// whole for one of them: what a rule names can go from the space at any time.
class RulesThatCompile {
 public:
  RulesThatCompile(SpaceFacts& facts, const std::vector<RuleText>& rules, bool at_first)
      : facts_(facts), rules_(rules), at_first_(at_first), dropped_(rules.size()) {}

  Result<Program> run() {
    for (;;) {
      ANIMA_ASSIGN(std::vector<Unit> units, parse());
      std::vector<std::vector<ClauseOutline>> clauses;
      for (const Unit& unit : units) clauses.push_back(outlines(unit));
      AnalysisOptions options;
      options.base = facts_.predicates(units);
      Analysis analysis = analyze(std::move(units), *facts_.values(), options);
      if (analysis.program) return std::move(*analysis.program);
      bool fewer = false;
      for (const Diagnostic& diagnostic : analysis.diagnostics) {
        if (!diagnostic.warning) fewer = drop(diagnostic, clauses) || fewer;
      }
      if (!fewer) return anima::fail(first_error(analysis.diagnostics));
    }
  }
  std::map<std::string, Error> take_unbuilt() { return std::move(unbuilt_); }

 private:
  Result<std::vector<Unit>> parse() {
    std::vector<Unit> units;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      ANIMA_ASSIGN(Unit unit, parse_program(rules_[i].text, rules_[i].name, facts_.values().get()));
      std::erase_if(unit.clauses, [&](const ast::Clause& c) { return dropped_[i].contains(c.at); });
      units.push_back(std::move(unit));
    }
    return units;
  }

  // Takes out the clause that the diagnostic is about. False when it is about none that may go.
  bool drop(const Diagnostic& diagnostic, const std::vector<std::vector<ClauseOutline>>& clauses) {
    const auto text = std::ranges::find(rules_, diagnostic.file, &RuleText::name);
    if (text == rules_.end() || (at_first_ && text->names == Names::kNew)) return false;
    const auto unit = static_cast<std::size_t>(text - rules_.begin());
    const auto key = [](const Position& place) { return std::pair(place.line, place.column); };
    const auto place = key(diagnostic.from);
    const auto clause = std::ranges::find_if(clauses[unit], [&](const ClauseOutline& each) {
      return key(each.from) <= place && place < key(each.to);
    });
    if (clause == clauses[unit].end() || !dropped_[unit].insert(clause->at).second) return false;
    unbuilt_.emplace(clause->head, cause(diagnostic, *clause));
    return true;
  }

  // Of a rule that needs another one which was set aside: that one's.
  Error cause(const Diagnostic& diagnostic, const ClauseOutline& clause) const {
    for (const std::string& name : clause.needs) {
      if (const auto known = unbuilt_.find(name); known != unbuilt_.end()) return known->second;
    }
    return diagnostic.error();
  }

  SpaceFacts& facts_;
  const std::vector<RuleText>& rules_;
  const bool at_first_;
  std::vector<std::set<Offset>> dropped_;  // by text: where their clauses begin
  std::map<std::string, Error> unbuilt_;
};

Result<Program> analysed(SpaceFacts& facts, const std::vector<RuleText>& rules, bool at_first,
                         std::map<std::string, Error>& unbuilt) {
  RulesThatCompile compiling(facts, rules, at_first);
  ANIMA_ASSIGN(Program program, compiling.run());
  unbuilt = compiling.take_unbuilt();
  ANIMA_TRY(facts.settle_names(program, [&](std::string_view where) {
    return at_first ? names_at(rules, where) : Names::kAsLoaded;
  }));
  return program;
}

// Predicates whose rules an error may be of.
std::vector<PredicateId> blamed(const Program& program, const std::string& where) {
  std::vector<PredicateId> out;
  if (where.empty()) return out;
  for (const Rule& rule : program.rules) {
    const auto is_there = [&](const auto& part) { return part.where == where; };
    if (rule.where == where || std::ranges::any_of(rule.body, is_there) ||
        (rule.grouping && std::ranges::any_of(rule.grouping->after, is_there))) {
      out.push_back(rule.head);
    }
  }
  for (const Constraint& constraint : program.constraints) {
    if (constraint.where == where) out.push_back(constraint.subject);
  }
  for (PredicateId id = 0; id < program.predicates.size(); ++id) {
    if (program.predicates[id].where == where) out.push_back(id);
  }
  return out;
}

// Takes the rules out that derive what fails, and those that would conclude from its absence.
std::map<PredicateId, Error> set_aside(Program& program,
                                       const std::map<std::string, Error>& failures,
                                       const std::map<std::string, Error>& unbuilt) {
  std::map<PredicateId, Error> broken;
  for (const auto& [name, error] : unbuilt) {
    if (const PredicateId id = program.find(name); id != kNone) broken.emplace(id, error);
  }
  for (const auto& [where, error] : failures) {
    for (const PredicateId id : blamed(program, where)) broken.emplace(id, error);
  }
  for (bool grew = !broken.empty(); grew;) {
    grew = false;
    for (const Rule& rule : program.rules) {
      if (broken.contains(rule.head)) continue;
      const auto cause = std::ranges::find_if(rule.body, [&](const Literal& literal) {
        return literal.predicate != kNone && broken.contains(literal.predicate);
      });
      if (cause == rule.body.end()) continue;
      broken.emplace(rule.head, broken.at(cause->predicate));
      grew = true;
    }
  }
  for (Stratum& stratum : program.strata) {
    std::erase_if(stratum.rules,
                  [&](RuleId rule) { return broken.contains(program.rules[rule].head); });
  }
  std::erase_if(program.constraints, [&](const Constraint& constraint) {
    return broken.contains(constraint.subject) || broken.contains(constraint.violations);
  });
  return broken;
}

// Rules that fail are set aside, those of `failures` from the start; `attempts` counts.
Result<World> evaluate(const store::Snapshot& snapshot, const std::vector<RuleText>& rules,
                       const SpaceRulesOptions& options, bool at_first,
                       std::map<std::string, Error> failures, std::uint64_t& attempts) {
  for (;;) {
    World world;
    world.facts = std::make_shared<SpaceFacts>(snapshot);
    ANIMA_ASSIGN(Program program, analysed(*world.facts, rules, at_first, world.unbuilt));
    world.failures = failures;
    world.broken = set_aside(program, failures, world.unbuilt);
    const Program whole = program;
    ++attempts;
    Result<World> out = start(std::move(world), std::move(program), options);
    if (out) return out;
    const Error& error = out.error();
    const bool of_a_rule = error.code != ErrorCode::kTimeout &&
                           error.code != ErrorCode::kCancelled && error.code != ErrorCode::kIo &&
                           !blamed(whole, error.where).empty();
    if (!of_a_rule || failures.size() == kMaxSetAside) return out;
    if (!failures.emplace(error.where, error).second) return out;
  }
}

// A relation of the space that no rule knows, alone. O(1).
Result<World> relation_alone(const SpaceFacts& facts, const std::string& name) {
  World world;
  world.facts = facts.beside();
  AnalysisOptions analysis;
  analysis.base = {{name, 2}};
  ANIMA_ASSIGN(Program program, analyze_program({}, *world.facts->values(), analysis));
  ANIMA_TRY(world.facts->settle_names(program, [](std::string_view) { return Names::kAsLoaded; }));
  return start(std::move(world), std::move(program), {});
}

// The relation that an atom asks for, when only the space knows it.
std::optional<std::string> unknown_relation(const Program& program, const SpaceFacts& facts,
                                            std::string_view atom) {
  const Result<ParsedQuery> parsed = parse_query(atom);
  if (!parsed || program.find(parsed->atom.predicate) != kNone) return std::nullopt;
  if (!facts.has_relation(parsed->atom.predicate)) return std::nullopt;
  return parsed->atom.predicate;
}

// Is the predicate that an atom asks for one whose rules cannot compile?
Status check_built(const std::map<std::string, Error>& unbuilt, std::string_view atom) {
  if (unbuilt.empty()) return {};
  const Result<ParsedQuery> parsed = parse_query(atom);
  if (!parsed) return {};
  const auto found = unbuilt.find(parsed->atom.predicate);
  return found == unbuilt.end() ? Status{} : anima::fail(found->second);
}

Status check_whole(const std::map<PredicateId, Error>& broken, PredicateId predicate) {
  const auto found = broken.find(predicate);
  return found == broken.end() ? Status{} : anima::fail(found->second);
}

std::vector<std::string> fact_texts(const Program& program, PredicateId predicate, const Rows& rows,
                                    const ValueTable& values) {
  std::vector<std::string> out;
  out.reserve(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    out.push_back(print_fact(program.predicates[predicate], rows.row(i), values));
  }
  return out;
}

// Is a text of the term the name of several concepts?
bool may_be_ambiguous(const ast::Term& term, const store::Snapshot& snapshot) {
  if (term.kind == ast::TermKind::kString && snapshot.concepts_named(term.text).size() > 1) {
    return true;
  }
  return std::ranges::any_of(
      term.arguments, [&](const ast::Term& part) { return may_be_ambiguous(part, snapshot); });
}

bool may_be_ambiguous(const ast::Clause& clause, const store::Snapshot& snapshot) {
  const auto is = [&](const ast::Term& term) { return may_be_ambiguous(term, snapshot); };
  return std::ranges::any_of(clause.head.arguments, is) ||
         std::ranges::any_of(clause.body, [&](const ast::Literal& literal) {
           return is(literal.left) || is(literal.right) ||
                  std::ranges::any_of(literal.atom.arguments, is);
         });
}

bool asks_the_time(const Term& term) {
  if (term.kind != Term::Kind::kApply) return false;
  return term.function == Function::kNow ||
         std::ranges::any_of(term.arguments, [](const Term& t) { return asks_the_time(t); });
}

bool asks_the_time(const Rule& rule) {
  const auto in_literal = [](const Literal& literal) {
    return asks_the_time(literal.left) || asks_the_time(literal.right);
  };
  const auto in_assignment = [](const Assignment& each) { return asks_the_time(each.value); };
  return std::ranges::any_of(rule.body, in_literal) ||
         (rule.grouping && std::ranges::any_of(rule.grouping->after, in_assignment));
}

}  // namespace

Status check_names(const store::Snapshot& snapshot, const std::vector<RuleText>& rules) {
  bool doubtful = false;
  for (const RuleText& rule : rules) {
    if (rule.names != Names::kNew) continue;
    ANIMA_ASSIGN(const Unit unit, parse_program(rule.text, rule.name));
    doubtful = doubtful || std::ranges::any_of(unit.clauses, [&](const ast::Clause& clause) {
                 return may_be_ambiguous(clause, snapshot);
               });
  }
  if (!doubtful) return {};
  SpaceFacts facts(snapshot);
  std::vector<Unit> units;
  for (const RuleText& rule : rules) {
    ANIMA_ASSIGN(Unit unit, parse_program(rule.text, rule.name, facts.values().get()));
    units.push_back(std::move(unit));
  }
  AnalysisOptions analysis;
  analysis.base = facts.predicates(units);
  Result<Program> program = analyze_program(std::move(units), *facts.values(), analysis);
  if (!program) return {};
  return facts.settle_names(*program,
                            [&](std::string_view where) { return names_at(rules, where); });
}

Result<RulesState::Asked> RulesState::compile(std::string_view query) const {
  ANIMA_TRY(check_built(unbuilt, query));
  if (const auto name = unknown_relation(*program, *facts, query)) {
    ANIMA_ASSIGN(const World alone, relation_alone(*facts, *name));
    ANIMA_ASSIGN(Query compiled, alone.facts->names().query(*alone.program, query));
    return Asked{std::move(compiled), alone.program, alone.engine->snapshot()};
  }
  ANIMA_ASSIGN(Query compiled, facts->names().query(*program, query));
  ANIMA_TRY(check_whole(broken, compiled.predicate));
  return Asked{std::move(compiled), program, rows};
}

Result<std::vector<std::string>> RulesState::ask(std::string_view query,
                                                 std::size_t max_rows) const {
  ANIMA_ASSIGN(const Asked asked, compile(query));
  QueryOptions options;
  options.max_rows = max_rows;
  ANIMA_ASSIGN(const Rows rows, asked.rows->query(asked.query, options));
  return fact_texts(*asked.program, asked.query.predicate, rows, *values);
}

struct SpaceRules::Data {
  std::vector<RuleText> rules;
  SpaceRulesOptions options;

  mutable Mutex turn;  // writers and explanations
  World world;
  bool stale = false;  // the facts went ahead of the engine: only a new evaluation helps
  Error failure;       // while `stale`: why
  // When what failed is tried again (by the clock's monotonic time), and how long to wait if it
  // fails once more.
  std::int64_t retry_at_ns = 0;
  std::int64_t delay_ms = 0;
  std::size_t most_value_bytes = 0;  // more: a new evaluation
  TransactionStats stats;

  mutable Mutex published;
  std::shared_ptr<const RulesState> state ANIMA_GUARDED_BY(published);
  std::uint64_t evaluations ANIMA_GUARDED_BY(published) = 0;
  struct Listener {
    std::string predicate;
    std::function<void(const SpaceChange&)> call;
  };
  std::map<SubscriptionId, Listener> listeners ANIMA_GUARDED_BY(published);
  SubscriptionId next_listener ANIMA_GUARDED_BY(published) = 1;
  Status followed ANIMA_GUARDED_BY(published);

  Mutex sleep;
  std::condition_variable_any wake;
  std::jthread follower;  // last: it ends first

  std::shared_ptr<const RulesState> read() const {
    const MutexLock lock(published);
    return state;
  }
  void publish() {
    auto fresh = std::make_shared<RulesState>();
    fresh->sequence = world.facts->sequence();
    fresh->program = world.program;
    fresh->rows = world.engine->snapshot();
    fresh->values = world.facts->values();
    fresh->pin = world.facts->pin();
    fresh->facts = world.facts->beside();
    fresh->broken = world.broken;
    fresh->unbuilt = world.unbuilt;
    const MutexLock lock(published);
    state = std::move(fresh);
    stats = world.engine->stats();
  }
  std::map<SubscriptionId, Listener> wanted() const {
    const MutexLock lock(published);
    return listeners;
  }

  // Null: up to the newest entry.
  Result<bool> refresh(store::Space& space, const store::Snapshot* to);
  Status update(const store::Snapshot& next, const std::vector<store::WrittenKey>& written);
  Status evaluate_again(const store::Snapshot& next);
  Status take_again(const store::Snapshot& next);
  void give_values_back(const store::Snapshot& next);
  // After an evaluation: how many values may come before the next one pays.
  void limit_values() {
    // Rows that an evaluation works on take at least as much.
    constexpr std::uint64_t kBytesOfWork = 16;
    const std::size_t now = world.facts->values()->bytes();
    most_value_bytes = now + std::max<std::uint64_t>({options.spare_value_bytes, now,
                                                      kBytesOfWork * world.engine->stats().work});
  }
  // Does a subscriber want to hear of one of these?
  bool is_awaited(const std::vector<std::string>& relations) const {
    const auto who = wanted();
    return !relations.empty() && std::ranges::any_of(who, [&](const auto& entry) {
      const std::string& name = entry.second.predicate;
      return name.empty() || std::ranges::find(relations, name) != relations.end();
    });
  }
  std::int64_t now_ns() const { return options.clock->monotonic_nanoseconds(); }
  bool may_retry() const { return delay_ms == 0 || now_ns() >= retry_at_ns; }
  void back_off() {
    retry_at_ns = now_ns() + delay_ms * 1'000'000;
    delay_ms = std::clamp(delay_ms * 2, kFirstDelayMs, kLongestDelayMs);
  }
  void tell(const std::map<SubscriptionId, Listener>& who, const SpaceChange& change) const {
    for (const auto& [id, listener] : who) {
      if (listener.predicate.empty() || listener.predicate == change.predicate) {
        listener.call(change);
      }
    }
  }
};

Status SpaceRules::Data::update(const store::Snapshot& next,
                                const std::vector<store::WrittenKey>& written) {
  const store::Sequence before = world.facts->sequence();
  const auto who = wanted();
  stale = true;  // until the engine has followed
  const std::vector<Rebase> moved = world.facts->advance(next, written);
  std::vector<SpaceChange> changes;
  const auto note = [&](const Change& change) {
    SpaceChange out;
    out.before = before;
    out.after = next.sequence();
    out.predicate = world.program->predicates[change.predicate].name;
    const ValueTable& values = *world.facts->values();
    out.inserted = fact_texts(*world.program, change.predicate, change.inserted, values);
    out.deleted = fact_texts(*world.program, change.predicate, change.deleted, values);
    std::ranges::sort(out.inserted);
    std::ranges::sort(out.deleted);
    changes.push_back(std::move(out));
  };
  std::vector<SubscriptionId> taps;
  for (const auto& [id, listener] : who) {
    if (listener.predicate.empty()) {
      for (const SubscriptionId tap : taps) world.engine->unsubscribe(tap);
      taps = {world.engine->subscribe(kNone, note)};
      break;
    }
    const PredicateId predicate = world.program->find(listener.predicate);
    if (predicate != kNone) taps.push_back(world.engine->subscribe(predicate, note));
  }
  const Result<TransactionStats> done = world.engine->rebase(moved, {}, options.limits);
  for (const SubscriptionId tap : taps) world.engine->unsubscribe(tap);
  if (!done) return anima::fail(done.error());
  stale = false;
  publish();
  std::ranges::sort(changes, {}, &SpaceChange::predicate);
  const auto same = [](const SpaceChange& a, const SpaceChange& b) {
    return a.predicate == b.predicate;
  };
  changes.erase(std::unique(changes.begin(), changes.end(), same), changes.end());
  for (const SpaceChange& change : changes) tell(who, change);
  return {};
}

// Subscribers get what differs between the two evaluations.
Status SpaceRules::Data::evaluate_again(const store::Snapshot& next) {
  // Within the delay what fails stays set aside; then it is tried with all the others.
  const bool all = may_retry();
  std::uint64_t attempts = 0;
  Result<World> done = evaluate(next, rules, options, false,
                                all ? std::map<std::string, Error>() : world.failures, attempts);
  {
    const MutexLock lock(published);
    evaluations += attempts;
  }
  if (!done) return anima::fail(done.error());
  World fresh = std::move(*done);
  if (fresh.failures.empty()) {
    delay_ms = 0;
  } else if (all) {
    back_off();
  }
  const auto before = read();
  world = std::move(fresh);
  stale = false;
  limit_values();
  publish();
  const auto after = read();
  const auto who = wanted();
  std::map<std::string, bool> names;
  for (const auto& [id, listener] : who) {
    if (!listener.predicate.empty()) names[listener.predicate] = true;
    if (!listener.predicate.empty()) continue;
    for (const RulesState* side : {before.get(), after.get()}) {
      for (const Predicate& p : side->program->predicates) {
        if (!p.internal) names[p.name] = true;
      }
    }
  }
  for (const auto& [name, wanted_name] : names) {
    const auto texts = [&name = name](const RulesState& side) -> Result<std::vector<std::string>> {
      const PredicateId id = side.program->find(name);
      if (id == kNone) return std::vector<std::string>();
      ANIMA_ASSIGN(const Rows rows, side.rows->all(id, {0, false}));
      std::vector<std::string> out = fact_texts(*side.program, id, rows, *side.values);
      std::ranges::sort(out);
      return out;
    };
    ANIMA_ASSIGN(const std::vector<std::string> old, texts(*before));
    ANIMA_ASSIGN(const std::vector<std::string> now, texts(*after));
    SpaceChange change{before->sequence, after->sequence, name, {}, {}};
    std::ranges::set_difference(now, old, std::back_inserter(change.inserted));
    std::ranges::set_difference(old, now, std::back_inserter(change.deleted));
    if (!change.inserted.empty() || !change.deleted.empty()) tell(who, change);
  }
  return {};
}

// What follows is there; when the evaluation fails, it stays as it is.
void SpaceRules::Data::give_values_back(const store::Snapshot& next) {
  if (world.facts->values()->bytes() <= most_value_bytes) return;
  if (!evaluate_again(next)) limit_values();
}

// A new evaluation; what has begun to fail is said once.
Status SpaceRules::Data::take_again(const store::Snapshot& next) {
  const std::map<std::string, Error> known = world.failures, known_unbuilt = world.unbuilt;
  if (Status done = evaluate_again(next); !done) {
    stale = true;
    failure = done.error();
    back_off();
    return done;
  }
  for (const auto& [where, error] : world.failures) {
    if (!known.contains(where)) return anima::fail(error);
  }
  for (const auto& [name, error] : world.unbuilt) {
    if (!known_unbuilt.contains(name)) return anima::fail(error);
  }
  return {};
}

Result<bool> SpaceRules::Data::refresh(store::Space& space, const store::Snapshot* to) {
  const MutexLock lock(turn);
  ANIMA_ASSIGN(const store::Snapshot next,
               to == nullptr ? space.snapshot() : Result<store::Snapshot>(*to));
  const store::Sequence at = world.facts->sequence();
  if (stale && !may_retry()) return anima::fail(failure);
  if (!stale && next.sequence() == at) return false;
  std::vector<store::WrittenKey> written;
  bool again = stale || next.sequence() < at || (!world.failures.empty() && may_retry());
  if (!again) {
    const Status read =
        space.visit_written(at, next.sequence(), [&](const store::WrittenKey& key) -> Status {
          again = written.size() >= options.max_delta_keys;
          if (again) return anima::fail(ErrorCode::kLimitExceeded, "a delta too large to be one");
          written.push_back(key);
          return {};
        });
    if (!read && !again) {
      if (read.error().code != ErrorCode::kNotFound) return anima::fail(read.error());
      again = true;  // an erased entry
    }
  }
  if (!again) {
    std::ranges::sort(written);
    written.erase(std::unique(written.begin(), written.end()), written.end());
    // What fails is left to a new evaluation, which tells which rule it is.
    again = !update(next, written) || world.facts->needs_evaluation(*world.program) ||
            is_awaited(world.facts->new_relations()) ||
            (!world.unbuilt.empty() && !world.facts->new_relations().empty());
  }
  if (again) {
    ANIMA_TRY(take_again(next));
  } else {
    give_values_back(next);
  }
  return true;
}

SpaceRules::SpaceRules(std::unique_ptr<Data> data) : data_(std::move(data)) {}
SpaceRules::~SpaceRules() { unfollow(); }

Result<std::unique_ptr<SpaceRules>> SpaceRules::create(const store::Snapshot& snapshot,
                                                       std::vector<RuleText> rules,
                                                       SpaceRulesOptions options) {
  auto data = std::make_unique<Data>();
  std::uint64_t evaluations = 0;
  ANIMA_ASSIGN(data->world, evaluate(snapshot, rules, options, true, {}, evaluations));
  {
    const MutexLock lock(data->published);
    data->evaluations = evaluations;
  }
  data->rules = std::move(rules);
  data->options = std::move(options);
  if (data->options.clock == nullptr) data->options.clock = std::make_shared<SystemClock>();
  data->limit_values();
  data->publish();
  return std::unique_ptr<SpaceRules>(new SpaceRules(std::move(data)));
}

Result<bool> SpaceRules::refresh(store::Space& space) { return data_->refresh(space, nullptr); }
Result<bool> SpaceRules::refresh(store::Space& space, const store::Snapshot& to) {
  return data_->refresh(space, &to);
}

void SpaceRules::follow(std::shared_ptr<store::Space> space) {
  unfollow();
  Data& data = *data_;
  data.follower = std::jthread([&data, space = std::move(space)](const std::stop_token& ended) {
    while (!ended.stop_requested()) {
      Status outcome;
      if (const auto moved = data.refresh(*space, nullptr); !moved)
        outcome = anima::fail(moved.error());
      if (outcome) {
        const auto more = space->log().follow(data.read()->sequence, kFollowMs);
        if (!more) outcome = anima::fail(more.error());
      }
      const bool failed = !outcome;
      {
        const MutexLock lock(data.published);
        data.followed = std::move(outcome);
      }
      if (!failed) continue;
      const MutexLock lock(data.sleep);
      data.wake.wait_for(data.sleep, ended, std::chrono::milliseconds(kRetryMs),
                         [] { return false; });
    }
  });
}

void SpaceRules::unfollow() {
  if (!data_->follower.joinable()) return;
  data_->follower.request_stop();
  data_->follower.join();
}

Status SpaceRules::following() const {
  const MutexLock lock(data_->published);
  return data_->followed;
}

std::shared_ptr<const RulesState> SpaceRules::state() const { return data_->read(); }

TransactionStats SpaceRules::stats() const {
  const MutexLock lock(data_->published);
  return data_->stats;
}

std::uint64_t SpaceRules::evaluations() const {
  const MutexLock lock(data_->published);
  return data_->evaluations;
}

Result<Explained> SpaceRules::why(std::string_view fact, const ExplainOptions& options) const {
  const MutexLock lock(data_->turn);
  World world = data_->world;
  ANIMA_TRY(check_built(world.unbuilt, fact));
  if (const auto name = unknown_relation(*world.program, *world.facts, fact)) {
    ANIMA_ASSIGN(world, relation_alone(*world.facts, *name));
  }
  ANIMA_ASSIGN(const GroundFact ground, world.facts->names().fact(*world.program, fact));
  ANIMA_TRY(check_whole(world.broken, ground.predicate));
  Explained out;
  ANIMA_ASSIGN(out.proof, world.engine->explain(ground.predicate, ground.codes, options));
  out.sequence = world.facts->sequence();
  out.grounds = world.facts->grounds(out.proof);
  return out;
}

Result<WhyNot> SpaceRules::why_not(std::string_view goal, const ExplainOptions& options) const {
  const MutexLock lock(data_->turn);
  World world = data_->world;
  ANIMA_TRY(check_built(world.unbuilt, goal));
  if (const auto name = unknown_relation(*world.program, *world.facts, goal)) {
    ANIMA_ASSIGN(world, relation_alone(*world.facts, *name));
  }
  ANIMA_ASSIGN(const Query query, world.facts->names().query(*world.program, goal));
  ANIMA_TRY(check_whole(world.broken, query.predicate));
  return world.engine->why_not(query, options);
}

std::shared_ptr<Fork> SpaceRules::fork() const {
  const MutexLock lock(data_->turn);
  // The engine, the facts and the texts live as long as the fork.
  struct Kept {
    World world;
    std::shared_ptr<const void> pin;
    std::unique_ptr<Fork> fork;
  };
  auto kept = std::make_shared<Kept>();
  kept->world = data_->world;
  kept->pin = data_->world.facts->pin();
  kept->fork = data_->world.engine->fork();
  Fork* fork = kept->fork.get();
  return std::shared_ptr<Fork>(std::move(kept), fork);
}

Result<std::shared_ptr<Fork>> SpaceRules::suppose(const store::Snapshot& branch,
                                                  std::span<const store::Triple> links) const {
  std::optional<Transaction> beside;
  {
    const MutexLock lock(data_->turn);
    if (!data_->world.broken.empty()) return anima::fail(data_->world.broken.begin()->second);
    beside = data_->world.facts->supposed(*data_->world.program, branch, links);
  }
  if (!beside) return std::shared_ptr<Fork>();
  std::shared_ptr<Fork> world = fork();
  ANIMA_TRY(world->transact(*beside, data_->options.limits).map([](const TransactionStats&) {}));
  return world;
}

bool SpaceRules::reads_clock() const {
  const auto now = state();
  const auto asks = [](const Rule& rule) { return asks_the_time(rule); };
  if (std::ranges::any_of(now->program->rules, asks)) return true;
  return std::ranges::any_of(now->program->deferred_rules, [&](const auto& deferred) {
    return std::ranges::any_of(deferred.second, asks);
  });
}

SubscriptionId SpaceRules::subscribe(std::string predicate,
                                     std::function<void(const SpaceChange&)> listener) {
  const MutexLock lock(data_->published);
  data_->listeners[data_->next_listener] = {std::move(predicate), std::move(listener)};
  return data_->next_listener++;
}

void SpaceRules::unsubscribe(SubscriptionId id) {
  const MutexLock lock(data_->published);
  data_->listeners.erase(id);
}

}  // namespace anima::datalog
