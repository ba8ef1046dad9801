// Messages, replies and outcomes of the rooms as the doors have them. Thread-safety: pure
// functions.
#pragma once

#include <string>
#include <utility>

#include "anima/calls.h"
#include "govern/decide/executor.h"
#include "govern/decide/gateway.h"
#include "library/detail/open_agent.h"

namespace anima {

inline Outcome outcome_of_call(govern::Outcome::Kind kind) {
  switch (kind) {
    case govern::Outcome::Kind::kDone:
      return Outcome::kDone;
    case govern::Outcome::Kind::kFailed:
      return Outcome::kFailed;
    case govern::Outcome::Kind::kDenied:
      return Outcome::kDenied;
    case govern::Outcome::Kind::kWaiting:
      return Outcome::kWaiting;
    case govern::Outcome::Kind::kHalted:
      return Outcome::kHalted;
    case govern::Outcome::Kind::kBusy:
      return Outcome::kBusy;
  }
  return Outcome::kDenied;
}

inline Outcome outcome_of_reply(agent::ReplyKind kind) {
  switch (kind) {
    case agent::ReplyKind::kAnswered:
      return Outcome::kDone;
    case agent::ReplyKind::kBlocked:
      return Outcome::kBlocked;
    case agent::ReplyKind::kClarify:
      return Outcome::kClarify;
    case agent::ReplyKind::kWaiting:
      return Outcome::kWaiting;
    case agent::ReplyKind::kDenied:
      return Outcome::kDenied;
    case agent::ReplyKind::kFailed:
      return Outcome::kFailed;
    case agent::ReplyKind::kHalted:
      return Outcome::kHalted;
    case agent::ReplyKind::kBusy:
      return Outcome::kBusy;
  }
  return Outcome::kFailed;
}

// What a reply says of how it stands; its text and details are the caller's.
inline void fill_response(Response& response, const agent::Reply& reply) {
  response.outcome = outcome_of_reply(reply.kind);
  response.options = reply.options;
  response.plan_id = reply.plan_id;
  if (!reply.approval_id.empty()) response.approval_ids = {reply.approval_id};
  if (reply.kind != agent::ReplyKind::kFailed) response.refusal_id = reply.audit_id;
}

inline void fill_result(CallResult& result, govern::Outcome outcome) {
  result.outcome = outcome_of_call(outcome.kind);
  result.result = std::move(outcome.result);
  result.reason = std::move(outcome.reason);
  result.trust = level_of(outcome.output_trust);
  result.approval_id = std::move(outcome.approval_id);
  const bool refused = result.outcome != Outcome::kDone && result.outcome != Outcome::kFailed;
  if (refused) result.refusal_id = std::move(outcome.audit_id);
  result.missing = std::move(outcome.decision.missing);
}

inline govern::IncomingMessage incoming_from(const Message& message) {
  govern::IncomingMessage incoming;
  incoming.content = message.content;
  incoming.channel = message.channel;
  if (message.trust) incoming.source = std::string(to_string(*message.trust));
  incoming.sender = message.sender;
  incoming.peer = message.peer;
  incoming.session = message.session;
  return incoming;
}

}  // namespace anima
