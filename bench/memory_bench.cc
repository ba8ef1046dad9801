// Recall over conversations of many turns: how fast turns come in, how fast a question is answered
// with a packed prompt, how much memory a turn takes; and a plain SQLite FTS5 table over the same
// turns in the same run, with what it finds and how long it takes.
//
//   memory_bench [TURNS] [QUESTIONS] [DIMENSIONS]      100,000, 400 and 0 when nothing is said
//
// Conversations of two are generated: sessions of 12 to 30 turns about one thing out of many, words
// by Zipf's law. There are three kinds of questions. `words` asks with words of the turn that
// answers; `reply` with words of the turn before it; `month` for what a person said of a thing in a
// month. The recall is the mean share of a question's evidence that stands in the prompt. FTS5 is
// asked twice, with all words of the question and without stop words, and fills the same prompt; of
// many turns it is asked only the first questions.
//
// With DIMENSIONS every turn gets a vector of that length, a sum of directions that its words have,
// and recall compares these, too. The time of a real server of embeddings comes on top.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/files/file.h"
#include "base/random.h"
#include "bus/event_bus.h"
#include "govern/ledger/ledger.h"
#include "measure.h"
#include "memory/ingest.h"
#include "memory/memory_manager.h"
#include "memory/recall/detail/languages.h"
#include "memory/recall/detail/terms.h"
#include "memory/recall/detail/text_access.h"
#include "memory/recall/recall_context.h"
#include "memory/recall/text_vectors.h"
#include "store/space.h"

namespace {

namespace memory = anima::memory;
namespace store = anima::store;
using anima::bench::must;
using anima::bench::process_seconds;
using anima::bench::thread_seconds;
using anima::bench::wall_seconds;

constexpr std::size_t kBudget = 2000;  // tokens
constexpr std::size_t kWords = 40'000;
constexpr std::size_t kThings = 20'000;
constexpr std::size_t kSpeakers = 40;
// FTS5 takes seconds for a question of common words among a million turns: it is asked fewer.
constexpr std::size_t kFts5Work = 20'000'000;  // questions times turns

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

enum class Kind : std::uint8_t { kWords, kReply, kMonth };
constexpr std::size_t kKinds = 3;
constexpr const char* kKindNames[kKinds] = {"words", "reply", "month"};

struct Question {
  Kind kind = Kind::kWords;
  std::string text;
  std::vector<std::size_t> evidence;  // turns
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
    std::int64_t day = 15'000;
    for (std::size_t session = 0; talk.turns.size() < turns; ++session) {
      day += session % 3 == 0 ? 1 : 0;
      const std::size_t wanted = talk.turns.size() * questions / turns + 1;
      const std::size_t length = std::min(12 + random_.below(19), turns - talk.turns.size());
      const std::size_t first = talk.turns.size();
      add_session(talk, session, day, length);
      if (talk.questions.size() < std::min(wanted, questions) && length > 4)
        ask(talk, first, length);
    }
    return talk;
  }

 private:
  static std::string name(std::size_t number) {
    std::string word = word_of(7'000'000 + number);
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    return word;
  }
  void add_session(Talk& talk, std::size_t session, std::int64_t day, std::size_t length) {
    speakers_ = {name(random_.below(kSpeakers)), name(random_.below(kSpeakers))};
    thing_ = word_of(kWords * 9 + random_.below(kThings));
    rare_.clear();
    for (std::size_t i = 0; i < length; ++i) {
      memory::Turn turn;
      turn.session = "s" + std::to_string(session);
      turn.id = std::to_string(i);
      turn.speaker = speakers_[i % 2];
      turn.time = anima::Timestamp{day * anima::kMicrosecondsPerDay};
      rare_.push_back(word_of(kWords + random_.below(kThings * 4)));
      turn.text = sentence(12) + (i % 3 == 0 ? " about the " + thing_ : "") + " and the " +
                  rare_.back() + ".";
      talk.turns.push_back(std::move(turn));
    }
  }

  // Of the session that was added last.
  void ask(Talk& talk, std::size_t first, std::size_t length) {
    Question question;
    question.kind = static_cast<Kind>(talk.questions.size() % kKinds);
    const std::size_t at = 1 + random_.below(length - 2);
    switch (question.kind) {
      case Kind::kWords:
        question.text = "What did " + speakers_[at % 2] + " say of the " + rare_[at] + " and " +
                        thing_ + " " + sentence(2) + "?";
        question.evidence = {first + at};
        break;
      case Kind::kReply:
        question.text =
            "What was the answer about the " + rare_[at - 1] + " and " + sentence(2) + "?";
        question.evidence = {first + at};
        break;
      case Kind::kMonth: {
        question.text = "What did " + speakers_[0] + " say of the " + thing_ + " in " +
                        month_of(*talk.turns[first].time) + "?";
        for (std::size_t i = 0; i < length; i += 6) question.evidence.push_back(first + i);
        break;
      }
    }
    talk.questions.push_back(std::move(question));
  }

  static std::string month_of(anima::Timestamp time) {
    constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                       "May",       "June",     "July",     "August",
                                       "September", "October",  "November", "December"};
    const std::string text = anima::format_timestamp(time);  // "2011-01-26T.."
    return std::string(kMonths[std::stoul(text.substr(5, 2)) - 1]) + " " + text.substr(0, 4);
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
  std::array<std::string, 2> speakers_;  // of the session
  std::string thing_;
  std::vector<std::string> rare_;  // by turn
};

struct Times {
  std::vector<double> all;  // milliseconds
  double at(double share) {
    std::ranges::sort(all);
    return all.empty() ? 0
                       : all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
  }
};

// What was asked of one engine: how long it took, how much it found.
class Score {
 public:
  void begin() {
    wall_begin_ = wall_seconds();
    cpu_begin_ = thread_seconds();
  }
  void end(const Question& question, std::size_t found) {
    cpu_.all.push_back((thread_seconds() - cpu_begin_) * 1e3);
    wall_.all.push_back((wall_seconds() - wall_begin_) * 1e3);
    const auto kind = static_cast<std::size_t>(question.kind);
    recall_[kind] += static_cast<double>(found) / static_cast<double>(question.evidence.size());
    ++asked_[kind];
  }
  void print(const char* what) {
    double all = 0, questions = 0;
    for (std::size_t i = 0; i < kKinds; ++i) {
      all += recall_[i];
      questions += asked_[i];
    }
    std::printf("%-22s %.0f questions: recall %.3f (", what, questions, all / questions);
    for (std::size_t i = 0; i < kKinds; ++i)
      std::printf("%s%s %.3f", i == 0 ? "" : ", ", kKindNames[i], recall_[i] / asked_[i]);
    std::printf(")\n%-22s p50 %.2f ms, p95 %.2f, p99 %.2f; of the processor %.2f, %.2f, %.2f\n", "",
                wall_.at(0.5), wall_.at(0.95), wall_.at(0.99), cpu_.at(0.5), cpu_.at(0.95),
                cpu_.at(0.99));
    std::fflush(stdout);
  }

 private:
  double wall_begin_ = 0, cpu_begin_ = 0;
  Times wall_, cpu_;
  std::array<double, kKinds> recall_{}, asked_{};
};

// A made embedding: each word has a direction of its own.
class WordDirections {
 public:
  explicit WordDirections(std::size_t dimensions) : dimensions_(dimensions) {}

  std::vector<float> of(std::string_view text) const {
    std::vector<float> sum(dimensions_);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = text.find_first_not_of(" .:?", at);
      if (begin == text.npos) break;
      at = std::min(text.find_first_of(" .:?", begin), text.size());
      std::uint64_t state = anima::checksum64(text.substr(begin, at - begin));
      const auto weight = static_cast<float>(at - begin);  // what is longer is rarer
      for (float& value : sum) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        value += (state >> 63 != 0 ? weight : -weight);
      }
    }
    return sum;
  }

 private:
  std::size_t dimensions_;
};

class Ours {
 public:
  explicit Ours(const std::string& folder)
      : space_(must(store::Space::open(folder, {.create = true}))),
        guardian_(must(anima::govern::PatternSet::shipped())),
        ledger_(*space_, clock_, random_),
        memory_(*space_, ledger_, guardian_, events_, clock_, random_) {}

  void ingest(const Talk& talk) {
    memory::IngestOptions options;
    options.origin.trust = store::Trust::kStandard;
    options.origin.source = "bench";
    follow();
    double following = 0, following_cpu = 0;
    options.progress = [&](std::size_t, std::size_t) {
      const double begin = wall_seconds(), begin_cpu = thread_seconds();
      follow();
      following += wall_seconds() - begin;
      following_cpu += thread_seconds() - begin_cpu;
      return true;
    };
    const double begin = wall_seconds(), begin_cpu = process_seconds();
    const double begin_thread = thread_seconds();
    const auto report =
        must(memory::ingest_turns(memory_, *space_, guardian_, talk.turns, options));
    const double took = wall_seconds() - begin, cpu = process_seconds() - begin_cpu;
    const double thread = thread_seconds() - begin_thread;
    const auto turns = static_cast<double>(talk.turns.size());
    std::printf(
        "ingest                 %.0f turns/s durable with the window view (%.1f s, the view "
        "%.1f), %zu left out\n",
        turns / took, took, following, talk.turns.size() - report.turns);
    std::printf(
        "  by the processor     %.0f turns/s of the thread that ingests (%.1f s, the view "
        "%.1f), %.0f with the bases that are made in the background (%.1f s)\n",
        turns / thread, thread, following_cpu, turns / cpu, cpu);
    std::printf("memory                 %.0f bytes a turn in the view, %.0f in the log\n",
                static_cast<double>(view_bytes()) / turns,
                static_cast<double>(space_->stats().log_bytes) / turns);
    std::fflush(stdout);
  }

  void ask(const Talk& talk, const char* what) {
    Score score;
    for (const Question& question : talk.questions) {
      score.begin();
      const auto now = must(space_->snapshot());
      const auto context =
          must(memory::recall_context(memory_, now, question.text, {.budget_tokens = kBudget}));
      std::set<std::string> in;
      for (const memory::ContextItem& item : context.items) in.insert(item.id);
      const auto found = std::ranges::count_if(question.evidence, [&](std::size_t turn) {
        return in.contains(talk.turns[turn].session + "#" + talk.turns[turn].id);
      });
      score.end(question, static_cast<std::size_t>(found));
    }
    score.print(what);
  }

  void embed(const Talk& talk, std::size_t dimensions) {
    const WordDirections directions(dimensions);
    const memory::Embed embed = [&](std::span<const std::string> texts, const std::stop_token&) {
      std::vector<std::vector<float>> vectors;
      for (const std::string& text : texts) vectors.push_back(directions.of(text));
      return anima::Result<std::vector<std::vector<float>>>(std::move(vectors));
    };
    const auto vectors = std::make_shared<memory::TextVectors>(memory::TextVectorsParts{
        anima::system_files(), clock_, space_->folder(), "directions", embed, embed});
    const double begin = wall_seconds(), begin_cpu = process_seconds();
    const double before = resident_bytes();
    const auto report = must(vectors->embed(memory_, *space_, {}));
    const auto texts = static_cast<double>(report.texts);
    std::printf(
        "vectors                %zu of %zu numbers: %.1f s, %.1f of the processor; %.0f "
        "bytes a turn resident\n",
        report.embedded, dimensions, wall_seconds() - begin, process_seconds() - begin_cpu,
        (resident_bytes() - before) / texts);
    memory_.use_vectors(vectors);
    ask(talk, "anima with vectors");
    memory_.use_vectors(nullptr);
  }

 private:
  void follow() {
    const auto now = must(space_->snapshot());
    must(memory_.recall(now, [](memory::detail::TextAccess&) { return anima::Status(); }));
  }
  static double resident_bytes() {
    std::ifstream in("/proc/self/statm");
    double all = 0, resident = 0;
    in >> all >> resident;
    return resident * 4096;
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
    std::printf("fts5                   %.0f turns/s (%.1f s)\n",
                static_cast<double>(talk.turns.size()) / took, took);
    ask(talk, "fts5, every word", false);
    ask(talk, "fts5, no stop words", true);
  }

 private:
  void ask(const Talk& talk, const char* what, bool drops_stop_words) {
    sqlite3_stmt* select = prepare(
        "SELECT rowid, speaker, text FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT "
        "500");
    Score score;
    const std::size_t most = std::max(4 * kKinds, kFts5Work / talk.turns.size());
    for (std::size_t i = 0; i < std::min(most, talk.questions.size()); ++i) {
      const Question& question = talk.questions[i];
      score.begin();
      bind(select, 1, match_of(question.text, drops_stop_words));
      std::string prompt;
      std::size_t found = 0;
      while (sqlite3_step(select) == SQLITE_ROW) {
        const std::string line = column(select, 1) + ": " + column(select, 2) + "\n";
        if (prompt.size() + line.size() > kBudget * 4) continue;
        prompt += line;
        const auto turn = static_cast<std::size_t>(sqlite3_column_int64(select, 0));
        found += std::ranges::find(question.evidence, turn) != question.evidence.end() ? 1U : 0U;
      }
      sqlite3_reset(select);
      score.end(question, found);
    }
    sqlite3_finalize(select);
    score.print(what);
  }

  // "a" OR "b": the words without what FTS5 takes for syntax.
  static std::string match_of(const std::string& question, bool drops_stop_words) {
    std::string match;
    for (const memory::detail::TermWord& word :
         memory::detail::split_terms(question, anima::language::TermUse::kWords)) {
      if (drops_stop_words &&
          memory::detail::is_stop_word(anima::language::Language::kEnglish, word.text))
        continue;
      match += (match.empty() ? "\"" : " OR \"") + word.text + "\"";
    }
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
  const std::size_t dimensions = argument(count, values, 3, 0);
  if (turns == 0 || questions < kKinds) return 2;
  const auto folder =
      std::filesystem::temp_directory_path() / ("anima_memory_bench_" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const Talk talk = Talker(7).talk(turns, questions);
  std::printf("%zu turns, %zu questions, prompts of %zu tokens\n", talk.turns.size(),
              talk.questions.size(), kBudget);
  {
    Ours ours((folder / "space").string());
    ours.ingest(talk);
    ours.ask(talk, "anima");
    if (dimensions > 0) ours.embed(talk, dimensions);
  }
  {
    Fts5 fts5((folder / "fts5.db").string());
    fts5.run(talk);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
