// The campus questions as SPARQL text over an imported space: text in, every term of every row out.
//   sparql_bench DATADIR QUESTIONS [QUESTION]   DATADIR holds campus.nt and params.json, QUESTIONS
//   is
//                                               what bench/campus/compare_sparql.py writes
// One JSON line a question: median milliseconds with every term read (ms) and without, as a
// prepared plan gives its rows (rows_ms), and the rows as sorted text. With EXPLAIN set, how each
// question ran. bench/campus/compare_sparql.py (./dev bench sparql) puts the prepared plans and the
// peers beside it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "measure.h"
#include "sparql/engine.h"
#include "sparql/rdf_import.h"
#include "store/space.h"

namespace {

using namespace anima;  // NOLINT: a benchmark is one file
using bench::must;

double wall_ms() { return bench::wall_seconds() * 1e3; }

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

Status import(store::Transaction& transaction, std::string_view text) {
  sparql::RdfImporter importer(transaction, {});
  sparql::NTriplesReader reader(text, "campus.nt");
  std::vector<sparql::RdfTriple> triples(1024);
  for (;;) {
    ANIMA_ASSIGN(const std::size_t count, reader.next(triples));
    if (count == 0) return importer.finish();
    for (std::size_t i = 0; i < count; ++i) ANIMA_TRY(importer.add(triples[i]));
  }
}

// The last part of an IRI, and literals as they are.
std::string text_of(const sparql::RdfTerm& term) {
  if (term.kind != sparql::RdfKind::kIri) return std::string(term.text);
  const std::size_t at = term.text.find_last_of("/#");
  return std::string(term.text.substr(at == std::string_view::npos ? 0 : at + 1));
}

class Bench {
 public:
  Bench(std::shared_ptr<sparql::Engine> engine, Json params)
      : engine_(std::move(engine)), params_(std::move(params)) {}

  void ask(const std::string& id, const std::string& sparql) {
    if (id == "q01_point") return points(sparql);
    std::vector<std::string> rows;
    const double ms = measure([&] { read(sparql, nullptr); });
    const double rows_ms = measure([&] { must(engine_->query(sparql)); });
    read(sparql, &rows);
    report(id, ms, rows_ms, std::move(rows));
    if (std::getenv("EXPLAIN") == nullptr) return;
    sparql::QueryOptions options;
    options.analyze = true;
    std::fprintf(stderr, "%s\n%s\n", id.c_str(),
                 must(engine_->query(sparql, options)).explanation().c_str());
  }

 private:
  // Every term is looked at, as whoever asks would.
  std::size_t read(const std::string& sparql, std::vector<std::string>* rows) {
    const sparql::QueryAnswer answer = must(engine_->query(sparql));
    std::size_t bytes = 0;
    std::string scratch;
    sparql::RdfTerm term;
    for (std::size_t row = 0; row < answer.rows(); ++row) {
      if (rows != nullptr) rows->emplace_back();
      for (std::size_t k = 0; k < answer.variables().size(); ++k) {
        if (rows != nullptr && k > 0) rows->back() += "|";
        if (!answer.cell(row, k, &term, scratch)) continue;
        bytes += term.text.size();
        if (rows != nullptr) rows->back() += text_of(term);
      }
    }
    return bytes;
  }

  // Everything that is said of each of a thousand students.
  void points(const std::string& form) {
    std::vector<std::string> texts;
    const std::size_t mark = form.find("%s");
    for (const Json& name : params_.find("sample")->as_array())
      texts.push_back(std::string(form).replace(mark, 2, name.as_string()));
    const double ms = measure([&] {
      for (const std::string& text : texts) read(text, nullptr);
    });
    const double rows_ms = measure([&] {
      for (const std::string& text : texts) must(engine_->query(text));
    });
    const auto times = static_cast<double>(texts.size());
    report("q01_point", ms / times, rows_ms / times, {});
  }

  static void report(const std::string& id, double ms, double rows_ms,
                     std::vector<std::string> rows) {
    std::sort(rows.begin(), rows.end());
    JsonArray list;
    for (std::string& row : rows) list.emplace_back(std::move(row));
    std::printf("%s\n", Json::object({{"engine", "SPARQL"},
                                      {"id", id},
                                      {"ms", ms},
                                      {"rows_ms", rows_ms},
                                      {"rows", Json(std::move(list))}})
                            .dump()
                            .c_str());
    std::fflush(stdout);
  }

  std::shared_ptr<sparql::Engine> engine_;
  Json params_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: sparql_bench DATADIR QUESTIONS [QUESTION]\n");
    return 2;
  }
  const std::string folder = argv[1], only = argc > 3 ? argv[3] : "";
  const std::string text = must(read_file(system_files(), folder + "/campus.nt"));
  const Json params = must(parse_json(must(read_file(system_files(), folder + "/params.json"))));
  const Json questions = must(parse_json(must(read_file(system_files(), argv[2]))));
  char work[] = "/tmp/sparql_bench_XXXXXX";
  if (mkdtemp(work) == nullptr) return 1;
  store::SpaceOptions options;
  options.create = true;
  options.text_index = false;
  {
    const std::shared_ptr<store::Space> space = must(store::Space::open(work, options));
    must(space->write({}, [&](store::Transaction& t) { return import(t, text); }));
    if (!space->checkpoint()) return 1;
    Bench bench(must(sparql::Engine::open(space)), params);
    for (const Json& question : questions.as_array()) {
      const std::string id = question.find("id")->as_string();
      if (id.find(only) != std::string::npos) bench.ask(id, question.find("sparql")->as_string());
    }
  }
  return remove_tree(system_files(), work) ? 0 : 1;
}
