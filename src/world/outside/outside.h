// What comes into a world from outside: answers of language models, pages of the web. All else
// follows from the seed, so these are kept, each with its question, and a world that goes on or is
// run again gets the same answers to the same questions.
//
// The file outside.jsonl has one JSON object a line: {"tick", "kind", "question", "answer"}; the
// question is a SHA-256. When a cycle ends, the world keeps how long the file was. What lies behind
// that belongs to a cycle that was cut: it is answered first, in its order, and nobody is asked
// twice. A question that differs from the kept one ends that: the rest is cut off, and the world
// outside is asked. A recording that is played (`replay`) is held to instead: nobody is asked, and
// a question that it does not have is an error. Thread-safety: one thread at a time.
// Complexity: O(answer) a call; opening reads what is to be played.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/files/file.h"
#include "base/json/json.h"

namespace anima::world {

inline constexpr std::string_view kOutsideFile = "outside.jsonl";

struct OutsideOptions {
  std::string folder;          // of the world
  std::uint64_t position = 0;  // how long the file was when the last cycle ended
  std::uint64_t tick = 0;      // the first that is to come
  // A recording to be played, from that tick on.
  std::optional<std::string> replay = {};
};

class Outside {
 public:
  // Errors: kCorrupt (the file is shorter than `position`; a line that is no record), those of
  // files.
  static Result<std::unique_ptr<Outside>> open(FileSystem& files, OutsideOptions options);

  struct Question {
    std::string_view kind;
    std::uint64_t tick = 0;
    Digest digest{};
  };
  // The kept answer, else that of `ask`, which is kept. An error of `ask` is not kept. Errors:
  // those of `ask`; of a replay kConflict (it has another question here) and kNotFound (it is at
  // its end); those of files.
  Result<Json> answer(const Question& question, const std::function<Result<Json>()>& ask);

  std::uint64_t position() const { return position_; }
  Status sync();
  // Whether a recording is played that has nothing of that kind, from its beginning to its end.
  bool plays_without(std::string_view kind) const {
    return replay_.has_value() && !kinds_.contains(kind);
  }

 private:
  struct Kept {
    std::uint64_t tick = 0;
    std::string kind;
    std::string question;  // in hexadecimal digits
    Json answer;
    std::string line;  // as it is in the file, with its end
  };

  explicit Outside(FileSystem& files) : files_(files) {}
  // Whole lines from `offset` on; a last one without its end is of a process that was killed.
  Status read(const std::string& path, std::uint64_t offset, std::uint64_t first_tick);
  Status append(std::string_view line);

  FileSystem& files_;
  std::string path_;
  std::optional<std::string> replay_;
  std::unique_ptr<File> file_;  // opened when something is to be written
  std::uint64_t position_ = 0;
  std::deque<Kept> kept_;
  std::set<std::string, std::less<>> kinds_;  // of all that was read
};

}  // namespace anima::world
