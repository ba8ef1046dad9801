#include "cli/verbs/serve/mcp_session.h"

#include "cli/frame/access.h"

namespace anima::cli {

Result<std::unique_ptr<agent::GuardSession>> open_session(Context& context,
                                                          agent::GovernedHouse& house,
                                                          const SessionOptions& options,
                                                          govern::Trust caller,
                                                          std::string_view door) {
  ANIMA_ASSIGN(auto session,
               agent::GuardSession::open(
                   house, {options.name, local_origin(context, std::string(door)), caller}));
  if (!options.message) return session;
  govern::IncomingMessage message;
  message.content = *options.message;
  message.channel = "terminal";
  message.sender = local_origin(context, "").author;
  message.session = options.name;
  ANIMA_ASSIGN(const govern::Admission admission, session->begin(message));
  if (admission.accepted()) return session;
  return fail(ErrorCode::kDenied, "the message was not let in: " + admission.reason);
}

}  // namespace anima::cli
