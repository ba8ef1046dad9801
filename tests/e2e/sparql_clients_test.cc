// `anima serve --sparql` through public SPARQL clients: rdflib of Debian, and Comunica of npm,
// which
// `./dev setup test` installs, pinned by tests/e2e/sparql_clients/package-lock.json, into
// build/sparql_clients. ANIMA_SPARQL_CLIENTS names another folder with that package's node_modules.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/files/file.h"
#include "support/command.h"
#include "support/needs.h"
#include "support/node.h"

namespace anima::sparql_clients_test {
namespace {

class SparqlClients : public testing::Test {
 protected:
  void SetUp() override {
    const std::string init = ANIMA_BINARY_DIR "/anima --space " + space() + " init";
    ASSERT_EQ(test::run_command(init).code, 0);
  }
  std::string space() const { return work_.path() + "/space"; }

  static constexpr const char* kScripts = ANIMA_SOURCE_DIR "/tests/e2e/sparql_clients/";
  TemporaryDirectory work_;
};

TEST_F(SparqlClients, RdflibQueriesAndUpdates) {
  ANIMA_NEEDS(test::kRdflib,
              test::run_command("/usr/bin/python3 -c 'import rdflib' 2>&1").code == 0);
  EXPECT_EQ(test::run_command("/usr/bin/python3 " + std::string(kScripts) +
                              "rdflib_client.py " ANIMA_BINARY_DIR "/anima " + space() + " 2>&1")
                .out,
            "rdflib ok\n");
}

// A script finds its modules beside itself, so it runs from a copy beside a link to them.
TEST_F(SparqlClients, ComunicaQueriesAndUpdates) {
  const char* named = std::getenv("ANIMA_SPARQL_CLIENTS");
  const std::string modules =
      std::string(named != nullptr ? named : ANIMA_SOURCE_DIR "/build/sparql_clients") +
      "/node_modules";
  ANIMA_NEEDS(test::kNpm, file_exists(system_files(), modules + "/@comunica/query-sparql"));
  EXPECT_EQ(
      test::run_command("cd " + work_.path() + " && ln -sfn " + modules + " node_modules && cp " +
                        kScripts + "comunica.mjs . && " + test::node_program() +
                        " comunica.mjs " ANIMA_BINARY_DIR "/anima " + space() + " 2>&1")
          .out,
      "comunica ok\n");
}

}  // namespace
}  // namespace anima::sparql_clients_test
