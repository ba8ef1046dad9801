// What may become memory: recalled text, near-duplicates, text about nothing.
#include "memory/admission.h"

#include <gtest/gtest.h>

#include <string_view>

namespace anima::memory {
namespace {

const std::vector<store::EntityId> kEarth = {store::EntityId{7}};
const std::vector<store::EntityId> kMars = {store::EntityId{8}};

double likeness(std::string_view a, std::string_view b) {
  return ComparedText(a).likeness(ComparedText(b));
}

TEST(Admission, LikenessCountsWordsAndTheirOrder) {
  EXPECT_DOUBLE_EQ(likeness("Earth orbits the Sun", "earth ORBITS the sun"), 1.0);
  EXPECT_DOUBLE_EQ(likeness("Earth orbits the Sun", "gold is heavy"), 0.0);
  // The four words are shared, of three pairs each none: 4 / 10.
  EXPECT_DOUBLE_EQ(likeness("a1 b2 c3 d4", "c3 a1 d4 b2"), 0.4);
  EXPECT_LT(likeness("room 12 is free", "room 13 is free"), kDuplicateFrom);
  EXPECT_DOUBLE_EQ(likeness("", ""), 1.0);
  EXPECT_DOUBLE_EQ(likeness("", "x"), 0.0);
}

TEST(Admission, NewTextWithASubjectIsAdmitted) {
  EXPECT_EQ(admit(ComparedText("Earth orbits the Sun"), kEarth, {}, {}).verdict,
            AdmissionVerdict::kAdmit);
}

TEST(Admission, RecalledTextIsNeverLearntAgain) {
  const std::vector<ComparedText> recalled = {ComparedText("Earth orbits the Sun once a year")};
  EXPECT_EQ(admit(ComparedText("Earth orbits the Sun once a year"), kEarth, recalled, {}).verdict,
            AdmissionVerdict::kRecalled);
  EXPECT_EQ(admit(ComparedText("Earth orbits the Sun once a year."), {}, recalled, {}).verdict,
            AdmissionVerdict::kRecalled);
  EXPECT_EQ(admit(ComparedText("Mars has two moons"), kMars, recalled, {}).verdict,
            AdmissionVerdict::kAdmit);
}

TEST(Admission, NearDuplicatesOfTheSameSubjectsAreMerged) {
  const std::vector<Remembered> known = {
      {4, ComparedText("3 facts about Earth were found today"), kEarth},
      {5, ComparedText("3 facts about Earth were found"), kEarth},
      {6, ComparedText("3 facts about Mars were found"), kMars}};
  const Admission found = admit(ComparedText("3 facts about earth were found"), kEarth, {}, known);
  EXPECT_EQ(found.verdict, AdmissionVerdict::kDuplicate);
  EXPECT_EQ(found.duplicate_of, 5U);
  EXPECT_DOUBLE_EQ(found.likeness, 1.0);
  EXPECT_EQ(admit(ComparedText("3 facts about Earth were found"), kMars, {}, known).verdict,
            AdmissionVerdict::kAdmit);
}

TEST(Admission, TextAboutNothingIsQuarantined) {
  EXPECT_EQ(admit(ComparedText("it was nice"), {}, {}, {}).verdict, AdmissionVerdict::kSubjectless);
}

}  // namespace
}  // namespace anima::memory
