// How the kingdom of a world and the parts of its agents talk: one interface, behind which all of
// it is one process (the local bus) or processes on several machines (NATS).
//
// One process is the kingdom: the daemons, ticks, order, money. Agents live in parts, numbered from
// 1. The kingdom commands a part, and the part answers; before it does it may ask the kingdom, as
// often as it needs. Only one of all of them works at a time, so nothing depends on arrival.
//
// What a part knows can be made again: by its base, which the kingdom gives it at first, and by the
// commands since. The bus keeps these, with the answers of the kingdom, until settled(): a part
// that lost its state (killed, another machine) gets them again, in order, and every question that
// it asks meanwhile has the answer of before. So the kingdom does nothing twice, whoever dies. A
// part that answers otherwise than before is an error. Frames on the wire are signed envelopes
// (transport/link_frame.h). Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "world/types.h"

namespace anima::world {

inline constexpr std::uint64_t kMaxParts = 64;
inline constexpr std::string_view kLocalBus = "local";
// Of a world on a bus: letters, digits, '-' and '_', 32 at most.
bool is_world_name(std::string_view name);

// What came over a bus, for its books.
struct BusCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t repeated = 0;  // known already: sent again, or of a part that is gone
  std::uint64_t refused = 0;   // no frame of this world, or forged
  std::uint64_t joined = 0;    // parts that came, those that came again too
};

using Commanded = std::function<Result<std::string>(std::string_view bytes)>;

// The kingdom's side.
class MessageBus {
 public:
  // The commands that give a part its state of the last settled().
  using Base = std::function<Result<std::vector<std::string>>(std::uint64_t part)>;

  virtual ~MessageBus() = default;
  virtual std::uint64_t parts() const = 0;
  // Whether the part is in this process: then host() has to come before the first command.
  virtual bool is_here(std::uint64_t part) const = 0;
  void host(std::uint64_t part, Commanded commands) { here_[part] = std::move(commands); }
  // Whom parts ask, and what gives them their base.
  void attend(Commanded questions, Base base);
  const Commanded& questions() const { return questions_; }

  // Errors: those of the part; of a bus between machines also kTimeout (the part was not heard of
  // for too long), kConflict (it lost its state and did otherwise than before), kCancelled.
  Result<std::string> command(std::uint64_t part, std::string_view bytes);
  // The base holds all that was commanded.
  virtual void settled() {}
  // The world has come to its end: the parts may go.
  virtual void dismiss() {}
  virtual BusCounts counts() const { return {}; }

 protected:
  virtual Result<std::string> command_there(std::uint64_t part, std::string_view bytes) = 0;
  Result<std::vector<std::string>> base_of(std::uint64_t part) const { return base_(part); }

 private:
  std::map<std::uint64_t, Commanded> here_;
  std::set<std::uint64_t> begun_;
  Commanded questions_;
  Base base_;
};

// All parts are here: commands and questions are calls.
std::unique_ptr<MessageBus> make_local_bus();

struct NatsBusOptions {
  std::string servers;  // bus/jetstream.h
  std::string world = "world";
  std::string secret;                  // of the world: who knows it may take part
  std::uint64_t parts = 1;             // for the kingdom
  std::uint64_t part = 0;              // for a part
  std::int64_t patience_ms = 600'000;  // how long somebody may be silent
  std::string version;                 // of the program: all have the same
  std::function<bool()> stopped = {};
  std::function<void(const std::string&)> warn = {};
};

// The kingdom's side over NATS; the first part is here. Errors: those of JetStream::open() and
// keep(); kInvalidArgument (the name, the number of parts), kConflict (this world has a kingdom).
Result<std::unique_ptr<MessageBus>> open_nats_bus(NatsBusOptions options);

// The side of a part in another process.
class PartLink {
 public:
  virtual ~PartLink() = default;
  // Errors: as open_nats_bus(); kInvalidArgument (another seed, or there is no such part; said when
  // the kingdom is there to compare with), kVersionMismatch, kConflict (the part is taken).
  static Result<std::unique_ptr<PartLink>> open(NatsBusOptions options);

  // Does what the kingdom commands until it dismisses the part. Errors: of the commands none, they
  // go to the kingdom; kTimeout (no kingdom was heard of), kConflict (another process took the part
  // over), kCancelled, and those of open().
  virtual Status serve(const Commanded& commands) = 0;
  // Within a command only. Errors: those of the kingdom; those of serve(), after which all further
  // questions fail alike and serve() ends or begins anew.
  virtual Result<std::string> ask(std::string_view bytes) = 0;
  virtual BusCounts counts() const = 0;
};

}  // namespace anima::world
