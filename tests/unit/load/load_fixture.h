// Loads texts as files into a space in memory, as a caller of the room does.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "kip/engine.h"
#include "load/load.h"

namespace anima::load {

class LoadFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    space_ = store::Space::in_memory().value();
    engine_ = kip::Engine::open(space_).value();
  }

  using Files = std::vector<std::pair<std::string, std::string>>;

  Result<LoadReport> try_load(const Files& files, LoadSettings settings = {}) {
    std::vector<LoadInput> inputs;
    for (const auto& [name, text] : files) {
      EXPECT_TRUE(replace_file(system_files(), folder_.file(name), text).has_value());
      inputs.push_back({folder_.file(name)});
    }
    ANIMA_ASSIGN(const store::Snapshot now, space_->snapshot());
    ANIMA_ASSIGN(auto loading,
                 Loading::open(system_files(), std::move(inputs), std::move(settings), now));
    planned_ = loading->tables();
    notes_ = loading->notes();
    store::Origin origin;
    origin.author = "tester";
    origin.source = "test";
    return loading->write(*space_, origin);
  }

  LoadReport load(const Files& files, LoadSettings settings = {}) {
    auto report = try_load(files, std::move(settings));
    EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().describe());
    return report ? *report : LoadReport();
  }

  // Loads twice: the second time nothing is written.
  LoadReport load_twice(const Files& files, const LoadSettings& settings = {}) {
    const LoadReport first = load(files, settings);
    EXPECT_TRUE(first.receipt.changed);
    const auto head = sequence();
    const LoadReport second = load(files, settings);
    EXPECT_FALSE(second.receipt.changed);
    EXPECT_EQ(sequence(), head);
    return first;
  }

  std::uint64_t sequence() {
    return static_cast<std::uint64_t>(space_->log().head().value().sequence);
  }

  // The result of a KIP query, or its error.
  std::string kip(const std::string& query) {
    const Json answer = engine_->execute(query, Json::object(), {});
    const Json* result = answer.find("result");
    return result != nullptr ? result->dump() : answer.dump();
  }

  std::string form_of(const std::string& column, std::size_t table = 0) {
    const ColumnMapping* mapping = planned_.at(table).mapping.find(column);
    if (mapping == nullptr) return "no column";
    if (mapping->role == ColumnRole::kSkip) return "skip";
    if (mapping->role == ColumnRole::kLink) return mapping->predicate + " -> " + mapping->target;
    return mapping->attribute + ": " + form_name(mapping->form);
  }

  TemporaryDirectory folder_{"anima-load"};
  std::shared_ptr<store::Space> space_;
  std::shared_ptr<kip::Engine> engine_;
  std::vector<PlannedTable> planned_;
  std::vector<std::string> notes_;
};

}  // namespace anima::load
