#include "llm/detail/curl_library.h"

#include "base/load_library.h"

namespace anima::llm::detail {
namespace {

constexpr const char* kCurlFile = "libcurl.so.4";

template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

CurlLibrary load_curl() {
  CurlLibrary curl;
  void* const library = load_library(kCurlFile);
  if (library == nullptr) {
    const char* const why = dlerror();
    curl.problem = why == nullptr ? "libcurl cannot be loaded" : why;
    return curl;
  }
  const bool whole = find_symbol(library, "curl_global_init", curl.global_init) &&
                     find_symbol(library, "curl_easy_init", curl.easy_init) &&
                     find_symbol(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                     find_symbol(library, "curl_easy_setopt", curl.easy_setopt) &&
                     find_symbol(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                     find_symbol(library, "curl_easy_strerror", curl.easy_strerror) &&
                     find_symbol(library, "curl_slist_append", curl.slist_append) &&
                     find_symbol(library, "curl_slist_free_all", curl.slist_free_all) &&
                     find_symbol(library, "curl_multi_init", curl.multi_init) &&
                     find_symbol(library, "curl_multi_cleanup", curl.multi_cleanup) &&
                     find_symbol(library, "curl_multi_add_handle", curl.multi_add_handle) &&
                     find_symbol(library, "curl_multi_remove_handle", curl.multi_remove_handle) &&
                     find_symbol(library, "curl_multi_perform", curl.multi_perform) &&
                     find_symbol(library, "curl_multi_poll", curl.multi_poll) &&
                     find_symbol(library, "curl_multi_info_read", curl.multi_info_read);
  if (!whole) {
    curl.problem = "this libcurl is older than 7.66";
  } else if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    curl.problem = "libcurl could not be started";
  }
  return curl;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary& curl = *new CurlLibrary(load_curl());
  return curl;
}

}  // namespace anima::llm::detail
