// Messages and outcomes of the doors as the rooms have them. Thread-safety: pure functions.
#pragma once

#include <string>

#include "anima/calls.h"
#include "govern/decide/executor.h"
#include "govern/decide/gateway.h"

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
