#include "serve/v1/answers.h"

#include "base/crypto.h"
#include "base/json/json_member.h"
#include "serve/http/server.h"

namespace anima::serve::v1 {
namespace {

ErrorCode code_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorCode::kNoSandbox); ++i) {
    if (to_string(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
  }
  return ErrorCode::kInternal;
}

http::Response later(http::Response response) {
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

http::Response json_answer(const Json& body, unsigned status) {
  return {status, "application/json", body.dump() + "\n", {}};
}

http::Response problem_of(const Error& error) {
  return later(http::problem(http::status_of(error.code), error));
}

http::Response problem_of(const agent::Refusal& refused) {
  return later(http::problem(http::status_of(refused.error.code), refused));
}

http::Response tool_answer(const ToolAnswer& answer, unsigned good) {
  const Json* error = answer.body.find("error");
  if (error == nullptr) {
    const Json* result = answer.body.find("result");
    return json_answer(result == nullptr ? answer.body : *result, good);
  }
  return problem_of(Error{code_of(text_member(*error, "code")),
                          text_member(*error, "message"),
                          {},
                          text_member(*error, "hint")});
}

std::string etag_of(const Json& shown) {
  return "\"" + to_hex(sha256(shown.dump())).substr(0, 32) + "\"";
}

}  // namespace anima::serve::v1
