// A base that is cut under a process which has it mapped.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/frame/exit_code.h"
#include "cli/frame/interrupt.h"
#include "store/space.h"

namespace anima::cut_base_test {
namespace {

Status fill(store::Transaction& transaction) {
  for (int i = 0; i < 5000; ++i) {
    ANIMA_TRY(transaction.upsert_concept(store::kEntityType, "a name " + std::to_string(i)));
  }
  return {};
}

TEST(CutBase, EndsTheProgramWithAnErrorAndNoSignal) {
  TemporaryDirectory folder;
  store::SpaceOptions options;
  options.create = true;
  {
    const auto space = store::Space::open(folder.path(), options).value();
    ASSERT_TRUE(space->write({}, fill));
    ASSERT_TRUE(space->checkpoint());
  }
  const std::string base = folder.file("base-2.anima");
  EXPECT_EXIT(
      {
        cli::install_interrupt_handler();
        const auto space = store::Space::open(folder.path(), {}).value();
        const store::Snapshot now = space->snapshot().value();
        if (truncate(base.c_str(), 4096) != 0) _exit(1);
        for (int i = 0; i < 5000; ++i)
          (void)now.find_concept(store::kEntityType, "a name " + std::to_string(i));
        _exit(0);
      },
      testing::ExitedWithCode(cli::kIntegrity), "was cut while it was mapped");
  const auto space = store::Space::open(folder.path(), {}).value();
  EXPECT_FALSE(space->notes().empty());
  EXPECT_TRUE(space->snapshot().value().find_concept(store::kEntityType, "a name 4999"));
}

}  // namespace
}  // namespace anima::cut_base_test
