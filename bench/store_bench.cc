// The store against its peers, in one run: 1M random triples, the same keys, every row read, the
// sums equal.
//
//   store_bench [lookup | delta | changed] [open]      everything when nothing is named
//
// The space is read through its public snapshot with visibility checked. Peers: the same columns
// without a store around them (CSR arrays: what the hardware allows), LMDB (three sorted databases)
// and SQLite (three covering indexes, prepared statements, everything cached).
#include <sqlite3.h>
#ifdef ANIMA_HAVE_LMDB
#include <lmdb.h>
#endif

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "measure.h"
#include "store/bulk.h"
#include "store/space.h"

namespace {

using namespace anima;         // NOLINT: a benchmark is one file
using namespace anima::store;  // NOLINT
using bench::must;

constexpr std::uint32_t kTriples = 1'000'000;
constexpr std::uint32_t kEntities = 125'000;
constexpr std::uint32_t kPredicates = 16;
constexpr std::uint32_t kQueries = 200'000;
constexpr int kRounds = 5;

struct Row {
  std::uint32_t s, p, o;
  auto operator<=>(const Row&) const = default;
};

// The median time of a query in nanoseconds, and the sum of everything that was read. Look-ups are
// timed by the processor time of the thread, so that neighbours on the machine count less.
struct Measured {
  double nanoseconds = 0, least = 0, most = 0;
  std::uint64_t sum = 0;
};
template <typename Work>
Measured measure(std::uint32_t queries, const Work& work) {
  std::vector<double> times;
  Measured result;
  for (int round = 0; round <= kRounds; ++round) {
    const double start = bench::thread_seconds();
    result.sum = work();
    if (round != 0) times.push_back((bench::thread_seconds() - start) * 1e9 / queries);
  }
  std::sort(times.begin(), times.end());
  result.nanoseconds = times[times.size() / 2];
  result.least = times.front();
  result.most = times.back();
  return result;
}

struct Queries {
  std::vector<Row> points;  // three of four are there
  std::vector<std::uint32_t> subjects;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> subject_predicates, predicate_objects;
};

struct Contestant {
  std::string name;
  std::function<std::uint64_t(const Queries&)> point, subject, subject_predicate, predicate_object,
      scan;
};

std::vector<Row> random_triples(std::uint64_t seed, std::uint32_t count, std::uint32_t first_entity,
                                const std::vector<std::uint32_t>& predicates,
                                const std::vector<Row>* without) {
  SeededRandom random(seed);
  std::vector<Row> rows;
  while (rows.size() < count) {
    while (rows.size() < count + count / 50) {
      rows.push_back({first_entity + static_cast<std::uint32_t>(random.below(kEntities)),
                      predicates[random.below(predicates.size())],
                      first_entity + static_cast<std::uint32_t>(random.below(kEntities))});
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (without != nullptr) {
      std::erase_if(rows, [&](const Row& row) {
        return std::binary_search(without->begin(), without->end(), row);
      });
    }
    if (rows.size() > count) rows.resize(count);
  }
  return rows;
}

Queries make_queries(const std::vector<Row>& rows, std::uint64_t seed) {
  SeededRandom random(seed);
  Queries queries;
  for (std::uint32_t i = 0; i < kQueries; ++i) {
    const auto any = [&] { return rows[random.below(rows.size())]; };
    Row point = any();
    if (i % 4 == 3) point.o = any().o;
    queries.points.push_back(point);
    queries.subjects.push_back(any().s);
    const Row sp = any();
    queries.subject_predicates.emplace_back(sp.s, sp.p);
    const Row po = any();
    queries.predicate_objects.emplace_back(po.p, po.o);
  }
  return queries;
}

// --- the store

Contestant store_contestant(std::string name, const Snapshot& snapshot) {
  Contestant c;
  c.name = std::move(name);
  c.point = [snapshot](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const Row& q : queries.points) {
      sum += snapshot.contains({static_cast<EntityId>(q.s), {q.p}, {q.o}}) ? q.o : 1;
    }
    return sum;
  };
  c.subject = [snapshot](const Queries& queries) {
    Scratch scratch;
    std::uint64_t sum = 0;
    for (const std::uint32_t s : queries.subjects) {
      const Edges edges =
          snapshot.outgoing(static_cast<EntityId>(s), PredicateClass::kLink, scratch);
      for (std::size_t i = 0; i < edges.size(); ++i) sum += edges.predicates[i] ^ edges.others[i];
    }
    return sum;
  };
  c.subject_predicate = [snapshot](const Queries& queries) {
    Scratch scratch;
    std::uint64_t sum = 0;
    for (const auto& [s, p] : queries.subject_predicates) {
      for (const std::uint32_t o : snapshot.objects(static_cast<EntityId>(s), {p}, scratch))
        sum += o;
    }
    return sum;
  };
  c.predicate_object = [snapshot](const Queries& queries) {
    Scratch scratch;
    std::uint64_t sum = 0;
    for (const auto& [p, o] : queries.predicate_objects) {
      for (const std::uint32_t s : snapshot.subjects({p}, {o}, scratch)) sum += s;
    }
    return sum;
  };
  c.scan = [snapshot](const Queries&) {
    std::uint64_t sum = 0;
    Cursor cursor = snapshot.scan({}, Order::kAny);
    std::vector<Triple> batch(1024);
    while (const std::size_t got = cursor.next(batch)) {
      for (std::size_t i = 0; i < got; ++i) {
        sum += (static_cast<std::uint32_t>(batch[i].subject) ^ batch[i].predicate.code) +
               batch[i].object.code;
      }
    }
    return sum;
  };
  return c;
}

// --- sorted columns with offsets

struct Csr {
  std::vector<std::uint32_t> offsets, first, second;
  void build(std::vector<Row> rows, std::uint32_t bound) {  // sorted by s, then p, then o
    std::sort(rows.begin(), rows.end());
    offsets.assign(bound + 2, 0);
    for (const Row& row : rows) {
      ++offsets[row.s + 1];
      first.push_back(row.p);
      second.push_back(row.o);
    }
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  }
  // The rows of (key, p).
  std::pair<std::uint32_t, std::uint32_t> range(std::uint32_t key, std::uint32_t p) const {
    std::uint32_t begin = offsets[key];
    const std::uint32_t end = offsets[key + 1];
    while (begin < end && first[begin] < p) ++begin;
    std::uint32_t stop = begin;
    while (stop < end && first[stop] == p) ++stop;
    return {begin, stop};
  }
};

Contestant csr_contestant(const std::vector<Row>& rows) {
  auto spo = std::make_shared<Csr>();
  auto ops = std::make_shared<Csr>();
  std::uint32_t bound = 0;
  for (const Row& row : rows) bound = std::max({bound, row.s, row.o});
  spo->build(rows, bound);
  std::vector<Row> turned;
  for (const Row& row : rows) turned.push_back({row.o, row.p, row.s});
  ops->build(std::move(turned), bound);
  Contestant c;
  c.name = "columns";
  c.point = [spo](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const Row& q : queries.points) {
      auto [at, end] = spo->range(q.s, q.p);
      while (at < end && spo->second[at] < q.o) ++at;
      sum += at < end && spo->second[at] == q.o ? q.o : 1;
    }
    return sum;
  };
  c.subject = [spo](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const std::uint32_t s : queries.subjects) {
      for (std::uint32_t i = spo->offsets[s]; i < spo->offsets[s + 1]; ++i)
        sum += spo->first[i] ^ spo->second[i];
    }
    return sum;
  };
  c.subject_predicate = [spo](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [s, p] : queries.subject_predicates) {
      for (auto [at, end] = spo->range(s, p); at < end; ++at) sum += spo->second[at];
    }
    return sum;
  };
  c.predicate_object = [ops](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [p, o] : queries.predicate_objects) {
      for (auto [at, end] = ops->range(o, p); at < end; ++at) sum += ops->second[at];
    }
    return sum;
  };
  c.scan = [spo](const Queries&) {
    std::uint64_t sum = 0;
    for (std::uint32_t s = 0; s + 1 < spo->offsets.size(); ++s) {
      for (std::uint32_t i = spo->offsets[s]; i < spo->offsets[s + 1]; ++i) {
        sum += (s ^ spo->first[i]) + spo->second[i];
      }
    }
    return sum;
  };
  return c;
}

// --- LMDB

#ifdef ANIMA_HAVE_LMDB
struct Lmdb {
  MDB_env* env = nullptr;
  MDB_txn* txn = nullptr;
  MDB_dbi dbi[3] = {};
  MDB_cursor* cursor[3] = {};
  ~Lmdb() {
    for (MDB_cursor* c : cursor) {
      if (c != nullptr) mdb_cursor_close(c);
    }
    if (txn != nullptr) mdb_txn_abort(txn);
    if (env != nullptr) mdb_env_close(env);
  }
};

void pack(unsigned char* out, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t parts[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t big = __builtin_bswap32(parts[i]);
    std::memcpy(out + 4 * i, &big, 4);
  }
}
std::uint32_t unpack(const void* at, int part) {
  std::uint32_t big;
  std::memcpy(&big, static_cast<const char*>(at) + 4 * part, 4);
  return __builtin_bswap32(big);
}

Contestant lmdb_contestant(const std::vector<Row>& rows, const std::string& folder) {
  auto db = std::make_shared<Lmdb>();
  mdb_env_create(&db->env);
  mdb_env_set_maxdbs(db->env, 3);
  mdb_env_set_mapsize(db->env, std::size_t{1} << 30);
  if (mdb_env_open(db->env, folder.c_str(), MDB_NOSYNC, 0644) != 0) std::exit(1);
  mdb_txn_begin(db->env, nullptr, 0, &db->txn);
  const char* names[] = {"spo", "pos", "ops"};
  for (int k = 0; k < 3; ++k) {
    mdb_dbi_open(db->txn, names[k], MDB_CREATE, &db->dbi[k]);
    std::vector<Row> order;
    for (const Row& r : rows) {
      order.push_back(k == 0 ? r : k == 1 ? Row{r.p, r.o, r.s} : Row{r.o, r.p, r.s});
    }
    std::sort(order.begin(), order.end());
    for (const Row& r : order) {
      unsigned char key[12];
      pack(key, r.s, r.p, r.o);
      MDB_val k_val{12, key};
      MDB_val none{0, nullptr};
      mdb_put(db->txn, db->dbi[k], &k_val, &none, MDB_APPEND);
    }
  }
  mdb_txn_commit(db->txn);
  mdb_txn_begin(db->env, nullptr, MDB_RDONLY, &db->txn);
  for (int k = 0; k < 3; ++k) mdb_cursor_open(db->txn, db->dbi[k], &db->cursor[k]);
  const auto prefix = [db](int k, std::uint32_t a, std::uint32_t b, int parts, const auto& visit) {
    unsigned char key[12];
    pack(key, a, b, 0);
    MDB_val at{12, key};
    MDB_val value;
    for (int rc = mdb_cursor_get(db->cursor[k], &at, &value, MDB_SET_RANGE); rc == 0;
         rc = mdb_cursor_get(db->cursor[k], &at, &value, MDB_NEXT)) {
      if (std::memcmp(at.mv_data, key, static_cast<std::size_t>(4 * parts)) != 0) break;
      visit(at.mv_data);
    }
  };
  Contestant c;
  c.name = "LMDB";
  c.point = [db](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const Row& q : queries.points) {
      unsigned char key[12];
      pack(key, q.s, q.p, q.o);
      MDB_val at{12, key};
      MDB_val value;
      sum += mdb_get(db->txn, db->dbi[0], &at, &value) == 0 ? q.o : 1;
    }
    return sum;
  };
  c.subject = [prefix](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const std::uint32_t s : queries.subjects) {
      prefix(0, s, 0, 1, [&](const void* at) { sum += unpack(at, 1) ^ unpack(at, 2); });
    }
    return sum;
  };
  c.subject_predicate = [prefix](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [s, p] : queries.subject_predicates) {
      prefix(0, s, p, 2, [&](const void* at) { sum += unpack(at, 2); });
    }
    return sum;
  };
  c.predicate_object = [prefix](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [p, o] : queries.predicate_objects) {
      prefix(1, p, o, 2, [&](const void* at) { sum += unpack(at, 2); });
    }
    return sum;
  };
  c.scan = [prefix](const Queries&) {
    std::uint64_t sum = 0;
    prefix(0, 0, 0, 0,
           [&](const void* at) { sum += (unpack(at, 0) ^ unpack(at, 1)) + unpack(at, 2); });
    return sum;
  };
  return c;
}
#endif

// --- SQLite

struct Sqlite {
  sqlite3* db = nullptr;
  std::map<std::string, sqlite3_stmt*> statements;
  ~Sqlite() {
    for (const auto& [text, statement] : statements) sqlite3_finalize(statement);
    sqlite3_close(db);
  }
  sqlite3_stmt* prepare(const std::string& text) {
    sqlite3_stmt*& statement = statements[text];
    if (statement == nullptr &&
        sqlite3_prepare_v2(db, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      std::fprintf(stderr, "%s\n", sqlite3_errmsg(db));
      std::exit(1);
    }
    return statement;
  }
};

Contestant sqlite_contestant(const std::vector<Row>& rows, const std::string& file) {
  auto db = std::make_shared<Sqlite>();
  sqlite3_open(file.c_str(), &db->db);
  const auto run = [&](const char* text) { sqlite3_exec(db->db, text, nullptr, nullptr, nullptr); };
  run("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-1000000; PRAGMA "
      "mmap_size=1073741824");
  run("CREATE TABLE spo(s INT, p INT, o INT, PRIMARY KEY(s, p, o)) WITHOUT ROWID");
  run("CREATE TABLE pos(p INT, o INT, s INT, PRIMARY KEY(p, o, s)) WITHOUT ROWID");
  run("CREATE TABLE osp(o INT, s INT, p INT, PRIMARY KEY(o, s, p)) WITHOUT ROWID");
  run("BEGIN");
  const char* const inserts[] = {"INSERT INTO spo VALUES(?1, ?2, ?3)",
                                 "INSERT INTO pos VALUES(?2, ?3, ?1)",
                                 "INSERT INTO osp VALUES(?3, ?1, ?2)"};
  for (const char* text : inserts) {
    sqlite3_stmt* insert = db->prepare(text);
    for (const Row& row : rows) {
      sqlite3_bind_int64(insert, 1, row.s);
      sqlite3_bind_int64(insert, 2, row.p);
      sqlite3_bind_int64(insert, 3, row.o);
      sqlite3_step(insert);
      sqlite3_reset(insert);
    }
  }
  run("COMMIT; BEGIN");
  const auto ask = [db](const char* text, std::initializer_list<std::uint32_t> keys,
                        const auto& visit) {
    sqlite3_stmt* query = db->prepare(text);
    int place = 0;
    for (const std::uint32_t key : keys) sqlite3_bind_int64(query, ++place, key);
    while (sqlite3_step(query) == SQLITE_ROW) visit(query);
    sqlite3_reset(query);
  };
  const auto column = [](sqlite3_stmt* row, int at) {
    return static_cast<std::uint32_t>(sqlite3_column_int64(row, at));
  };
  Contestant c;
  c.name = "SQLite";
  c.point = [ask](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const Row& q : queries.points) {
      std::uint64_t found = 1;
      ask("SELECT 1 FROM spo WHERE s=? AND p=? AND o=?", {q.s, q.p, q.o},
          [&](sqlite3_stmt*) { found = q.o; });
      sum += found;
    }
    return sum;
  };
  c.subject = [ask, column](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const std::uint32_t s : queries.subjects) {
      ask("SELECT p, o FROM spo WHERE s=?", {s},
          [&](sqlite3_stmt* row) { sum += column(row, 0) ^ column(row, 1); });
    }
    return sum;
  };
  c.subject_predicate = [ask, column](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [s, p] : queries.subject_predicates) {
      ask("SELECT o FROM spo WHERE s=? AND p=?", {s, p},
          [&](sqlite3_stmt* row) { sum += column(row, 0); });
    }
    return sum;
  };
  c.predicate_object = [ask, column](const Queries& queries) {
    std::uint64_t sum = 0;
    for (const auto& [p, o] : queries.predicate_objects) {
      ask("SELECT s FROM pos WHERE p=? AND o=?", {p, o},
          [&](sqlite3_stmt* row) { sum += column(row, 0); });
    }
    return sum;
  };
  c.scan = [ask, column](const Queries&) {
    std::uint64_t sum = 0;
    ask("SELECT s, p, o FROM spo", {},
        [&](sqlite3_stmt* row) { sum += (column(row, 0) ^ column(row, 1)) + column(row, 2); });
    return sum;
  };
  return c;
}

// --- the race

struct World {
  std::shared_ptr<Space> space;
  std::vector<std::uint32_t> predicates;
  std::uint32_t first_entity = 0;
  std::vector<Row> rows;
};

World make_world(const std::string& folder) {
  World world;
  SpaceOptions options;
  options.create = true;
  options.checkpoint_after_rows = 0;
  world.space = must(Space::open(folder, options));
  must(world.space->write({}, [&](Transaction& t) -> Status {
    for (std::uint32_t i = 0; i < kPredicates; ++i) {
      ANIMA_ASSIGN(const EntityId id, t.upsert_predicate("predicate" + std::to_string(i)));
      world.predicates.push_back(static_cast<std::uint32_t>(id));
    }
    BulkWriter bulk(t, {});
    for (std::uint32_t i = 0; i < kEntities; ++i) {
      ANIMA_ASSIGN(const EntityId id,
                   bulk.upsert_concept(kEntityType, "entity" + std::to_string(i)));
      if (i == 0) world.first_entity = static_cast<std::uint32_t>(id);
    }
    return bulk.finish();
  }));
  world.rows = random_triples(1, kTriples, world.first_entity, world.predicates, nullptr);
  const double start = bench::wall_seconds();
  must(world.space->write({}, [&](Transaction& t) -> Status {
    BulkWriter bulk(t, {});
    for (const Row& row : world.rows) bulk.add({static_cast<EntityId>(row.s), {row.p}, {row.o}});
    return bulk.finish();
  }));
  std::printf("bulk of %u triples, durable: %.3f s\n", kTriples, bench::wall_seconds() - start);
  const double checkpoint = bench::wall_seconds();
  must(world.space->checkpoint());
  std::printf("checkpoint: %.3f s\n", bench::wall_seconds() - checkpoint);
  return world;
}

void race(std::vector<Contestant> contestants, const Queries& queries) {
  struct Discipline {
    const char* name;
    std::function<std::uint64_t(const Queries&)> Contestant::*work;
    std::uint32_t queries;
  };
  const Discipline disciplines[] = {
      {"point (3 of 4 there)", &Contestant::point, kQueries},
      {"prefix s: all links", &Contestant::subject, kQueries},
      {"prefix sp: objects", &Contestant::subject_predicate, kQueries},
      {"prefix po: subjects", &Contestant::predicate_object, kQueries},
      {"scan, a row", &Contestant::scan, kTriples}};
  std::printf("%-22s", "ns a query");
  for (const Contestant& c : contestants) std::printf(" %22s", c.name.c_str());
  std::printf("\n");
  for (const Discipline& discipline : disciplines) {
    std::printf("%-22s", discipline.name);
    std::uint64_t sum = 0;
    bool equal = true;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const Measured m =
          measure(discipline.queries, [&] { return (contestants[i].*discipline.work)(queries); });
      std::printf("  %8.1f (%5.1f-%5.1f)", m.nanoseconds, m.least, m.most);
      std::fflush(stdout);
      if (i == 0) sum = m.sum;
      equal = equal && m.sum == sum;
    }
    std::printf("  %s\n", equal ? "sums equal" : "SUMS DIFFER");
  }
}

void lookup(const World& world) {
  TemporaryDirectory peers("anima-bench");
  std::vector<Contestant> contestants;
  contestants.push_back(csr_contestant(world.rows));
  contestants.push_back(store_contestant("anima", world.space->snapshot().value()));
#ifdef ANIMA_HAVE_LMDB
  contestants.push_back(lmdb_contestant(world.rows, peers.path()));
#endif
  contestants.push_back(sqlite_contestant(world.rows, peers.file("peer.sqlite")));
  std::printf("\n%u triples, checkpointed\n", kTriples);
  race(std::move(contestants), make_queries(world.rows, 7));
}

void lookup_with_delta(World& world) {
  for (const std::uint32_t part : {100u, 10u}) {
    std::vector<Row> more =
        random_triples(part, kTriples / part, world.first_entity, world.predicates, &world.rows);
    must(world.space->write({}, [&](Transaction& t) -> Status {
      for (const Row& row : more) {
        ANIMA_TRY(t.assert_link({static_cast<EntityId>(row.s), {row.p}, {row.o}}));
      }
      return {};
    }));
    std::vector<Row> all = world.rows;
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    std::vector<Contestant> contestants;
    contestants.push_back(csr_contestant(all));
    contestants.push_back(store_contestant("anima", world.space->snapshot().value()));
    std::printf("\n%u triples, %u of them in the delta\n", static_cast<unsigned>(all.size()),
                static_cast<unsigned>(all.size()) - kTriples);
    race(std::move(contestants), make_queries(all, 9));
    world.rows = std::move(all);
  }
}

// Every row in an order that the reader asked for: what a merge join and an export read.
double ordered_scan_seconds(const Snapshot& now, Order order) {
  constexpr int kRounds = 5;
  std::vector<double> taken;
  std::vector<Triple> batch(1024);
  for (int round = 0; round < kRounds; ++round) {
    const double start = bench::wall_seconds();
    std::uint64_t rows = 0;
    Cursor cursor = now.scan({}, order);
    while (const std::size_t got = cursor.next(batch)) rows += got;
    taken.push_back(bench::wall_seconds() - start);
    if (rows == 0) std::exit(1);
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

// Rows of the base go, as many neighbours come, with 1 %, 5 % and 20 % of the base changed.
void scan_of_changed(World& world) {
  constexpr Order kOrders[] = {Order::kSubjectPredicateObject, Order::kPredicateObjectSubject,
                               Order::kObjectPredicateSubject};
  std::vector<double> before;
  for (const Order order : kOrders)
    before.push_back(ordered_scan_seconds(world.space->snapshot().value(), order));
  std::printf("\nordered scan of %u triples: spo %.1f ms, pos %.1f ms, ops %.1f ms\n", kTriples,
              before[0] * 1e3, before[1] * 1e3, before[2] * 1e3);
  std::vector<Row> rows = world.rows;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.p, a.o, a.s) < std::tie(b.p, b.o, b.s);
  });
  std::size_t gone = 0;
  for (const std::uint32_t percent : {1u, 5u, 20u}) {
    const std::size_t until = std::size_t{kTriples} * percent / 100;
    must(world.space->write({}, [&](Transaction& t) -> Status {
      for (; gone < until; ++gone) {
        const Row& row = rows[gone];
        const Triple old{static_cast<EntityId>(row.s), {row.p}, {row.o}};
        ANIMA_TRY(t.retract_link(old, GraphId::kDefault));
        const std::uint32_t next =
            world.first_entity + (row.o - world.first_entity + 1) % kEntities;
        ANIMA_TRY(t.assert_link({old.subject, old.predicate, {next}}));
      }
      return {};
    }));
    const Snapshot now = world.space->snapshot().value();
    std::printf("%2u %% changed:", percent);
    for (std::size_t i = 0; i < std::size(kOrders); ++i) {
      const double taken = ordered_scan_seconds(now, kOrders[i]);
      std::printf(" %.1f ms (%.2fx)", taken * 1e3, taken / before[i]);
    }
    std::printf("\n");
  }
}

constexpr char kOpenOnce[] = "open-once";

void opening(const std::string& folder) {
  {
    SpaceOptions options;
    options.checkpoint_after_rows = 0;
    const auto space = must(Space::open(folder, options));
    must(space->checkpoint());
    for (int i = 0; i < 10'000; ++i) {
      must(space->write({}, [&](Transaction& t) -> Status {
        ANIMA_TRY(t.upsert_concept(kEntityType, "later" + std::to_string(i)));
        return {};
      }));
    }
  }
  const std::string command = "'" + std::filesystem::read_symlink("/proc/self/exe").string() +
                              "' " + kOpenOnce + " '" + folder + "'";
  std::vector<double> opened;
  std::vector<double> whole;
  for (int round = 0; round < 9; ++round) {
    const double start = bench::wall_seconds();
    double milliseconds = 0;
    FILE* child = popen(command.c_str(), "r");
    if (child == nullptr || std::fscanf(child, "%lf", &milliseconds) != 1 || pclose(child) != 0) {
      std::fprintf(stderr, "the process that opens the space failed\n");
      std::exit(1);
    }
    opened.push_back(milliseconds);
    whole.push_back((bench::wall_seconds() - start) * 1e3);
  }
  std::sort(opened.begin(), opened.end());
  std::sort(whole.begin(), whole.end());
  std::printf(
      "\nopen in a fresh process, tail of 10,000 entries, checksums verified: %.1f ms (%.1f-%.1f); "
      "the process from its start to its end: %.1f ms\n",
      opened[opened.size() / 2], opened.front(), opened.back(), whole[whole.size() / 2]);
}

// What a fresh process does: opens the space, takes a snapshot, reads one fact of the base and one
// of the tail.
int open_once(const std::string& folder) {
  SpaceOptions options;
  options.checkpoint_after_rows = 0;
  const double start = bench::wall_seconds();
  const auto space = must(Space::open(folder, options));
  const Snapshot now = space->snapshot().value();
  const bool found = now.find_concept(kEntityType, "entity77").has_value() &&
                     now.find_concept(kEntityType, "later9999").has_value();
  std::printf("%.3f\n", (bench::wall_seconds() - start) * 1e3);
  return found ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.size() == 2 && wanted[0] == kOpenOnce) return open_once(wanted[1]);
  const auto asked = [&](const char* what) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), what) != wanted.end();
  };
  TemporaryDirectory folder("anima-bench");
  const std::string path = folder.file("space");
  {
    World world = make_world(path);
    const SpaceStats stats = world.space->stats();
    std::printf("base %.1f MB, heap %.1f MB: %.1f bytes a triple\n",
                static_cast<double>(stats.base_bytes) / 1e6,
                static_cast<double>(stats.heap_bytes) / 1e6,
                static_cast<double>(stats.base_bytes + stats.heap_bytes) / kTriples);
    if (asked("lookup")) lookup(world);
    if (asked("lookup") || asked("delta")) lookup_with_delta(world);
  }
  if (asked("changed")) {
    TemporaryDirectory other("anima-bench");
    World world = make_world(other.file("space"));
    scan_of_changed(world);
  }
  if (asked("open")) opening(path);
  return 0;
}
