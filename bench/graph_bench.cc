// The campus questions on a graph of 1.1 million triples, rows materialised: as prepared plans of
// the algebra, as KIP commands where KIP can say them (text in, JSON out), and as the hand-written
// plans of bench/campus/limits.h.
//   graph_bench DATADIR [QUESTION]     DATADIR holds campus.nt and params.json, as
//                                      bench/campus/gen_campus.py writes them
// One JSON line a contestant and question: median milliseconds and the rows as sorted text.
// bench/campus/compare.py (./dev bench graph) puts the peers beside it and checks that all agree.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "campus/limits.h"
#include "campus/load.h"
#include "kip/engine.h"
#include "measure.h"
#include "query/executor.h"
#include "store/space.h"

namespace {

using namespace anima;  // NOLINT: a benchmark is one file
using bench::must;
using campus::kType;
using campus::Statement;
using query::Expr;
using query::NodePtr;
using query::Ref;
using query::Slot;
using query::StatementPattern;
using store::EntityId;
using store::Predicate;
using store::Term;

double wall_ms() { return bench::wall_seconds() * 1e3; }

class InRange final : public query::Condition {
 public:
  InRange(double low, double high) : low_(low), high_(high) {}
  std::string name() const override { return "in range"; }
  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      double number = 0;
      const bool fits =
          values.number_of(arguments[0][i], &number) && number >= low_ && number < high_;
      out[i] = fits ? query::Truth::kTrue : query::Truth::kFalse;
    }
  }

 private:
  double low_, high_;
};

class HasGraph final : public query::Condition {
 public:
  std::string name() const override { return "contains graph"; }
  void test(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    std::string lower;
    for (std::size_t i = 0; i < rows; ++i) {
      lower.assign(values.view(arguments[0][i]).text);
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      out[i] = ::memmem(lower.data(), lower.size(), "graph", 5) != nullptr ? query::Truth::kTrue
                                                                           : query::Truth::kFalse;
    }
  }
};

// What stands in an order by name.
class NameOf final : public query::Function {
 public:
  std::string name() const override { return "name"; }
  void apply(query::Values& values, std::span<const query::ColumnView> arguments, std::size_t rows,
             std::uint32_t* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      const Term term{arguments[0][i]};
      out[i] = term.is_entity() ? values.snapshot().name_term(term.as_entity()).code : 0;
    }
  }
};

// Every predicate but the store's own of names.
class NotName final : public query::Condition {
 public:
  std::string name() const override { return "is not the name"; }
  void test(query::Values&, std::span<const query::ColumnView> arguments, std::size_t rows,
            query::Truth* out) const override {
    for (std::size_t i = 0; i < rows; ++i) {
      const bool name = arguments[0][i] == store::kNamePredicate.code;
      out[i] = name ? query::Truth::kFalse : query::Truth::kTrue;
    }
  }
};

// The median; the first time does not count.
double measure(const std::function<void()>& run) {
  std::vector<double> times;
  double total = 0;
  run();
  while (times.size() < 7 || (total < 300 && times.size() < 2000)) {
    const double start = wall_ms();
    run();
    times.push_back(wall_ms() - start);
    total += times.back();
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void report(const char* engine, const std::string& id, double ms, std::vector<std::string> rows) {
  std::sort(rows.begin(), rows.end());
  JsonArray list;
  for (std::string& row : rows) list.emplace_back(std::move(row));
  std::printf(
      "%s\n",
      Json::object({{"engine", engine}, {"id", id}, {"ms", ms}, {"rows", Json(std::move(list))}})
          .dump()
          .c_str());
  std::fflush(stdout);
}

class Bench {
 public:
  Bench(std::shared_ptr<kip::Engine> engine, const campus::Limits& limits,
        const std::vector<Statement>& statements, const Json& params, std::string only)
      : snapshot_(engine->space().snapshot().value()),
        engine_(std::move(engine)),
        limits_(limits),
        only_(std::move(only)),
        typed_(static_cast<std::size_t>(
            std::count_if(statements.begin(), statements.end(),
                          [](const Statement& it) { return it.p == kType; }))) {
    department_ = find(params.find("dept")->as_string());
    student_ = find(params.find("student")->as_string());
    university_ = find("u0");
    for (const Json& name : params.find("sample")->as_array())
      sample_.push_back(find(name.as_string()));
  }

  void run() {
    plans();
    in_kip();
  }

 private:
  void plans() {
    points();
    const Ref d = Ref::constant(department_), u = Ref::constant(university_),
              me = Ref::constant(student_);
    ask("q02_star", 5, {0, 1, 2, 4}, [&] {
      return query::match({link("memberOf", s(0), d), attribute("name", 0, 1),
                           attribute("email", 0, 2), link("advisor", s(0), s(3)),
                           attribute("name", 3, 4)});
    });
    ask("q03_degree_triangle", 4, {3}, [&] {
      return counted(query::match({typed(0, "GraduateStudent"), link("memberOf", s(0), s(1)),
                                   link("undergraduateDegreeFrom", s(0), s(2)),
                                   link("subOrganizationOf", s(1), s(2))}),
                     3);
    });
    ask("q04_advisor_course", 4, {3}, [&] {
      return counted(query::match({link("advisor", s(0), s(1)), link("teacherOf", s(1), s(2)),
                                   link("takesCourse", s(0), s(2))}),
                     3);
    });
    ask("q05_group", 5, {2, 3}, [&] {
      query::Aggregate count;
      count.result = 3;
      NodePtr groups = query::group(
          query::match({link("author", s(0), s(1)), link("worksFor", s(1), s(2))}), {2}, {count});
      return query::order_by(
          query::extend(std::move(groups), 4, Expr::call(std::make_shared<NameOf>(), one(2))),
          {{3, true, true, query::kip_sort_key}, {4, false, true, query::kip_sort_key}}, 10);
    });
    ask("q06_not_exists", 5, {4}, [&] {
      std::vector<Expr> recent;
      recent.push_back(Expr::test(std::make_shared<InRange>(2021, 1e9), one(3)));
      return counted(
          query::anti_join(
              query::match({link("worksFor", s(0), s(1))}),
              query::filter(query::match({link("author", s(2), s(0)), attribute("year", 2, 3)}),
                            std::move(recent))),
          4);
    });
    ask("q07_two_hop", 3, {2}, [&] {
      query::Aggregate count;
      count.kind = query::AggregateKind::kCount;
      count.distinct = true;
      count.argument = 1;
      count.result = 2;
      return query::group(query::match({link("knows", me, s(0)), link("knows", s(0), s(1))}), {},
                          {count});
    });
    ask("q08_triangles", 4, {3}, [&] {
      return counted(query::match({link("knows", s(0), s(1)), link("knows", s(1), s(2)),
                                   link("knows", s(2), s(0))}),
                     3);
    });
    ask("q09_reach", 2, {1}, [&] {
      query::PathPattern path;
      path.subject = me;
      path.object = s(0);
      path.path.kind = query::PathExpr::Kind::kRepeat;
      path.path.parts.emplace_back();
      path.path.parts[0].predicates = {predicate("knows")};
      return counted(query::path(std::move(path)), 1);
    });
    ask("q10_range_topk", 3, {2, 1}, [&] {
      std::vector<Expr> range;
      range.push_back(Expr::test(std::make_shared<InRange>(2010, 2015), one(1)));
      return query::order_by(
          query::filter(query::match({attribute("year", 0, 1), attribute("title", 0, 2)}),
                        std::move(range)),
          {{1, true, true, query::kip_sort_key}, {2, false, true, query::kip_sort_key}}, 20);
    });
    ask("q11_contains", 3, {2}, [&] {
      std::vector<Expr> contains;
      contains.push_back(Expr::test(std::make_shared<HasGraph>(), one(1)));
      return counted(query::filter(query::match({attribute("title", 0, 1)}), std::move(contains)),
                     2);
    });
    ask("q12_optional", 2, {0, 1}, [&] {
      return query::left_join(query::match({link("memberOf", s(0), d)}),
                              query::match({link("advisor", s(0), s(1))}));
    });
    ask("q13_chain", 5, {4}, [&] {
      StatementPattern year = attribute("year", 0, 0);
      year.object = Ref::constant(Term::integer(2020).code);
      return counted(
          query::match({link("author", s(0), s(1)), link("advisor", s(1), s(2)),
                        link("worksFor", s(2), s(3)), link("subOrganizationOf", s(3), u), year}),
          4);
    });
    ask("q14_scan_distinct", 4, {1, 3}, [&] {
      StatementPattern all;
      all.subject = s(0);
      all.predicate = s(1);
      all.object = s(2);
      all.classes = query::kLinks | query::kAttributes | query::kStructure;
      query::Aggregate count;
      count.result = 3;
      std::vector<Expr> not_name;
      not_name.push_back(Expr::test(std::make_shared<NotName>(), one(1)));
      return query::filter(query::group(query::match({all}), {1}, {count}), std::move(not_name));
    });
  }

  static Ref s(Slot slot) { return Ref::slot(slot); }
  static std::vector<Expr> one(Slot slot) {
    std::vector<Expr> list;
    list.push_back(Expr::of_slot(slot));
    return list;
  }
  static NodePtr counted(NodePtr node, Slot result) {
    query::Aggregate count;
    count.result = result;
    return query::group(std::move(node), {}, {count});
  }
  std::uint32_t find(const std::string& name) const {
    const auto found = snapshot_.concepts_named(name);
    return found.empty() ? 0 : static_cast<std::uint32_t>(found[0]);
  }
  std::uint32_t predicate(const char* name) const {
    return static_cast<std::uint32_t>(snapshot_.find_predicate(name).value_or(EntityId::kNone));
  }
  StatementPattern link(const char* name, Ref subject, Ref object) const {
    StatementPattern pattern;
    pattern.subject = subject;
    pattern.predicate = Ref::constant(predicate(name));
    pattern.object = object;
    return pattern;
  }
  StatementPattern attribute(const char* key, Slot subject, Slot value) const {
    StatementPattern pattern;
    pattern.subject = s(subject);
    pattern.predicate = Ref::constant(Predicate::attribute(*snapshot_.find_string(key)).code);
    pattern.object = s(value);
    return pattern;
  }
  StatementPattern typed(Slot subject, const char* type) const {
    StatementPattern pattern;
    pattern.subject = s(subject);
    pattern.predicate = Ref::constant(store::kTypePredicate.code);
    pattern.object = Ref::constant(
        static_cast<std::uint32_t>(snapshot_.find_type(type).value_or(EntityId::kNone)));
    return pattern;
  }

  query::Plan plan(NodePtr root, Slot slots, std::vector<Slot> results) const {
    query::Plan plan;
    plan.root = std::move(root);
    plan.slot_count = slots;
    plan.results = std::move(results);
    plan.scopes.push_back(snapshot_);
    return plan;
  }

  std::string text_of(const query::Values& values, std::uint32_t code) const {
    if (code == 0) return {};
    if (code == store::kTypePredicate.code) return "type";
    if (Predicate{code}.predicate_class() == store::PredicateClass::kAttribute)
      return std::string(snapshot_.value(Predicate{code}.key()).text);
    const store::ValueView value = values.view(code);
    if (value.kind == store::ValueKind::kEntity) return std::string(snapshot_.name(value.entity));
    return value.kind == store::ValueKind::kInteger ? std::to_string(value.integer)
                                                    : std::string(value.text);
  }

  std::vector<std::string> text_of(const std::string& id, const query::Answer& answer) const {
    std::vector<std::string> rows(answer.table.rows);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t k = 0; k < answer.table.columns.size(); ++k) {
        std::string cell = text_of(*answer.values, answer.table.columns[k][row]);
        // The space types what defines it as well; the graph has no statements about that.
        if (id == "q14_scan_distinct" && k == 1 && rows[row] == "type")
          cell = std::to_string(std::stoll(cell) - own_definitions());
        rows[row] += (k > 0 ? "|" : "") + cell;
      }
    }
    return rows;
  }

  long long own_definitions() const {
    store::Pattern types;
    types.predicate = store::kTypePredicate;
    return static_cast<long long>(snapshot_.count(types)) - static_cast<long long>(typed_);
  }

  bool wanted(const std::string& id) const {
    return only_.empty() || id.find(only_) != std::string::npos;
  }

  void ask(const char* id, Slot slots, std::vector<Slot> results,
           const std::function<NodePtr()>& build) {
    if (!wanted(id)) return;
    if (const auto by_hand = limits_.plan(id)) {
      std::uint64_t count = 0;
      const double ms = measure([&] { count = by_hand(); });
      report("limits", id, ms, {std::to_string(count)});
    }
    const query::Plan prepared = plan(build(), slots, std::move(results));
    query::RunOptions options;
    options.statistics = &statistics_;
    options.current = true;
    const double ms = measure([&] { must(query::run(prepared, options)); });
    report("anima", id, ms, text_of(id, must(query::run(prepared, options))));
    if (std::getenv("EXPLAIN") == nullptr) return;
    options.analyze = true;
    std::fprintf(stderr, "%s\n", must(query::run(prepared, options)).explanation.c_str());
  }

  // Everything that is said of each of a thousand students.
  void points() {
    if (!wanted("q01_point")) return;
    query::RunOptions options;
    options.statistics = &statistics_;
    options.current = true;
    std::vector<query::Plan> plans;
    for (const std::uint32_t subject : sample_) {
      StatementPattern all;
      all.subject = Ref::constant(subject);
      all.predicate = s(0);
      all.object = s(1);
      all.classes = query::kLinks | query::kAttributes | query::kStructure;
      plans.push_back(plan(query::match({all}), 2, {0, 1}));
    }
    const double ms = measure([&] {
      for (const query::Plan& it : plans) must(query::run(it, options));
    });
    report("anima", "q01_point", ms / static_cast<double>(sample_.size()), {});
  }

  // --- KIP

  static std::string cell_of(const Json& json) {
    return json.is_null() ? std::string{} : json.is_string() ? json.as_string() : json.dump();
  }

  // One column, or a column each; a question that only counts answers numbers.
  static std::vector<std::string> text_of(const Json& result) {
    if (!result.is_array()) return {cell_of(result)};
    const JsonArray& columns = result.as_array();
    if (columns.empty()) return {};
    if (!columns[0].is_array()) return {cell_of(columns[0])};
    std::vector<std::string> rows(columns[0].as_array().size());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::size_t row = 0; row < rows.size(); ++row)
        rows[row] += (k > 0 ? "|" : "") + cell_of(columns[k].as_array()[row]);
    }
    return rows;
  }

  void say(const char* id, const std::string& command) {
    if (!wanted(id)) return;
    const Json none{JsonObject{}};
    Json answer = engine_->execute(command, none);
    if (answer.find("result") == nullptr) {
      std::fprintf(stderr, "%s: %s\n", id, answer.dump().c_str());
      std::exit(1);
    }
    const double ms = measure([&] { answer = engine_->execute(command, none); });
    report("KIP", id, ms, text_of(*answer.find("result")));
  }

  std::string named(std::uint32_t code) const {
    const auto entity = static_cast<EntityId>(code);
    return "{type: " + quote_json(snapshot_.name(snapshot_.type_of(entity))) +
           ", name: " + quote_json(snapshot_.name(entity)) + "}";
  }

  void in_kip() {
    const std::string d = named(department_), me = named(student_), u = named(university_);
    say("q02_star",
        "FIND(?s.name, ?s.attributes.name, ?s.attributes.email, ?a.attributes.name) WHERE "
        "{ (?s, \"memberOf\", " +
            d + ") (?s, \"advisor\", ?a) }");
    say("q03_degree_triangle",
        "FIND(COUNT(?x)) WHERE { ?x {type: \"GraduateStudent\"} (?x, \"memberOf\", ?d) "
        "(?x, \"undergraduateDegreeFrom\", ?u) (?d, \"subOrganizationOf\", ?u) }");
    say("q04_advisor_course",
        "FIND(COUNT(?x), COUNT(?c)) WHERE { (?x, \"advisor\", ?y) "
        "(?y, \"teacherOf\", ?c) (?x, \"takesCourse\", ?c) }");
    say("q05_group",
        "FIND(?d.name, COUNT(?b)) WHERE { (?b, \"author\", ?a) (?a, \"worksFor\", ?d) } "
        "ORDER BY COUNT(?b) DESC, ?d.name LIMIT 10");
    say("q06_not_exists",
        "FIND(COUNT(?x)) WHERE { (?x, \"worksFor\", ?d) NOT { (?b, \"author\", ?x) "
        "FILTER(?b.attributes.year >= 2021) } }");
    say("q07_two_hop",
        "FIND(COUNT(DISTINCT ?z)) WHERE { (" + me + ", \"knows\", ?y) (?y, \"knows\", ?z) }");
    say("q08_triangles",
        "FIND(COUNT(?a), COUNT(?b), COUNT(?c)) WHERE { (?a, \"knows\", ?b) "
        "(?b, \"knows\", ?c) (?c, \"knows\", ?a) }");
    say("q09_reach", "FIND(COUNT(?x)) WHERE { (" + me + ", \"knows\"{1,}, ?x) }");
    say("q10_range_topk",
        "FIND(?b.attributes.title, ?b.attributes.year) WHERE { ?b {type: \"Publication\"} "
        "FILTER(?b.attributes.year >= 2010 && ?b.attributes.year < 2015) } "
        "ORDER BY ?b.attributes.year DESC, ?b.attributes.title LIMIT 20");
    say("q11_contains",
        "FIND(COUNT(?b)) WHERE { ?b {type: \"Publication\"} "
        "FILTER(REGEX(?b.attributes.title, \"(?i)graph\")) }");
    say("q12_optional", "FIND(?s.name, ?a.name) WHERE { (?s, \"memberOf\", " + d +
                            ") OPTIONAL { (?s, \"advisor\", ?a) } }");
    say("q13_chain",
        "FIND(COUNT(?b), COUNT(?s)) WHERE { (?b, \"author\", ?s) (?s, \"advisor\", ?p) "
        "(?p, \"worksFor\", ?d) (?d, \"subOrganizationOf\", " +
            u + ") FILTER(?b.attributes.year == 2020) }");
  }

  store::Snapshot snapshot_;
  std::shared_ptr<kip::Engine> engine_;
  const campus::Limits& limits_;
  std::string only_;
  std::size_t typed_;
  query::Statistics statistics_;
  std::uint32_t department_ = 0, student_ = 0, university_ = 0;
  std::vector<std::uint32_t> sample_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: graph_bench DATADIR [QUESTION]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const std::string text = must(read_file(system_files(), folder + "/campus.nt"));
  const Json params = must(parse_json(must(read_file(system_files(), folder + "/params.json"))));
  const std::vector<Statement> statements = campus::parse(text);
  const campus::Limits limits(statements, params.find("dept")->as_string(),
                              params.find("student")->as_string());
  char work[] = "/tmp/graph_bench_XXXXXX";
  if (mkdtemp(work) == nullptr) return 1;
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  {
    const std::shared_ptr<store::Space> space = must(store::Space::open(work, options));
    kip::EngineOptions bare;
    bare.load_genesis = false;  // the graph alone, as the peers have it
    const auto engine = must(kip::Engine::open(space, bare));
    const double start = wall_ms();
    must(space->write({}, [&](store::Transaction& transaction) {
      return campus::load(transaction, statements);
    }));
    if (!space->checkpoint()) return 1;
    std::printf("{\"engine\":\"anima\",\"id\":\"load\",\"ms\":%.0f}\n", wall_ms() - start);
    Bench(engine, limits, statements, params, argc > 2 ? argv[2] : "").run();
  }
  return remove_tree(system_files(), work) ? 0 : 1;
}
