// Links by the labels of their ends, asserted the way tests need them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "store/space.h"
#include "store/symbols.h"

namespace anima::test {

// {subject, predicate, object}
using Labels = std::array<std::string, 3>;

// Asserts in the default graph.
inline Status link(store::Transaction& transaction, std::string_view subject,
                   std::string_view predicate, std::string_view object, double confidence = 1.0) {
  store::SymbolWriter symbols(transaction, {});
  ANIMA_ASSIGN(const store::Triple link, symbols.link(subject, predicate, object));
  store::AssertOptions options;
  options.confidence = confidence;
  return transaction.assert_link(link, options).map([](store::EntityId) {});
}

// The same for several in one entry of the log; a failure fails the test.
inline void link(store::Space& space, const std::vector<Labels>& links, double confidence = 1.0,
                 const store::Origin& origin = {}) {
  const auto written = space.write(origin, [&](store::Transaction& transaction) -> Status {
    for (const auto& [subject, predicate, object] : links) {
      ANIMA_TRY(link(transaction, subject, predicate, object, confidence));
    }
    return {};
  });
  ASSERT_TRUE(written.has_value()) << written.error().describe();
}

}  // namespace anima::test
