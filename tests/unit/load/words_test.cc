#include "load/map/words.h"

#include <gtest/gtest.h>

namespace anima::load {
namespace {

TEST(LoadWords, MakesKeysOfTitles) {
  EXPECT_EQ(snake_case("Memory (MB)"), "memory_mb");
  EXPECT_EQ(snake_case("personId"), "person_id");
  EXPECT_EQ(snake_case("PERSON_ID"), "person_id");
  EXPECT_EQ(snake_case("  Größe in °C "), "größe_in_c");
  EXPECT_EQ(snake_case("%"), "value");
}

TEST(LoadWords, MakesTypesOfTables) {
  EXPECT_EQ(type_name("hosts"), "Host");
  EXPECT_EQ(type_name("network_devices"), "NetworkDevice");
  EXPECT_EQ(type_name("hosts-2025"), "Host");
  EXPECT_EQ(type_name("people"), "Person");
  EXPECT_EQ(type_name("Cities"), "City");
  EXPECT_EQ(type_name("status"), "Status");
  EXPECT_EQ(type_name("addresses"), "Address");
  EXPECT_EQ(type_name("2025"), "Row");
  EXPECT_EQ(type_name("cities15000"), "City");
  EXPECT_EQ(type_name("b2b"), "B2b");
}

TEST(LoadWords, KnowsWhatAColumnNames) {
  EXPECT_EQ(named_thing("host_id"), "host");
  EXPECT_EQ(named_thing("HostID"), "host");
  EXPECT_EQ(named_thing("PERSON_ID"), "person");
  EXPECT_EQ(named_thing("primary_hosts"), "primary_host");
  EXPECT_EQ(link_name("manager_id"), "manager");
}

}  // namespace
}  // namespace anima::load
