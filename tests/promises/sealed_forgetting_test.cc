// What is sealed under a key that is not here cannot be searched for a name. A forgetting says so,
// and the same words forget it once the key is back.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files/file.h"
#include "support/command.h"

namespace anima {
namespace {

class SealedForgetting : public testing::Test {
 protected:
  void SetUp() override {
    test::init_space(folder_);
    ASSERT_EQ(anima("remember 'Carl Weber lives in Rome.'").code, 0);
    ASSERT_EQ(anima("message 'remember that Alice Zorbel works at Globex'").code, 0);
  }
  test::Ran anima(const std::string& arguments) const {
    return test::run_anima(folder_, arguments, "2>&1 </dev/null");
  }
  void move_keys(const std::string& from, const std::string& to) const {
    std::filesystem::create_directories(folder_.file(to));
    for (const auto& each : std::filesystem::directory_iterator(folder_.file(from)))
      if (each.path().extension() == ".seal")
        std::filesystem::rename(each.path(),
                                std::filesystem::path(folder_.file(to)) / each.path().filename());
  }

  TemporaryDirectory folder_{"anima-sealed-forgetting"};
};

TEST_F(SealedForgetting, SaysWhatItCouldNotSearchAndReachesItWithTheKey) {
  ASSERT_NE(anima("events").out.find("Zorbel"), std::string::npos);
  move_keys("space/keys", "away");
  const std::string name = "forget 'Alice Zorbel' --mentions ";
  for (const std::string& line : {name + "--dry-run", "--json " + name + "--dry-run"}) {
    const test::Ran looked = anima(line);
    EXPECT_EQ(looked.code, 0) << looked.out;
    EXPECT_NE(looked.out.find("sealed under events#"), std::string::npos) << looked.out;
  }
  const std::string path = folder_.file("certificate.json");
  const test::Ran forgot = anima(name + "--confirm -o " + path);
  EXPECT_EQ(forgot.code, 1) << forgot.out;
  EXPECT_NE(forgot.out.find("this is not all"), std::string::npos) << forgot.out;
  const std::string certificate = read_file(system_files(), path).value_or("");
  EXPECT_NE(certificate.find("sealed under events#"), std::string::npos) << certificate;
  EXPECT_NE(certificate.find("its key is not here"), std::string::npos) << certificate;
  EXPECT_EQ(anima("audit verify --certificate " + path).code, 0);
  // Of what nothing is called, it is said as well.
  EXPECT_NE(anima("forget 'Nobody Atall' --confirm").out.find("could not be searched"),
            std::string::npos);
  move_keys("away", "space/keys");
  ASSERT_NE(anima("events").out.find("Zorbel"), std::string::npos);
  const test::Ran again = anima(name + "--confirm");
  EXPECT_EQ(again.code, 0) << again.out;
  const std::string events = anima("events").out;
  EXPECT_EQ(events.find("Zorbel"), std::string::npos) << events;
  EXPECT_EQ(anima("audit verify").code, 0);
  EXPECT_EQ(anima(name + "--confirm").code, 6);
}

}  // namespace
}  // namespace anima
