// The algebra on a campus graph of 1.1 million triples: fourteen questions as plans, rows
// materialised, beside what hand-written plans over sorted columns need for the same counts.
//   graph_bench DATADIR        with campus.nt and params.json (one JSON line a question: median
//   wall and processor
//                              time in milliseconds, and the answer's signature for comparison)
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "query/executor.h"
#include "store/bulk.h"
#include "store/space.h"

namespace {

using namespace anima;
using query::Expr;
using query::NodePtr;
using query::Ref;
using query::Slot;
using query::StatementPattern;
using store::EntityId;
using store::Predicate;
using store::Term;

double wall_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

template <typename T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().describe().c_str());
    std::exit(1);
  }
  return std::move(*result);
}

constexpr std::string_view kType = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";

std::string_view local(std::string_view iri) {
  const std::size_t at = iri.find_last_of("/#");
  return iri.substr(at + 1, iri.size() - at - 2);
}

struct Statement {
  std::string_view s, p, o;
};

std::vector<Statement> parse(std::string_view text) {
  std::vector<Statement> statements;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t a = line.find(' '), b = line.find(' ', a + 1);
    if (b == std::string_view::npos) continue;
    statements.push_back({line.substr(0, a), line.substr(a + 1, b - a - 1),
                          line.substr(b + 1, line.size() - b - 3)});
  }
  return statements;
}

// "text" or "12"^^<...#integer>
store::Value literal(std::string_view token) {
  const std::size_t close = token.rfind('"');
  const std::string_view inside = token.substr(1, close - 1);
  if (close + 1 < token.size()) {
    std::int64_t number = 0;
    std::from_chars(inside.data(), inside.data() + inside.size(), number);
    return store::Value::of(number);
  }
  return store::Value::string(inside);
}

Status load(store::Transaction& transaction, const std::vector<Statement>& statements) {
  std::unordered_map<std::string_view, EntityId> types, predicates;
  std::unordered_map<std::string_view, EntityId> type_of, things;
  std::unordered_map<std::string_view, Predicate> attributes;
  ANIMA_ASSIGN(const EntityId entity, transaction.upsert_type("Entity"));
  for (const Statement& it : statements) {
    if (it.p == kType) {
      if (types.find(it.o) == types.end()) {
        ANIMA_ASSIGN(types[it.o], transaction.upsert_type(local(it.o)));
      }
      type_of.emplace(it.s, types[it.o]);
    } else if (it.o[0] == '<') {
      if (predicates.find(it.p) == predicates.end()) {
        ANIMA_ASSIGN(predicates[it.p], transaction.upsert_predicate(local(it.p)));
      }
    } else if (attributes.find(it.p) == attributes.end()) {
      ANIMA_ASSIGN(const Term key, transaction.term(store::Value::string(local(it.p)).view()));
      attributes.emplace(it.p, Predicate::attribute(key));
    }
  }
  store::BulkWriter bulk(transaction, {});
  const auto thing = [&](std::string_view iri) -> Result<EntityId> {
    if (const auto known = things.find(iri); known != things.end()) return known->second;
    const auto type = type_of.find(iri);
    ANIMA_ASSIGN(const EntityId id,
                 bulk.upsert_concept(type == type_of.end() ? entity : type->second, local(iri)));
    things.emplace(iri, id);
    return id;
  };
  for (const Statement& it : statements) {
    ANIMA_ASSIGN(const EntityId subject, thing(it.s));
    if (it.p == kType) continue;
    if (it.o[0] == '<') {
      ANIMA_ASSIGN(const EntityId object, thing(it.o));
      bulk.add({subject, Predicate::link(predicates[it.p]), Term::entity(object)});
    } else {
      ANIMA_ASSIGN(const Term value, bulk.term(literal(it.o).view()));
      bulk.add({subject, attributes.find(it.p)->second, value});
    }
  }
  return bulk.finish();
}

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

class Bench {
 public:
  Bench(store::Snapshot snapshot, const Json& params) : snapshot_(std::move(snapshot)) {
    department_ = find(params.find("dept")->as_string());
    student_ = find(params.find("student")->as_string());
    university_ = find("u0");
    for (const Json& name : params.find("sample")->as_array())
      sample_.push_back(find(name.as_string()));
  }

  void run() {
    point();
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
    ask("q05_group", 4, {2, 3}, [&] {
      query::Aggregate count;
      count.result = 3;
      return query::order_by(
          query::group(query::match({link("author", s(0), s(1)), link("worksFor", s(1), s(2))}),
                       {2}, {count}),
          {{3, true, true, query::kip_sort_key}, {2, false, true, nullptr}}, 10);
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
      all.classes = query::kLinks | query::kAttributes;
      query::Aggregate count;
      count.result = 3;
      return query::group(query::match({all}), {1}, {count});
    });
  }

 private:
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

  // The first cell of a single number, else the number of rows: what the hand-written plans report.
  static long long signature(const query::Answer& answer) {
    double number = 0;
    if (answer.table.rows == 1 && answer.table.columns.size() == 1 &&
        answer.values->number_of(answer.table.columns[0][0], &number))
      return static_cast<long long>(number);
    return static_cast<long long>(answer.table.rows);
  }

  void ask(const char* id, Slot slots, std::vector<Slot> results,
           const std::function<NodePtr()>& build) {
    if (const char* only = std::getenv("ONLY"); only != nullptr && std::strstr(only, id) == nullptr)
      return;
    const query::Plan prepared = plan(build(), slots, std::move(results));
    query::RunOptions options;
    options.statistics = &statistics_;
    std::vector<double> wall, cpu;
    long long sign = 0;
    const int rounds = std::getenv("ROUNDS") != nullptr ? std::atoi(std::getenv("ROUNDS")) : 12;
    for (int round = 0; round < rounds; ++round) {
      const double w = wall_ms(), c = cpu_ms();
      const query::Answer answer = must(query::run(prepared, options));
      const double took_cpu = cpu_ms() - c, took = wall_ms() - w;
      sign = signature(answer);
      if (round == 0) continue;
      wall.push_back(took);
      cpu.push_back(took_cpu);
    }
    std::sort(wall.begin(), wall.end());
    std::sort(cpu.begin(), cpu.end());
    std::printf("{\"engine\":\"anima\",\"id\":\"%s\",\"ms\":%.4f,\"cpu_ms\":%.4f,\"sig\":%lld}\n",
                id, wall[wall.size() / 2], cpu[cpu.size() / 2], sign);
    if (std::getenv("EXPLAIN") != nullptr) {
      options.analyze = true;
      std::printf("%s\n", must(query::run(prepared, options)).explanation.c_str());
    }
  }

  void point() {
    query::RunOptions options;
    options.statistics = &statistics_;
    std::vector<double> cpu;
    std::size_t rows = 0;
    for (const std::uint32_t subject : sample_) {
      StatementPattern all;
      all.subject = Ref::constant(subject);
      all.predicate = s(0);
      all.object = s(1);
      all.classes = query::kLinks | query::kAttributes | query::kStructure;
      const query::Plan prepared = plan(query::match({all}), 2, {0, 1});
      const double c = cpu_ms();
      const query::Answer answer = must(query::run(prepared, options));
      cpu.push_back(cpu_ms() - c);
      rows += answer.table.rows;
    }
    std::sort(cpu.begin(), cpu.end());
    std::printf("{\"engine\":\"anima\",\"id\":\"q01_point\",\"cpu_ms\":%.4f,\"sig\":%zu}\n",
                cpu[cpu.size() / 2], rows);
  }

  store::Snapshot snapshot_;
  query::Statistics statistics_;
  std::uint32_t department_ = 0, student_ = 0, university_ = 0;
  std::vector<std::uint32_t> sample_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string folder = argv[1];
  const std::string text = must(read_file(system_files(), folder + "/campus.nt"));
  const Json params = must(parse_json(must(read_file(system_files(), folder + "/params.json"))));
  char work[] = "/tmp/graph_bench_XXXXXX";
  if (mkdtemp(work) == nullptr) return 1;
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  {
    const auto space = must(store::Space::open(work, options));
    const double start = wall_ms();
    const std::vector<Statement> statements = parse(text);
    must(space->write(
        {}, [&](store::Transaction& transaction) { return load(transaction, statements); }));
    if (!space->checkpoint()) return 1;
    std::printf("{\"id\":\"load\",\"ms\":%.0f,\"triples\":%zu}\n", wall_ms() - start,
                statements.size());
    Bench(space->snapshot(), params).run();
  }
  return remove_tree(system_files(), work) ? 0 : 1;
}
