// Lines of standard input and output of a program in the sandbox.
#include <algorithm>

#include "base/text/text.h"
#include "tools/mcp/detail/transport.h"

namespace anima::tools::mcp {
namespace {

constexpr std::int64_t kStepMs = 50;    // how late a stop is noticed
constexpr std::int64_t kSendMs = 1000;  // for a message that nothing answers
constexpr std::size_t kErrorTail = 2048;
constexpr int kMostTurns = 64;

class ProgramTransport final : public Transport {
 public:
  ProgramTransport(std::unique_ptr<SandboxedProcess> process, Clock& clock, std::string hint)
      : process_(std::move(process)), clock_(clock), hint_(std::move(hint)) {}

  Status exchange(const Json& message, const Deadline& deadline, const std::stop_token& stop,
                  const Take& take) override {
    to_send_ += message.dump() + "\n";
    for (;;) {
      ANIMA_ASSIGN(const bool enough, hand_over(take));
      if (enough) return {};
      if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "the call was taken back");
      const std::int64_t left = deadline.left_ms();
      if (left <= 0) return fail(ErrorCode::kTimeout, "the server did not answer in time");
      ANIMA_TRY(move(std::min(left, kStepMs)));
    }
  }

  Status send(const Json& message) override {
    to_send_ += message.dump() + "\n";
    const Deadline deadline(clock_, kSendMs);
    while (!to_send_.empty()) {
      if (deadline.left_ms() <= 0)
        return fail(ErrorCode::kTimeout, "the server does not read what it is sent");
      ANIMA_TRY(move(kStepMs));
    }
    return {};
  }

  Status drain(const Take& take) override {
    // One that never stops talking is heard another time.
    for (int turn = 0; turn < kMostTurns; ++turn) {
      const std::size_t before = came_;
      ANIMA_TRY(move(0));
      ANIMA_TRY(hand_over(take).map([](bool) {}));
      if (came_ == before) return {};
    }
    return {};
  }

  void speak(const std::string&, bool) override {}

 private:
  // Whether `take` has enough.
  Result<bool> hand_over(const Take& take) {
    while (const auto line = lines_.next()) {
      ANIMA_ASSIGN(Message message, read_message(*line));
      ANIMA_ASSIGN(const bool enough, take(std::move(message)));
      if (enough) return true;
    }
    return false;
  }

  Status move(std::int64_t timeout_ms) {
    auto moved = process_->exchange(to_send_, timeout_ms);
    if (!moved && moved.error().code == ErrorCode::kTimeout) return {};
    if (!moved && moved.error().code == ErrorCode::kIo) return fail(ended());
    if (!moved) return fail(moved.error());
    to_send_.erase(0, moved->written);
    came_ += moved->out.size();
    said_ += moved->err;
    if (said_.size() > kErrorTail) said_.erase(0, said_.size() - kErrorTail);
    return lines_.feed(moved->out);
  }

  Error ended() const {
    const std::string said = server_text(said_);
    return {ErrorCode::kIo,
            "the server's program has ended" + (said.empty() ? said : "; it said: " + said),
            {},
            hint_};
  }

  std::unique_ptr<SandboxedProcess> process_;
  Clock& clock_;
  std::string hint_;
  std::string to_send_;
  std::string said_;  // the end of what it wrote on standard error
  std::size_t came_ = 0;
  MessageLines lines_;
};

}  // namespace

Result<std::unique_ptr<Transport>> open_program(const SandboxRequest& request, Clock& clock,
                                                std::string hint) {
  ANIMA_ASSIGN(auto process, SandboxedProcess::start(request));
  return std::make_unique<ProgramTransport>(std::move(process), clock, std::move(hint));
}

}  // namespace anima::tools::mcp
