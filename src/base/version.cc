#include "base/version.h"

#ifdef __clang__
#define ANIMA_COMPILER "clang++ " __clang_version__
#else
#define ANIMA_COMPILER "g++ " __VERSION__
#endif

namespace anima {

std::string_view version() { return ANIMA_VERSION; }
std::string_view compiler() { return ANIMA_COMPILER; }

}  // namespace anima
