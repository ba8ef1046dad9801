#include "handles.h"

#include "base/version.h"

namespace anima::c {
namespace {

constexpr int kFirst = 1;  // the status of the first code

static_assert(ANIMA_INVALID_ARGUMENT == kFirst + static_cast<int>(ErrorCode::kInvalidArgument));
static_assert(ANIMA_SYNTAX == kFirst + static_cast<int>(ErrorCode::kSyntax));
static_assert(ANIMA_NOT_FOUND == kFirst + static_cast<int>(ErrorCode::kNotFound));
static_assert(ANIMA_ALREADY_EXISTS == kFirst + static_cast<int>(ErrorCode::kAlreadyExists));
static_assert(ANIMA_CONFLICT == kFirst + static_cast<int>(ErrorCode::kConflict));
static_assert(ANIMA_LIMIT_EXCEEDED == kFirst + static_cast<int>(ErrorCode::kLimitExceeded));
static_assert(ANIMA_CORRUPT == kFirst + static_cast<int>(ErrorCode::kCorrupt));
static_assert(ANIMA_VERSION_MISMATCH == kFirst + static_cast<int>(ErrorCode::kVersionMismatch));
static_assert(ANIMA_IO == kFirst + static_cast<int>(ErrorCode::kIo));
static_assert(ANIMA_DISK_FULL == kFirst + static_cast<int>(ErrorCode::kDiskFull));
static_assert(ANIMA_BUSY == kFirst + static_cast<int>(ErrorCode::kBusy));
static_assert(ANIMA_DENIED == kFirst + static_cast<int>(ErrorCode::kDenied));
static_assert(ANIMA_CANCELLED == kFirst + static_cast<int>(ErrorCode::kCancelled));
static_assert(ANIMA_TIMEOUT == kFirst + static_cast<int>(ErrorCode::kTimeout));
static_assert(ANIMA_UNSUPPORTED == kFirst + static_cast<int>(ErrorCode::kUnsupported));
static_assert(ANIMA_INTERNAL == kFirst + static_cast<int>(ErrorCode::kInternal));
static_assert(ANIMA_NO_SANDBOX == kFirst + static_cast<int>(ErrorCode::kNoSandbox));

}  // namespace

int status_of(ErrorCode code) { return kFirst + static_cast<int>(code); }

void put(char** answer, const std::string& text) {
  if (answer == nullptr) return;
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  *answer = copy;
}

int put(char** answer, const Error& error) {
  Json members =
      Json::object({{"code", std::string(to_string(error.code))}, {"message", error.message}});
  if (!error.where.empty()) members.set("where", error.where);
  if (!error.hint.empty()) members.set("hint", error.hint);
  put(answer, Json::object({{"error", std::move(members)}}).dump());
  return status_of(error.code);
}

}  // namespace anima::c

extern "C" {

const char* anima_version(void) { return anima::version().data(); }

const char* anima_status_name(int status) {
  if (status == ANIMA_OK) return "ok";
  if (status < ANIMA_OK || status > ANIMA_NO_SANDBOX) return "unknown";
  return to_string(static_cast<anima::ErrorCode>(status - ANIMA_INVALID_ARGUMENT)).data();
}

void anima_free(char* text) { std::free(text); }

anima_stop* anima_stop_new(void) {
  try {
    return new anima_stop;
  } catch (...) {
    return nullptr;
  }
}

void anima_stop_request(anima_stop* stop) {
  if (stop != nullptr) stop->source.request_stop();
}

void anima_stop_free(anima_stop* stop) { delete stop; }
}
