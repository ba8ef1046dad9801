// A shared library of the machine that is loaded when it is first used. Thread-safety: any thread.
#pragma once

#include <dlfcn.h>

namespace anima {

// Null when it cannot be had; dlerror() says why. It stays for good, and its names are for dlsym()
// alone. What it needs itself it takes from its own libraries, before ours: the libcurl of a newer
// system brings a newer OpenSSL, which must not be given half of the one that a package carries
// beside us.
inline void* load_library(const char* file) {
#ifdef ANIMA_SANITIZED
  constexpr int kApart = 0;  // the sanitizers stand before everything
#else
  constexpr int kApart = RTLD_DEEPBIND;
#endif
  return dlopen(file, RTLD_NOW | RTLD_LOCAL | kApart);
}

}  // namespace anima
