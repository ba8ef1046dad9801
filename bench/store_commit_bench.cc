// Durable commits: single-fact transactions against a bare SQLite append of the same bytes, and
// sixteen writers at once. Every commit is on disk when it is counted; the fsync time of the same
// run is shown. Rounds of the two alternate, so that a disk that changes its pace slows both.
//
//   store_commit_bench [rounds] [transactions a round] [folder]
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/random.h"
#include "store/space.h"

namespace anima::store {
namespace {

double seconds_of(const std::function<void()>& work) {
  SystemClock clock;
  const std::int64_t start = clock.monotonic_nanoseconds();
  work();
  return static_cast<double>(clock.monotonic_nanoseconds() - start) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

[[noreturn]] void stop(const std::string& reason) {
  std::fprintf(stderr, "store_commit_bench: %s\n", reason.c_str());
  std::exit(1);
}

double fsync_microseconds(const std::string& path, bool overwrite) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (descriptor < 0) stop("cannot make " + path);
  const std::string page(4096, 'x');
  constexpr int kTimes = 500;
  const auto write_all = [&](bool sync) {
    for (int i = 0; i < kTimes; ++i) {
      if (::pwrite(descriptor, page.data(), page.size(), i * 4096) < 0) stop("cannot write");
      if (sync && ::fdatasync(descriptor) != 0) stop("cannot sync");
    }
  };
  if (overwrite) write_all(false), ::fsync(descriptor);
  const double seconds = seconds_of([&] { write_all(true); });
  ::close(descriptor);
  ::unlink(path.c_str());
  return seconds / kTimes * 1e6;
}

// What a program without Anima would do: one prepared INSERT, one transaction a row.
class BareLog {
 public:
  explicit BareLog(const std::string& path) {
    if (sqlite3_open(path.c_str(), &handle_) != SQLITE_OK) stop("cannot open " + path);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE TABLE log(sequence INTEGER PRIMARY KEY, entry BLOB NOT NULL)");
    sqlite3_prepare_v2(handle_, "BEGIN IMMEDIATE", -1, &begin_, nullptr);
    sqlite3_prepare_v2(handle_, "INSERT INTO log(entry) VALUES(?)", -1, &insert_, nullptr);
    sqlite3_prepare_v2(handle_, "COMMIT", -1, &commit_, nullptr);
  }
  ~BareLog() {
    for (sqlite3_stmt* statement : {begin_, insert_, commit_}) sqlite3_finalize(statement);
    sqlite3_close(handle_);
  }
  void append(const std::string& row) {
    step(begin_);
    sqlite3_bind_blob(insert_, 1, row.data(), static_cast<int>(row.size()), SQLITE_STATIC);
    step(insert_);
    step(commit_);
  }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) stop(sql);
  }
  void step(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) stop(sqlite3_errmsg(handle_));
    sqlite3_reset(statement);
  }
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* begin_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* commit_ = nullptr;
};

constexpr int kEntities = 1000;
const Origin kOrigin{"bench", "bench", Trust::kOperator, Sequence::kNone};

struct Bed {
  std::shared_ptr<Space> space;
  std::vector<EntityId> entities;
  Predicate predicate;
};

Bed make_bed(const std::string& folder) {
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  auto space = Space::open(folder, options);
  if (!space) stop(space.error().describe());
  Bed bed{*space, {}, {}};
  const auto made = bed.space->write(kOrigin, [&](Transaction& transaction) -> Status {
    ANIMA_ASSIGN(const EntityId predicate, transaction.upsert_predicate("knows"));
    bed.predicate = Predicate::link(predicate);
    for (int i = 0; i < kEntities; ++i) {
      ANIMA_ASSIGN(const EntityId entity,
                   transaction.upsert_concept(kEntityType, "e" + std::to_string(i)));
      bed.entities.push_back(entity);
    }
    return {};
  });
  if (!made) stop(made.error().describe());
  return bed;
}

// One new fact, durable.
void write_fact(Bed& bed, std::uint64_t number) {
  const Triple fact{bed.entities[number / kEntities % kEntities], bed.predicate,
                    Term::entity(bed.entities[number % kEntities])};
  const auto receipt = bed.space->write(kOrigin, [&](Transaction& transaction) -> Status {
    return transaction.assert_link(fact).map([](EntityId) {});
  });
  if (!receipt || !receipt->changed) stop("a fact was not written");
}

double sixteen_writers(Bed& bed, std::uint64_t first, int threads, int each) {
  return static_cast<double>(threads) * each / seconds_of([&] {
           std::vector<std::thread> writers;
           for (int thread = 0; thread < threads; ++thread) {
             writers.emplace_back([&, thread] {
               for (int i = 0; i < each; ++i) {
                 write_fact(bed, first + static_cast<std::uint64_t>(thread * each + i));
               }
             });
           }
           for (std::thread& writer : writers) writer.join();
         });
}

std::size_t row_bytes(Bed& bed) {
  const auto head = bed.space->log().head();
  const auto entry = bed.space->log().entry(head->sequence);
  // Header, hashes and payload as stored: what the bare table gets to store too.
  return 32 + 32 + 1 + 8 + 8 + 1 + 1 + 1 + 6 + 6 + 1 + 2 + entry->payload.size();
}

void run(int rounds, int each, const std::string& where) {
  const std::string folder = join_path(where, "store_commit_bench.d");
  (void)remove_tree(system_files(), folder);
  (void)system_files().make_directories(folder);
  std::printf("fdatasync of 4 KiB: %.0f us appending, %.0f us overwriting\n",
              fsync_microseconds(join_path(folder, "f"), false),
              fsync_microseconds(join_path(folder, "f"), true));
  Bed bed = make_bed(join_path(folder, "space"));
  std::uint64_t next = 0;
  write_fact(bed, next++);
  BareLog bare(join_path(folder, "bare.db"));
  const std::string row(row_bytes(bed), 'r');
  std::vector<double> ours, theirs, ratios, many;
  for (int round = 0; round < rounds + 1; ++round) {
    const double a = each / seconds_of([&] {
                       for (int i = 0; i < each; ++i) write_fact(bed, next++);
                     });
    const double b = each / seconds_of([&] {
                       for (int i = 0; i < each; ++i) bare.append(row);
                     });
    const double c = sixteen_writers(bed, next, 16, each / 2);
    next += static_cast<std::uint64_t>(16 * (each / 2));
    if (round == 0) continue;  // warm-up: both logs reach their size
    ours.push_back(a);
    theirs.push_back(b);
    ratios.push_back(a / b);
    many.push_back(c);
  }
  const double target = std::min(5 * median(theirs), 40'000.0);
  std::printf("bytes a row: %zu\n", row.size());
  std::printf("one writer:  %.0f/s durable single-fact transactions\n", median(ours));
  std::printf("bare SQLite: %.0f/s appends of the same bytes\n", median(theirs));
  std::printf("ratio:       %.2f (target 0.80)\n", median(ratios));
  std::printf("16 writers:  %.0f/s (target %.0f: the smaller of 5x bare and 40,000)\n",
              median(many), target);
  bed.space.reset();
  (void)remove_tree(system_files(), folder);
}

}  // namespace
}  // namespace anima::store

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const int each = argc > 2 ? std::atoi(argv[2]) : 2000;
  anima::store::run(rounds, each, argc > 3 ? argv[3] : ".");
}
