// Recall over conversations of many turns: how fast turns come in, how fast a question is answered
// with a packed prompt, how much memory a turn takes; and a plain SQLite FTS5 table over the same
// turns in the same run, with what it finds and how long it takes.
//
//   memory_bench [TURNS] [QUESTIONS]      100,000 and 400 when nothing is said
//
// A conversation of two is generated: sessions of 12 to 30 turns about a few things out of many,
// words by Zipf's law. A question asks, in other words, for what one turn said; the share of these
// turns in the prompt is the recall.
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/ledger/ledger.h"
#include "measure.h"
#include "memory/ingest.h"
#include "memory/memory_manager.h"
#include "memory/recall/detail/text_access.h"
#include "memory/recall/recall_context.h"
#include "store/space.h"

namespace {

namespace memory = anima::memory;
namespace store = anima::store;
using anima::bench::must;
using anima::bench::process_seconds;
using anima::bench::wall_seconds;

constexpr std::size_t kBudget = 2000;  // tokens
constexpr std::size_t kWords = 40'000;
constexpr std::size_t kThings = 20'000;
constexpr std::size_t kSpeakers = 40;

// A word that can be spoken: syllables of its number.
std::string word_of(std::size_t number) {
  static constexpr const char* kConsonants[] = {"b", "d", "f", "g", "k", "l", "m",
                                                "n", "p", "r", "s", "t", "v", "z"};
  static constexpr const char* kVowels[] = {"a", "e", "i", "o", "u"};
  std::string word;
  std::size_t rest = number + 70;
  while (rest > 0) {
    word += kConsonants[rest % 14];
    rest /= 14;
    word += kVowels[rest % 5];
    rest /= 5;
  }
  return word + "l";
}

struct Question {
  std::string text;
  std::string evidence;  // the event's name
  std::size_t turn = 0;
};

struct Talk {
  std::vector<memory::Turn> turns;
  std::vector<Question> questions;
};

class Talker {
 public:
  explicit Talker(std::uint64_t seed) : random_(seed) {
    double sum = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      sum += 1.0 / static_cast<double>(i + 10);
      cumulated_.push_back(sum);
    }
  }

  Talk talk(std::size_t turns, std::size_t questions) {
    Talk talk;
    const std::size_t every = std::max<std::size_t>(1, turns / questions);
    std::int64_t day = 15'000;
    for (std::size_t session = 0; talk.turns.size() < turns; ++session) {
      day += session % 3 == 0 ? 1 : 0;
      const std::size_t a = random_.below(kSpeakers), b = random_.below(kSpeakers);
      const std::size_t thing = random_.below(kThings);
      const std::size_t length = 12 + random_.below(19);
      for (std::size_t i = 0; i < length && talk.turns.size() < turns; ++i) {
        memory::Turn turn;
        turn.session = "s" + std::to_string(session);
        turn.id = std::to_string(i);
        turn.speaker = name(i % 2 == 0 ? a : b);
        turn.time = anima::Timestamp{day * anima::kMicrosecondsPerDay};
        const std::string rare = word_of(kWords + random_.below(kThings * 4));
        turn.text = sentence(12) + (i % 3 == 0 ? " about the " + word_of(kWords * 9 + thing) : "") +
                    " and the " + rare + ".";
        if (talk.turns.size() % every == 0 && talk.questions.size() < questions) {
          talk.questions.push_back({"What did " + turn.speaker + " say of the " + rare + " and " +
                                        word_of(kWords * 9 + thing) + " " + sentence(2) + "?",
                                    turn.session + "#" + turn.id, talk.turns.size()});
        }
        talk.turns.push_back(std::move(turn));
      }
    }
    return talk;
  }

 private:
  static std::string name(std::size_t number) {
    std::string word = word_of(7'000'000 + number);
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    return word;
  }
  std::string sentence(std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) {
      const double at = random_.uniform() * cumulated_.back();
      const auto found = std::ranges::lower_bound(cumulated_, at);
      if (!text.empty()) text += i % 4 == 3 ? " the " : " ";
      text += word_of(static_cast<std::size_t>(found - cumulated_.begin()));
    }
    return text;
  }

  anima::SeededRandom random_;
  std::vector<double> cumulated_;
};

struct Times {
  std::vector<double> all;  // milliseconds
  double at(double share) {
    std::ranges::sort(all);
    return all.empty() ? 0
                       : all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  }
};

void print_times(const char* what, Times times, std::size_t hits, std::size_t questions) {
  std::printf("%-10s recall %.3f   p50 %.2f ms   p95 %.2f ms   p99 %.2f ms\n", what,
              static_cast<double>(hits) / static_cast<double>(questions), times.at(0.5),
              times.at(0.95), times.at(0.99));
}

class Ours {
 public:
  explicit Ours(const std::string& folder)
      : space_(must(store::Space::open(folder, {.create = true}))),
        guardian_(must(anima::govern::PatternSet::shipped())),
        ledger_(*space_, clock_, random_),
        memory_(*space_, ledger_, guardian_, events_, clock_, random_) {}

  void run(const Talk& talk) {
    memory::IngestOptions options;
    options.origin.trust = store::Trust::kStandard;
    options.origin.source = "bench";
    follow();
    double following = 0;
    options.progress = [&](std::size_t, std::size_t) {
      const double begin = wall_seconds();
      follow();
      following += wall_seconds() - begin;
      return true;
    };
    const double begin = wall_seconds(), begin_cpu = process_seconds();
    const auto report =
        must(memory::ingest_turns(memory_, *space_, guardian_, talk.turns, options));
    const double took = wall_seconds() - begin;
    const auto turns = static_cast<double>(talk.turns.size());
    std::printf(
        "ingest     %.0f turns/s durable with the window view (%.1f s, view %.1f s, cpu %.1f s), "
        "%zu left out\n",
        turns / took, took, following, process_seconds() - begin_cpu,
        talk.turns.size() - report.turns);
    std::printf("memory     %.0f bytes a turn in the view, %.0f in the log\n",
                static_cast<double>(view_bytes()) / turns,
                static_cast<double>(space_->stats().log_bytes) / turns);
    Times times;
    std::size_t hits = 0;
    for (const Question& question : talk.questions) {
      const double start = wall_seconds();
      const auto now = must(space_->snapshot());
      const auto context =
          must(memory::recall_context(memory_, now, question.text, {.budget_tokens = kBudget}));
      times.all.push_back((wall_seconds() - start) * 1e3);
      hits += std::ranges::any_of(context.items, [&](const memory::ContextItem& item) {
        return item.id == question.evidence;
      });
    }
    print_times("anima", times, hits, talk.questions.size());
  }

 private:
  void follow() {
    const auto now = must(space_->snapshot());
    must(memory_.recall(now, [](memory::detail::TextAccess&) { return anima::Status(); }));
  }
  std::size_t view_bytes() {
    std::size_t bytes = 0;
    const auto now = must(space_->snapshot());
    must(memory_.recall(now, [&](memory::detail::TextAccess& access) {
      bytes = access.view.heap_bytes();
      return anima::Status();
    }));
    return bytes;
  }

  anima::SystemClock clock_;
  anima::SeededRandom random_{1};
  std::shared_ptr<store::Space> space_;
  anima::bus::EventBus events_;
  anima::govern::Guardian guardian_;
  anima::govern::Ledger ledger_;
  memory::MemoryManager memory_;
};

// One row a turn, "Name: text", by its bm25(), filled into the same budget.
class Fts5 {
 public:
  explicit Fts5(const std::string& file) {
    check(sqlite3_open(file.c_str(), &db_));
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run("CREATE VIRTUAL TABLE turns USING fts5(speaker, text, tokenize='porter unicode61')");
  }
  ~Fts5() { sqlite3_close(db_); }
  Fts5(const Fts5&) = delete;
  Fts5& operator=(const Fts5&) = delete;

  void run(const Talk& talk) {
    const double begin = wall_seconds();
    sqlite3_stmt* insert = prepare("INSERT INTO turns(rowid, speaker, text) VALUES(?,?,?)");
    for (std::size_t i = 0; i < talk.turns.size(); ++i) {
      if (i % 4000 == 0) run(i == 0 ? "BEGIN" : "COMMIT; BEGIN");
      sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(i));
      bind(insert, 2, talk.turns[i].speaker);
      bind(insert, 3, talk.turns[i].text);
      if (sqlite3_step(insert) != SQLITE_DONE) check(SQLITE_ERROR);
      sqlite3_reset(insert);
    }
    run("COMMIT");
    sqlite3_finalize(insert);
    const double took = wall_seconds() - begin;
    std::printf("fts5       %.0f turns/s (%.1f s)\n", static_cast<double>(talk.turns.size()) / took,
                took);
    ask(talk);
  }

 private:
  void ask(const Talk& talk) {
    sqlite3_stmt* select = prepare(
        "SELECT rowid, speaker, text FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT "
        "500");
    Times times;
    std::size_t hits = 0;
    for (const Question& question : talk.questions) {
      const double start = wall_seconds();
      bind(select, 1, match_of(question.text));
      std::string prompt;
      bool hit = false;
      while (sqlite3_step(select) == SQLITE_ROW) {
        const std::string line = column(select, 1) + ": " + column(select, 2) + "\n";
        if (prompt.size() + line.size() > kBudget * 4) continue;
        prompt += line;
        hit = hit || static_cast<std::size_t>(sqlite3_column_int64(select, 0)) == question.turn;
      }
      sqlite3_reset(select);
      times.all.push_back((wall_seconds() - start) * 1e3);
      hits += hit ? 1 : 0;
    }
    sqlite3_finalize(select);
    print_times("fts5", times, hits, talk.questions.size());
  }

  // "a" OR "b": the words without what FTS5 takes for syntax.
  static std::string match_of(const std::string& question) {
    std::string match, word;
    const auto end = [&] {
      if (!word.empty()) match += (match.empty() ? "\"" : " OR \"") + word + "\"";
      word.clear();
    };
    for (const char c : question) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (letter) {
        word += c;
      } else {
        end();
      }
    }
    end();
    return match;
  }

  void run(const char* text) { check(sqlite3_exec(db_, text, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* prepare(const char* text) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(db_, text, -1, &statement, nullptr));
    return statement;
  }
  static void bind(sqlite3_stmt* statement, int at, const std::string& text) {
    sqlite3_bind_text(statement, at, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  static std::string column(sqlite3_stmt* statement, int at) {
    return reinterpret_cast<const char*>(sqlite3_column_text(statement, at));
  }
  void check(int code) {
    if (code == SQLITE_OK) return;
    std::fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db_));
    std::exit(1);
  }

  sqlite3* db_ = nullptr;
};

std::size_t argument(int count, char** values, int at, std::size_t otherwise) {
  return count > at ? static_cast<std::size_t>(std::strtoull(values[at], nullptr, 10)) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  const std::size_t turns = argument(count, values, 1, 100'000);
  const std::size_t questions = argument(count, values, 2, 400);
  if (turns == 0 || questions == 0) return 2;
  const auto folder = std::filesystem::temp_directory_path() / "anima_memory_bench";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Talk talk = Talker(7).talk(turns, questions);
  std::printf("%zu turns, %zu questions, prompts of %zu tokens\n", talk.turns.size(),
              talk.questions.size(), kBudget);
  {
    Ours ours((folder / "space").string());
    ours.run(talk);
  }
  {
    Fts5 fts5((folder / "fts5.db").string());
    fts5.run(talk);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
