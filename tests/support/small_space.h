// A space that makes no checkpoint on its own, and what its tests write and read by name.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "base/files/file.h"
#include "store/space.h"

namespace anima::test {

// Makes it where there is none, unless it is only read. Null, with a failed test, where it does not
// open.
inline std::shared_ptr<store::Space> open_space(const std::string& folder,
                                                FileSystem* files = nullptr,
                                                bool read_only = false) {
  store::SpaceOptions options;
  options.create = !read_only;
  options.read_only = read_only;
  options.files = files;
  options.checkpoint_after_rows = 0;
  auto space = store::Space::open(folder, options);
  EXPECT_TRUE(space) << space.error().describe();
  return space ? *space : nullptr;
}

// Opened again without any base file: what the log alone says.
inline std::shared_ptr<store::Space> from_log_alone(std::shared_ptr<store::Space> space) {
  const std::string folder = space->folder();
  space.reset();
  const auto entries = system_files().list(folder);
  EXPECT_TRUE(entries) << folder;
  if (!entries) return nullptr;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.name.ends_with(".anima")) (void)system_files().remove(join_path(folder, entry.name));
  }
  return open_space(folder);
}

// An attribute of a thing of the general type, which is made with it.
inline Status say(store::Transaction& transaction, const std::string& name, const std::string& key,
                  const std::string& value) {
  ANIMA_ASSIGN(const store::EntityId entity, transaction.upsert_concept(store::kEntityType, name));
  ANIMA_ASSIGN(const store::Term term, transaction.term(store::Value::string(value).view()));
  return transaction.set_attribute(entity, key, std::span(&term, 1));
}

// Empty: there is no such thing or attribute.
inline std::string told(store::Space& space, const std::string& name, const std::string& key) {
  const store::Snapshot now = space.snapshot().value();
  const auto entity = now.find_concept(store::kEntityType, name);
  const auto term = entity ? now.attribute(*entity, key) : std::nullopt;
  return term ? std::string(now.value(*term).text) : std::string();
}

}  // namespace anima::test
