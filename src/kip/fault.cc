#include "kip/fault.h"

#include <algorithm>

namespace anima {
template struct ErrorHeap<kip::Fault>;

Unexpected<kip::Fault> fail(kip::Fault fault) { return Unexpected<kip::Fault>(std::move(fault)); }
}  // namespace anima

namespace anima::kip {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::kInvalidSyntax:
      return "InvalidSyntax";
    case Code::kInvalidIdentifier:
      return "InvalidIdentifier";
    case Code::kUndefinedName:
      return "TypeMismatch";
    case Code::kConstraintViolation:
      return "ConstraintViolation";
    case Code::kInvalidValueType:
      return "InvalidValueType";
    case Code::kUnboundReference:
      return "ReferenceError";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAmbiguous:
      return "DuplicateExists";
    case Code::kImmutableTarget:
      return "ImmutableTarget";
    case Code::kVersionConflict:
      return "VersionConflict";
    case Code::kTimeout:
      return "ExecutionTimeout";
    case Code::kResourceExhausted:
      return "ResourceExhausted";
    case Code::kInternal:
      return "InternalError";
  }
  return "InternalError";
}

namespace {

Code code_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kSyntax:
    case ErrorCode::kInvalidArgument:
      return Code::kInvalidSyntax;
    case ErrorCode::kNotFound:
      return Code::kNotFound;
    case ErrorCode::kAlreadyExists:
      return Code::kAmbiguous;
    case ErrorCode::kConflict:
      return Code::kVersionConflict;
    case ErrorCode::kDenied:
      return Code::kImmutableTarget;
    case ErrorCode::kLimitExceeded:
      return Code::kResourceExhausted;
    case ErrorCode::kTimeout:
    case ErrorCode::kCancelled:
      return Code::kTimeout;
    default:
      return Code::kInternal;
  }
}

}  // namespace

Fault::Fault(const Error& error)
    : code(code_for(error.code)), message(error.message), hint(error.hint) {
  if (!error.where.empty()) message = error.where + ": " + message;
}

void Fault::locate(std::string_view text) {
  if (offset == kNowhere || line != 0) return;
  line = column = 1;
  const std::size_t end = std::min<std::size_t>(offset, text.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++column;
    }
  }
}

Json Fault::to_json() const {
  Json json = Json::object({{"code", "KIP_" + std::to_string(static_cast<unsigned>(code))},
                            {"name", name_of(code)},
                            {"message", message}});
  if (!hint.empty()) json.set("hint", hint);
  if (line != 0) json.set("data", Json::object({{"line", line}, {"column", column}}));
  return json;
}

Unexpected<Fault> refuse(Code code, ErrorText message, ErrorText hint, std::uint32_t offset) {
  return Unexpected<Fault>(Fault(code, message.take(), hint.take(), offset));
}

}  // namespace anima::kip
