// What a test needs of its machine and a machine may lack. A test that lacks it is skipped with one
// line, "needs NAME: REMEDY", which tools/test_skips.py counts and lists at the end of `./dev
// test`. tests/allowed_skips.txt names what a full machine may lack.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace anima::test {

struct Need {
  std::string_view name, remedy;
};

inline constexpr Need kUserNamespaces{"user namespaces", "docs/sandbox.md says how to allow them"};
inline constexpr Need kSandbox{"a sandbox", "docs/sandbox.md says what it needs"};
inline constexpr Need kMounts{"the right to mount", "run as root outside of a container"};
inline constexpr Need kRoot{"root", "run as root"};
inline constexpr Need kNoRoot{"a user who is not root",
                              "root may do what the test expects refused"};
inline constexpr Need kPostgres{"PostgreSQL", "apt-get install postgresql"};
inline constexpr Need kNats{"a NATS server", "apt-get install nats-server"};
inline constexpr Need kNetworkNamespaces{"network namespaces",
                                         "run as root outside of a container"};
inline constexpr Need kLandlock{"Landlock", "a kernel with it (5.13)"};
inline constexpr Need kDevices{"the right to make devices", "run as root outside of a container"};
inline constexpr Need kNpm{"packages from npm", "./dev setup test could not reach the registry"};
inline constexpr Need kChromium{"Chromium", "apt-get install chromium"};
inline constexpr Need kPypi{"packages from PyPI", "./dev setup test could not reach the registry"};
inline constexpr Need kDpkg{"the packages of a Debian machine", "dpkg's database and python3"};
inline constexpr Need kOpenssl{"the program openssl", "apt-get install openssl"};
inline constexpr Need kRdflib{"rdflib", "apt-get install python3-rdflib"};
inline constexpr Need kX86{"an x86-64 processor", "the texts are in its assembler"};
inline constexpr Need kDescriptors{"11,000 descriptors", "raise the hard limit (ulimit -Hn)"};
inline constexpr Need kLongForm{"its long form", "ANIMA_TEST_FULL=1"};

inline std::string unmet(const Need& need) {
  return "needs " + std::string(need.name) + ": " + std::string(need.remedy);
}

}  // namespace anima::test

// For the body of a test or of its SetUp.
#define ANIMA_NEEDS(need, condition) \
  if (!(condition)) GTEST_SKIP() << ::anima::test::unmet(need)
