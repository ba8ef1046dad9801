// What stands behind the pointers of anima.h, and how a call becomes a status and a text. A copy of
// a handle's value shares what is open, so that a call goes on with its own. Thread-safety: the
// values are.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stop_token>
#include <string>
#include <utility>

#include "anima/agent.h"
#include "anima/anima.h"

struct anima_memory {
  anima::Memory memory;
  anima::Author author;  // who writes where a request says nothing
};

struct anima_agent {
  anima::Agent agent;
};

struct anima_feed {
  anima::ChangeFeed feed;
};

struct anima_stop {
  std::stop_source source;
};

namespace anima::c {

int status_of(ErrorCode code);
// A copy that the caller frees; nothing where there is no room or nobody reads it.
void put(char** answer, const std::string& text);
int put(char** answer, const Error& error);

// Runs a call: what it throws is an error, too.
template <typename Work>
int run(char** answer, Work work) noexcept {
  if (answer != nullptr) *answer = nullptr;
  try {
    const Result<Json> result = work();
    if (!result) return put(answer, result.error());
    if (answer != nullptr) put(answer, result->dump());
    return ANIMA_OK;
  } catch (const std::bad_alloc&) {
    return ANIMA_LIMIT_EXCEEDED;
  } catch (const std::exception& thrown) {
    try {
      return put(answer, Error{ErrorCode::kInternal, thrown.what(), {}, {}});
    } catch (...) {
      return ANIMA_INTERNAL;
    }
  } catch (...) {
    return ANIMA_INTERNAL;
  }
}

// Runs a call that opens something: there is a text of an error alone.
template <typename Work>
int open(char** error, Work work) noexcept {
  char* told = nullptr;
  const int status = run(&told, std::move(work));
  if (status != ANIMA_OK && error != nullptr) {
    *error = told;
  } else {
    std::free(told);
  }
  return status;
}

}  // namespace anima::c
