// The program on a space of its own, called as other programs call it: by its arguments.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/process.h"

namespace anima::test {

class ProgramOnSpace : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(anima({"init"}).exit_code, 0); }

  ProcessOptions call(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    options.arguments = {std::string(ANIMA_BINARY_DIR) + "/anima", "--space", space_};
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    return options;
  }
  ProcessResult anima(const std::vector<std::string>& arguments) const {
    return run_process(call(arguments)).value();
  }

  TemporaryDirectory folder_{"anima-program"};
  std::string space_ = folder_.file("space");
};

}  // namespace anima::test
