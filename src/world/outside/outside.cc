#include "world/outside/outside.h"

#include <fmt/format.h>

namespace anima::world {
namespace {

constexpr std::uint64_t kMaxRecording = std::uint64_t{1} << 30;

std::string line_of(const Outside::Question& question, const Json& answer) {
  return Json::object({{"tick", question.tick},
                       {"kind", question.kind},
                       {"question", to_hex(question.digest)},
                       {"answer", answer}})
             .dump() +
         "\n";
}

}  // namespace

Result<std::unique_ptr<Outside>> Outside::open(FileSystem& files, OutsideOptions options) {
  auto outside = std::unique_ptr<Outside>(new Outside(files));
  outside->path_ = join_path(options.folder, kOutsideFile);
  outside->position_ = options.position;
  const bool there = file_exists(files, outside->path_);
  std::uint64_t size = 0;
  if (there) {
    ANIMA_ASSIGN(const FileInfo info, files.info(outside->path_));
    size = info.size;
  }
  if (size < options.position)
    return fail(ErrorCode::kCorrupt, "answers from outside that the world counts are missing",
                outside->path_, "bring the folder's files back from a copy");
  outside->replay_ = options.replay;
  if (options.replay) {
    ANIMA_TRY(outside->read(*options.replay, 0, options.tick));
  } else if (there) {
    ANIMA_TRY(outside->read(outside->path_, options.position, options.tick));
  }
  return outside;
}

Status Outside::read(const std::string& path, std::uint64_t offset, std::uint64_t first_tick) {
  ANIMA_ASSIGN(const std::string bytes, read_file(files_, path, kMaxRecording));
  std::size_t at = offset;
  for (std::size_t end = 0; (end = bytes.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string_view line = std::string_view(bytes).substr(at, end + 1 - at);
    const auto json = parse_json(line);
    const Json* tick = json ? json->find("tick") : nullptr;
    const Json* kind = json ? json->find("kind") : nullptr;
    const Json* question = json ? json->find("question") : nullptr;
    const Json* answer = json ? json->find("answer") : nullptr;
    if (tick == nullptr || !tick->is_integer() || kind == nullptr || question == nullptr ||
        answer == nullptr)
      return fail(ErrorCode::kCorrupt, "a line is no answer from outside",
                  fmt::format("{}, byte {}", path, at));
    kinds_.insert(kind->as_string());
    if (static_cast<std::uint64_t>(tick->as_integer()) < first_tick) continue;
    kept_.push_back({static_cast<std::uint64_t>(tick->as_integer()), kind->as_string(),
                     question->as_string(), *answer, std::string(line)});
  }
  return {};
}

Result<Json> Outside::answer(const Question& question, const std::function<Result<Json>()>& ask) {
  const bool same = !kept_.empty() && kept_.front().tick == question.tick &&
                    kept_.front().kind == question.kind &&
                    kept_.front().question == to_hex(question.digest);
  if (same) {
    Kept kept = std::move(kept_.front());
    kept_.pop_front();
    // What is played from the world's own file is there already.
    if (replay_) {
      ANIMA_TRY(append(kept.line));
    } else {
      position_ += kept.line.size();
    }
    return std::move(kept.answer);
  }
  if (replay_) {
    if (kept_.empty())
      return fail(ErrorCode::kNotFound,
                  fmt::format("the recording ends before tick {}", question.tick), *replay_,
                  "run the world as far as it was recorded, or without --replay");
    return fail(ErrorCode::kConflict,
                fmt::format("at tick {} another {} is asked for than was recorded", question.tick,
                            question.kind),
                *replay_, "give the options of the run that was recorded");
  }
  kept_.clear();
  ANIMA_ASSIGN(Json answer, ask());
  ANIMA_TRY(append(line_of(question, answer)));
  return answer;
}

Status Outside::append(std::string_view line) {
  if (file_ == nullptr) {
    ANIMA_ASSIGN(file_, files_.open(path_, OpenMode::kCreate, 0600));
    ANIMA_TRY(files_.sync_directory(std::string(parent_path(path_))));
  }
  // Behind the position lies what belongs to no cycle any more.
  ANIMA_ASSIGN(const std::uint64_t size, file_->size());
  if (size > position_) ANIMA_TRY(file_->truncate(position_));
  ANIMA_TRY(file_->write_at(position_, line));
  position_ += line.size();
  return {};
}

Status Outside::sync() {
  if (file_ != nullptr) return file_->sync();
  return {};
}

}  // namespace anima::world
