#include "base/result.h"

#include <cstdio>
#include <cstdlib>

#include "base/text/text.h"

namespace anima {

template struct ErrorHeap<Error>;

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kSyntax:
      return "syntax";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kAlreadyExists:
      return "already_exists";
    case ErrorCode::kConflict:
      return "conflict";
    case ErrorCode::kLimitExceeded:
      return "limit_exceeded";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kVersionMismatch:
      return "version_mismatch";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kDiskFull:
      return "disk_full";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kDenied:
      return "denied";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kNoSandbox:
      return "no_sandbox";
  }
  return "unknown";
}

std::string Error::describe() const {
  std::string text;
  if (!where.empty()) text += where + ": ";
  text += message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

namespace {

// What an error repeats of what was given may be a whole document.
constexpr std::size_t kMostErrorTextBytes = 4096, kKeptAtEachEnd = 1024;

std::string excerpt(std::string_view text) {
  std::size_t end = text.size() - kKeptAtEachEnd;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  return std::string(beginning_of(text, kKeptAtEachEnd)) + " .. " + std::string(text.substr(end));
}

}  // namespace

std::string ErrorText::take() const {
  if (text_.size() > kMostErrorTextBytes) return excerpt(text_);
  return movable_ != nullptr ? std::move(*movable_) : std::string(text_);
}

Unexpected<Error> fail(ErrorCode code, ErrorText message, ErrorText where, ErrorText hint) {
  return Unexpected<Error>(Error{code, message.take(), where.take(), hint.take()});
}

Unexpected<Error> fail(const Error& error) { return Unexpected<Error>(error); }

Unexpected<Error> fail(Error&& error) { return Unexpected<Error>(std::move(error)); }

void value_missing(std::string_view error) {
  std::fprintf(stderr, "anima: there is no value: %.*s\n", static_cast<int>(error.size()),
               error.data());
  std::abort();
}

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "anima: internal error: %s:%d: %s\n", file, line, expression);
  std::abort();
}

}  // namespace anima
