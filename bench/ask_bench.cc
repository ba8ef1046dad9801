// What a question costs over many things: the lexicon built, a question without and with its query,
// and the lexicon after one more entry.
//
//   ask_bench [CONCEPTS]      100,000 when nothing is said
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ask/ask.h"
#include "ask/lexicon/lexicon.h"
#include "ask/parse/parser.h"
#include "measure.h"
#include "store/space.h"

namespace {

namespace ask = anima::ask;
namespace store = anima::store;
using anima::bench::must;

double milliseconds() { return anima::bench::wall_seconds() * 1e3; }

std::string number(std::size_t i) { return std::to_string(i); }

// Sites with hosts on them, and services on the hosts.
void fill(store::Space& space, std::size_t concepts) {
  store::Origin origin;
  origin.trust = store::Trust::kOperator;
  must(space
           .write(
               origin,
               [&](store::Transaction& transaction) -> anima::Status {
                 const store::AssertOptions options;
                 ANIMA_ASSIGN(const auto site,
                              transaction.upsert_concept(store::kConceptType, "Site", options));
                 ANIMA_ASSIGN(const auto host,
                              transaction.upsert_concept(store::kConceptType, "Host", options));
                 ANIMA_ASSIGN(const auto service,
                              transaction.upsert_concept(store::kConceptType, "Service", options));
                 ANIMA_ASSIGN(const auto runs_on, transaction.upsert_predicate("runs_on", options));
                 ANIMA_ASSIGN(const auto located_in,
                              transaction.upsert_predicate("located_in", options));
                 std::vector<store::EntityId> sites, hosts;
                 const auto set = [&](store::EntityId entity, const char* key,
                                      const store::Value& value) -> anima::Status {
                   ANIMA_ASSIGN(const store::Term term, transaction.term(value.view()));
                   return transaction.set_attribute(entity, key, std::span(&term, 1), options);
                 };
                 for (std::size_t i = 0; i < concepts; ++i) {
                   if (i < concepts / 100) {
                     ANIMA_ASSIGN(const auto one,
                                  transaction.upsert_concept(site, "site " + number(i), options));
                     sites.push_back(one);
                   } else if (i < concepts / 10) {
                     ANIMA_ASSIGN(const auto one,
                                  transaction.upsert_concept(host, "host-" + number(i), options));
                     ANIMA_TRY(set(one, "memory_gb",
                                   store::Value::of(static_cast<std::int64_t>(i % 64))));
                     ANIMA_TRY(transaction
                                   .assert_link({one, store::Predicate::link(located_in),
                                                 store::Term::entity(sites[i % sites.size()])},
                                                options)
                                   .map([](store::EntityId) {}));
                     hosts.push_back(one);
                   } else {
                     ANIMA_ASSIGN(const auto one, transaction.upsert_concept(
                                                      service, "service-" + number(i), options));
                     ANIMA_TRY(
                         set(one, "port", store::Value::of(static_cast<std::int64_t>(i % 60'000))));
                     ANIMA_TRY(set(one, "status",
                                   store::Value::string(i % 3 == 0 ? "stopped" : "running")));
                     ANIMA_TRY(transaction
                                   .assert_link({one, store::Predicate::link(runs_on),
                                                 store::Term::entity(hosts[i % hosts.size()])},
                                                options)
                                   .map([](store::EntityId) {}));
                   }
                 }
                 return {};
               })
           .map([](const store::Receipt&) {}));
}

void add_site(store::Space& space, const std::string& name) {
  must(space
           .write({},
                  [&](store::Transaction& transaction) -> anima::Status {
                    ANIMA_ASSIGN(const auto type,
                                 transaction.upsert_concept(store::kConceptType, "Site", {}));
                    return transaction.upsert_concept(type, name, {}).map([](store::EntityId) {});
                  })
           .map([](const store::Receipt&) {}));
}

double percentile(std::vector<double> times, double share) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1,
                        static_cast<std::size_t>(share * static_cast<double>(times.size())))];
}

}  // namespace

int main(int count, char** arguments) {
  const std::size_t concepts = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 100'000;
  auto space = must(store::Space::in_memory());
  fill(*space, concepts);
  auto pack = must(ask::Pack::load("en"));
  const auto snapshot = must(space->snapshot());
  double start = milliseconds();
  const auto lexicon = ask::Lexicon::build(snapshot, {}, {}, pack);
  std::printf("%-44s %10.1f ms\n", "lexicon built", milliseconds() - start);
  std::printf("%-44s %10.1f bytes\n", "names, each",
              static_cast<double>(lexicon->names().bytes()) / static_cast<double>(concepts));
  const std::string last = number(concepts - 1);
  const std::vector<std::string> questions = {
      "Which services run on host-" + number(concepts / 50) + " and have a port above 8080?",
      "What is the port of service-" + last + "?",
      "Which stopped services run on a host in site " + number(concepts / 200) + "?",
      "How many services with status stopped run on host-" + number(concepts / 50) + "?"};
  std::vector<double> parsing;
  for (int round = 0; round < 100; ++round) {
    for (const std::string& question : questions) {
      start = milliseconds();
      ask::Context context;
      const auto pieces = ask::cut_question(question, *pack);
      ask::Parser parser(*lexicon, pieces, lexicon->matches(pieces), context);
      const auto readings = parser.readings();
      parsing.push_back(milliseconds() - start);
      if (readings.empty()) std::printf("not understood: %s\n", question.c_str());
    }
  }
  std::printf("%-44s %10.3f ms, p99 %.3f ms\n", "question without its query, p50",
              percentile(parsing, 0.5), percentile(parsing, 0.99));
  auto asker = must(ask::Asker::open(space));
  std::vector<double> whole;
  for (int round = 0; round < 5; ++round) {
    for (const std::string& question : questions) {
      start = milliseconds();
      const auto answer = asker->ask(question);
      whole.push_back(milliseconds() - start);
      if (round == 0)
        std::printf("  %-70s %s, %zu rows\n", question.c_str(),
                    std::string(ask::to_string(answer.status)).c_str(), answer.rows.size());
    }
  }
  std::printf("%-44s %10.3f ms\n", "question with its query, p50", percentile(whole, 0.5));
  std::vector<double> told;
  for (std::size_t i = 0; i < 200; ++i) {
    add_site(*space, "new site " + number(i));
    start = milliseconds();
    if (asker->lexicon("new site " + number(i))->empty()) std::printf("not there: %zu\n", i);
    told.push_back(milliseconds() - start);
  }
  std::printf("%-44s %10.3f ms, p99 %.3f ms\n", "the lexicon after one more entry, p50",
              percentile(told, 0.5), percentile(told, 0.99));
  std::vector<double> misspelt;
  for (int round = 0; round < 50; ++round) {
    start = milliseconds();
    ask::Context context;
    const auto pieces = ask::cut_question("What is the port of servise-" + last + "?", *pack);
    std::size_t near = 0;
    for (std::size_t at = 0; at < pieces.size(); ++at)
      if (pieces[at].folded == "servise") near += lexicon->misspelt(pieces, at).size();
    misspelt.push_back(milliseconds() - start);
    if (near == 0 && round == 0) std::printf("nothing is near servise\n");
  }
  std::printf("%-44s %10.3f ms, p99 %.3f ms\n", "a misspelt word looked for, p50",
              percentile(misspelt, 0.5), percentile(misspelt, 0.99));
  return 0;
}
