// The forge: sandboxes in which programs run with counted steps, in a process that can reach
// nothing (machine/sandboxed_machine.h), proofs of what they left, and services that others may
// call for a fee. Results arrive in a later tick. Source: governance_and_runtime 2.8.
// Thread-safety: one thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "world/daemons/daemon.h"
#include "world/program.h"

namespace anima::world {

enum class SandboxState : std::uint8_t { kReady, kRunning, kHalted, kFaulted };
std::span<const std::string_view> enum_names(SandboxState);

struct Sandbox {
  AgentId owner{};
  Digest program{};
  std::uint64_t tick_limit = kDefaultProgramTicks;
  SandboxState state = SandboxState::kReady;
  Fault fault = Fault::kNone;
  std::int64_t result = 0;
  ANIMA_FIELDS(ANIMA_FIELD(owner) ANIMA_FIELD(program) ANIMA_FIELD(tick_limit) ANIMA_FIELD(state)
                   ANIMA_FIELD(fault) ANIMA_FIELD(result))
};
struct Service {
  AgentId owner{};
  std::string name;
  Digest program{};
  std::uint64_t fee = 0;
  std::uint64_t calls = 0;
  ANIMA_FIELDS(ANIMA_FIELD(owner) ANIMA_FIELD(name) ANIMA_FIELD(program) ANIMA_FIELD(fee)
                   ANIMA_FIELD(calls))
};
// What has been asked for and is told in the next tick.
struct PendingWork {
  std::uint16_t type = 0;  // of the result's message
  Digest subject{};        // a sandbox or a service
  Digest request{};        // the message that asked
  AgentId asker{};
  std::int64_t input = 0;
  std::uint64_t tick = 0;
  ANIMA_FIELDS(ANIMA_FIELD(type) ANIMA_FIELD(subject) ANIMA_FIELD(request) ANIMA_FIELD(asker)
                   ANIMA_FIELD(input) ANIMA_FIELD(tick))
};

class Forge final : public Daemon {
 public:
  Forge(Realm& realm, std::string_view secret) : Daemon(realm, System::kForge, secret) {}
  // Where programs run; without one in this process.
  void use(ProgramRunner runner) { runner_ = std::move(runner); }
  // The object of the vault as a program; one that is not there faults.
  Execution execute(const Digest& program, std::int64_t input, std::uint64_t tick_limit);
  // An error after which the world must not go on: programs cannot be run any more.
  const Status& stopped() const { return stopped_; }
  // Runs what was asked for in ticks before this one.
  void work();
  // Sandboxes that ended go.
  void end_cycle();

  MessagePack state() const override;
  Status restore(const MessagePack& state) override;

 protected:
  Answer handle(const Request& request) override;

 private:
  Answer create_service(const Request& request);
  Answer call(const Request& request);
  void run_sandbox(const PendingWork& work);
  void prove(const PendingWork& work);
  void run_service(const PendingWork& work);

  std::map<Digest, Sandbox> sandboxes_;
  std::map<Digest, Service> services_;
  std::vector<PendingWork> pending_;
  ProgramRunner runner_;
  Status stopped_;
};

}  // namespace anima::world
