// Durable commits over PostgreSQL: single-fact transactions against a bare INSERT of the same bytes
// in the same database, and sixteen writers at once. Every commit is on the server's disk when it
// is counted. Rounds of the two alternate, so that a disk that changes its pace slows both. Also:
// what a snapshot costs that asks the server for its head, and how fast a new machine reads the
// log.
//
//   store_postgres_bench [rounds] [transactions a round] [address]
// Without an address a server of its own is started.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/postgres/postgres_connection.h"
#include "measure.h"
#include "store/space.h"
#include "support/postgres_server.h"

namespace anima::store {
namespace {

using bench::must;

constexpr int kEntities = 1000;
constexpr int kWriters = 16;
const Origin kOrigin{"bench", "bench", Trust::kOperator, Sequence::kNone};

double seconds_of(const std::function<void()>& work) {
  const double start = bench::wall_seconds();
  work();
  return bench::wall_seconds() - start;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// What a program without Anima would do: one prepared INSERT, which is its own transaction.
class BareTable {
 public:
  explicit BareTable(const std::string& address)
      : connection_(must(PostgresConnection::open(must(parse_postgres_address(address)), {}))) {
    must(connection_->execute(
        "DROP TABLE IF EXISTS bare_log;"
        "CREATE TABLE bare_log(sequence BIGINT PRIMARY KEY, entry BYTEA NOT NULL);"
        "ALTER TABLE bare_log ALTER COLUMN entry SET STORAGE EXTERNAL"));
  }
  ~BareTable() { must(connection_->execute("DROP TABLE bare_log")); }
  void append(const std::string& row) {
    PostgresValues values;
    values.integer(++last_).blob(row);
    must(connection_->ask("INSERT INTO bare_log(sequence, entry) VALUES($1, $2)", values));
  }

 private:
  std::unique_ptr<PostgresConnection> connection_;
  std::int64_t last_ = 0;
};

struct Bed {
  std::shared_ptr<Space> space;
  std::vector<EntityId> entities;
  Predicate predicate;
};

Bed make_bed(const std::string& place) {
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  Bed bed{must(Space::open(place, options)), {}, {}};
  must(bed.space->write(kOrigin, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate("knows"));
    bed.predicate = Predicate::link(predicate);
    for (int i = 0; i < kEntities; ++i) {
      ANIMA_ASSIGN(const EntityId entity,
                   transaction.upsert_concept(kEntityType, "e" + std::to_string(i)));
      bed.entities.push_back(entity);
    }
    return {};
  }));
  return bed;
}

// One new fact, durable.
void write_fact(Bed& bed, std::uint64_t number) {
  const Triple fact{bed.entities[number / kEntities % kEntities], bed.predicate,
                    Term::entity(bed.entities[number % kEntities])};
  must(bed.space->write(kOrigin, [&](Transaction& transaction) -> Status {
    return transaction.assert_link(fact).map([](EntityId) {});
  }));
}

double many_writers(Bed& bed, std::uint64_t first, int each) {
  const double seconds = seconds_of([&] {
    std::vector<std::thread> writers;
    for (int thread = 0; thread < kWriters; ++thread) {
      writers.emplace_back([&, thread] {
        for (int i = 0; i < each; ++i)
          write_fact(bed, first + static_cast<std::uint64_t>(thread * each + i));
      });
    }
    for (std::thread& writer : writers) writer.join();
  });
  return kWriters * each / seconds;
}

// Header, hashes and payload as stored: what the bare table gets to store too.
std::size_t row_bytes(Bed& bed) {
  const Head head = must(bed.space->log().head());
  const LogEntry entry = must(bed.space->log().entry(head.sequence));
  return 32 + 32 + 1 + 8 + 8 + 1 + 1 + 1 + 6 + 6 + 1 + 2 + entry.payload.size();
}

void run(int rounds, int each, const std::string& address) {
  const TemporaryDirectory folder("anima-pg-bench");
  const std::string schema = "anima_bench_" + std::to_string(getpid());
  const std::string place = address + (address.find('?') == std::string::npos ? "?" : "&") +
                            "schema=" + schema + "&folder=";
  Bed bed = make_bed(place + folder.file("one"));
  std::uint64_t next = 0;
  write_fact(bed, next++);
  {
    BareTable bare(address);
    const std::string row(row_bytes(bed), 'r');
    std::vector<double> ours, theirs, ratios, many;
    for (int round = 0; round < rounds + 1; ++round) {
      const double a = each / seconds_of([&] {
                         for (int i = 0; i < each; ++i) write_fact(bed, next++);
                       });
      const double b = each / seconds_of([&] {
                         for (int i = 0; i < each; ++i) bare.append(row);
                       });
      const double c = many_writers(bed, next, each / 2);
      next += static_cast<std::uint64_t>(kWriters * (each / 2));
      if (round == 0) continue;  // warm-up
      ours.push_back(a);
      theirs.push_back(b);
      ratios.push_back(a / b);
      many.push_back(c);
    }
    std::printf("bytes a row:  %zu\n", row.size());
    std::printf("one writer:   %.0f/s durable single-fact transactions\n", median(ours));
    std::printf("bare INSERT:  %.0f/s of the same bytes\n", median(theirs));
    std::printf("ratio:        %.2f (target 0.60)\n", median(ratios));
    std::printf("%d writers:   %.0f/s, %.2f of the bare INSERT\n", kWriters, median(many),
                median(many) / median(theirs));
  }
  constexpr int kSnapshots = 2000;
  const double snapshot = seconds_of([&] {
    for (int i = 0; i < kSnapshots; ++i) must(bed.space->snapshot());
  });
  std::printf("snapshot:     %.0f us, with a question to the server\n",
              snapshot / kSnapshots * 1e6);
  const double opening = seconds_of([&] { must(Space::open(place + folder.file("two"))); });
  std::printf("new machine:  %.2f s for %llu entries\n", opening,
              static_cast<unsigned long long>(must(bed.space->log().head()).sequence));
  bed.space.reset();
  const auto connection = must(PostgresConnection::open(must(parse_postgres_address(address)), {}));
  must(connection->execute("DROP SCHEMA \"" + schema + "\" CASCADE"));
}

}  // namespace
}  // namespace anima::store

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const int each = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (argc > 3) {
    anima::store::run(rounds, each, argv[3]);
    return 0;
  }
  const anima::test::PostgresServer server(true);
  if (!server.there()) {
    std::printf("%s\n", anima::test::PostgresServer::kMissing);
    return 0;
  }
  anima::store::run(rounds, each, server.address());
}
