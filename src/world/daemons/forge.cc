#include "world/daemons/forge.h"

#include <algorithm>

#include "world/daemons/mint.h"
#include "world/daemons/nexus.h"
#include "world/daemons/vault.h"

namespace anima::world {

std::span<const std::string_view> enum_names(SandboxState) {
  static constexpr std::string_view kNames[] = {"Ready", "Running", "Halted", "Faulted"};
  return kNames;
}

Answer Forge::handle(const Request& request) {
  Fields fields(request.body);
  switch (request.type) {
    case Message::kSandboxCreate: {
      Sandbox fresh;
      fresh.owner = request.sender;
      fresh.program = fields.need<Digest>("program");
      fresh.tick_limit = std::min(fields.take<std::uint64_t>("tick_limit", kDefaultProgramTicks),
                                  kDefaultProgramTicks);
      if (fields.fault()) return fields.refusal();
      if (realm_.vault->object(fresh.program) == nullptr)
        return refuse(Category::kNotFound, "there is no such program");
      const Digest id = fresh_id("sandbox", request.sender);
      sandboxes_[id] = fresh;
      tell(EventKind::kSandboxCreated,
           body_of({{"sandbox_id", pack(id)}, {"owner", pack(request.sender)}}));
      return body_of({{"sandbox_id", pack(id)}});
    }
    case Message::kExecStart:
    case Message::kProofRequest: {
      const auto id = fields.need<Digest>("sandbox_id");
      if (fields.fault()) return fields.refusal();
      const auto found = sandboxes_.find(id);
      if (found == sandboxes_.end()) return refuse(Category::kNotFound, "there is no such sandbox");
      if (found->second.owner != request.sender)
        return refuse(Category::kUnauthorized, "the sandbox is another's");
      const bool start = request.type == Message::kExecStart;
      if (start && found->second.state != SandboxState::kReady)
        return refuse(Category::kConflict, "the sandbox has been started");
      if (start) found->second.state = SandboxState::kRunning;
      pending_.push_back(
          {static_cast<std::uint16_t>(start ? Message::kExecResult : Message::kProofResult), id,
           request.message_id, request.sender, 0, realm_.tick});
      return MessagePack(MessagePack::Map());
    }
    case Message::kServiceCreate:
      return create_service(request);
    case Message::kServiceCall:
      return call(request);
    case Message::kLinkResolve: {
      const auto imports = fields.take<std::vector<Digest>>("imports");
      if (fields.fault()) return fields.refusal();
      MessagePack::Array resolved;
      for (const Digest& each : imports)
        resolved.push_back(MessagePack(realm_.vault->object(each) != nullptr));
      return body_of({{"resolved", MessagePack(std::move(resolved))}});
    }
    default:
      return refuse(Category::kInvalidRequest, "the forge does not answer that");
  }
}

Answer Forge::create_service(const Request& request) {
  Fields fields(request.body);
  Service fresh;
  fresh.owner = request.sender;
  fresh.name = fields.need<std::string>("name");
  fresh.program = fields.need<Digest>("program");
  fresh.fee = fields.take<std::uint64_t>("fee");
  if (fields.fault()) return fields.refusal();
  if (realm_.vault->object(fresh.program) == nullptr)
    return refuse(Category::kNotFound, "there is no such program");
  const Digest id = fresh_id("service", request.sender);
  tell(EventKind::kServiceCreated, body_of({{"service_id", pack(id)},
                                            {"owner", pack(request.sender)},
                                            {"name", fresh.name},
                                            {"fee", fresh.fee}}));
  services_[id] = std::move(fresh);
  return body_of({{"service_id", pack(id)}});
}

Answer Forge::call(const Request& request) {
  Fields fields(request.body);
  const auto id = fields.need<Digest>("service_id");
  const auto data = fields.take<std::int64_t>("data");
  if (fields.fault()) return fields.refusal();
  const auto found = services_.find(id);
  if (found == services_.end()) return refuse(Category::kNotFound, "there is no such service");
  Service& service = found->second;
  if (service.fee > 0 && service.owner != request.sender) {
    const auto paid = realm_.mint->transfer(request.sender, service.owner, service.fee, "service");
    if (!paid) return Unexpected<Refusal>(paid.error());
  }
  ++service.calls;
  pending_.push_back({static_cast<std::uint16_t>(Message::kServiceResult), id, request.message_id,
                      request.sender, data, realm_.tick});
  tell(EventKind::kServiceCalled,
       body_of({{"service_id", pack(id)}, {"caller", pack(request.sender)}}));
  return MessagePack(MessagePack::Map());
}

void Forge::work() {
  std::vector<PendingWork> asked;
  std::swap(asked, pending_);
  for (const PendingWork& each : asked) {
    if (each.tick >= realm_.tick) {
      pending_.push_back(each);
    } else if (each.type == static_cast<std::uint16_t>(Message::kExecResult)) {
      run_sandbox(each);
    } else if (each.type == static_cast<std::uint16_t>(Message::kProofResult)) {
      prove(each);
    } else {
      run_service(each);
    }
  }
}

Execution Forge::execute(const Digest& id, std::int64_t input, std::uint64_t tick_limit) {
  const std::string* program = realm_.vault->object(id);
  if (program == nullptr) return {Fault::kUser, 0, 0};
  if (!runner_) return run_program(*program, input, tick_limit);
  const auto run = runner_(*program, input, tick_limit);
  if (run) return *run;
  if (stopped_) stopped_ = fail(run.error());
  return {Fault::kUser, 0, 0};
}

void Forge::run_sandbox(const PendingWork& work) {
  Sandbox& sandbox = sandboxes_[work.subject];
  const Execution run = execute(sandbox.program, 0, sandbox.tick_limit);
  sandbox.fault = run.fault;
  sandbox.result = run.result;
  sandbox.state = run.fault == Fault::kNone ? SandboxState::kHalted : SandboxState::kFaulted;
  const MessagePack result = body_of({{"ref_msg_id", pack(work.request)},
                                      {"sandbox_id", pack(work.subject)},
                                      {"state", pack(sandbox.state)},
                                      {"fault", pack(sandbox.fault)},
                                      {"result", run.result},
                                      {"ticks", run.ticks}});
  if (run.fault == Fault::kNone) realm_.nexus->program_ran();
  tell(run.fault == Fault::kNone ? EventKind::kSandboxHalted : EventKind::kSandboxFaulted, result);
  notify(work.asker, Message::kExecResult, result);
}

void Forge::prove(const PendingWork& work) {
  const Sandbox& sandbox = sandboxes_[work.subject];
  const Digest proof = Sha256()
                           .update(bytes_of(work.subject))
                           .update(bytes_of(sandbox.program))
                           .update(big_endian(static_cast<std::uint64_t>(sandbox.result), 8))
                           .finish();
  notify(work.asker, Message::kProofResult,
         body_of({{"ref_msg_id", pack(work.request)},
                  {"sandbox_id", pack(work.subject)},
                  {"proof", pack(proof)},
                  {"halted", sandbox.state == SandboxState::kHalted}}));
}

void Forge::run_service(const PendingWork& work) {
  const Service& service = services_[work.subject];
  const Execution run = execute(service.program, work.input, kDefaultProgramTicks);
  notify(work.asker, Message::kServiceResult,
         body_of({{"ref_msg_id", pack(work.request)},
                  {"service_id", pack(work.subject)},
                  {"fault", pack(run.fault)},
                  {"result", run.result}}));
}

void Forge::end_cycle() {
  std::erase_if(sandboxes_, [&](const auto& each) {
    const bool asked = std::any_of(pending_.begin(), pending_.end(), [&](const PendingWork& work) {
      return work.subject == each.first;
    });
    return !asked && (each.second.state == SandboxState::kHalted ||
                      each.second.state == SandboxState::kFaulted);
  });
}

MessagePack Forge::state() const {
  return body_of({{"sandboxes", pack(sandboxes_)},
                  {"services", pack(services_)},
                  {"pending", pack(pending_)}});
}

Status Forge::restore(const MessagePack& state) {
  Fields fields(state);
  sandboxes_ = fields.need<std::map<Digest, Sandbox>>("sandboxes");
  services_ = fields.need<std::map<Digest, Service>>("services");
  pending_ = fields.need<std::vector<PendingWork>>("pending");
  if (fields.fault()) return fail(ErrorCode::kCorrupt, "the state of the forge cannot be read");
  return {};
}

}  // namespace anima::world
