// The made tools of a space as files, and how one comes among them all at once or not at all.
//
//   FOLDER/<tool>.cpp  .compiled/<tool>  <tool>.json     what is in force; the manifest is written
//                                                        last and is the mark of the commit
//   FOLDER/.staging/<tool>.<run>/                        what is about to be
//   FOLDER/.versions/<tool>/<n>/                         the last three before, whole
//   FOLDER/.quarantine/<tool>.<run>/                     what did not fit its manifest
//   FOLDER/.history/<tool>.json                          hashes of sources, and panics
//   FOLDER/.locks/<tool>                                 held while the tool's files change
//
// A commit copies the version in force into .versions before it touches it, so a crash at any step
// leaves either version whole; recover() finds out which. Thread-safety: from any thread and
// process; commits of one tool take turns. Errors: those of the file system; kCorrupt (a manifest
// that cannot be read). Source: learning_and_psyche 1.13, rows R2 to R7.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/result.h"
#include "forge/example.h"

namespace anima::forge {

struct MadeTool {
  std::string name;
  std::string description;
  std::vector<std::string> capabilities;
  std::int64_t version = 1;
  std::string source_sha256;
  std::string binary_sha256;
  std::int64_t stability = 0;  // effective, in percent points
  double safety_score = 0;
  std::int64_t registered_at = 0;  // seconds since 1970
  std::string generator;
  Json need;
  std::vector<Example> examples;  // that it held when it was accepted

  Json to_json() const;
  static Result<MadeTool> from_json(const Json& json, const std::string& where);
};

struct ToolHistory {
  std::vector<std::string> hashes;   // of normalised sources with their examples that were
                                     // committed, the last 1000
  std::vector<std::int64_t> panics;  // since the last commit, seconds since 1970
};

class ToolStore {
 public:
  // Called before each step of a commit with its name; an error there is one of that step.
  using AtStep = std::function<Status(std::string_view step)>;

  ToolStore(FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  std::string source_path(std::string_view tool) const;
  std::string binary_path(std::string_view tool) const;

  // In force, and whole: nothing when the manifest is not there or a hash differs.
  Result<std::optional<MadeTool>> find(std::string_view tool) const;
  Result<std::vector<MadeTool>> list() const;  // sorted by name
  Result<std::string> source(std::string_view tool) const;

  // Held for as long as the answer lives.
  Result<std::unique_ptr<FileLock>> lock(std::string_view tool, bool wait) const;
  // Puts a version in force. `tool` has its hashes; its version becomes the next one. Requires the
  // lock. After an error the version before is in force and nothing is staged.
  Result<MadeTool> commit(MadeTool tool, std::string_view run, std::string_view source,
                          std::string_view binary, const AtStep& at_step = {});
  // Puts the version before back in force, or removes the only one. Requires the lock.
  Status roll_back(const MadeTool& tool);
  // Takes it out of force with all its versions. Requires the lock.
  Status remove(std::string_view tool);

  // What a crash left is cleared away; names the tools that were restored or put in quarantine.
  struct Recovery {
    std::vector<std::string> restored, quarantined;
  };
  Result<Recovery> recover(std::string_view run);

  Result<ToolHistory> history(std::string_view tool) const;
  Status keep_history(std::string_view tool, const ToolHistory& history);

 private:
  std::string manifest_path(std::string_view tool) const;
  std::string version_folder(std::string_view tool, std::int64_t version) const;
  // The three files of a tool in a folder of its own, whole or not at all.
  Result<std::optional<MadeTool>> whole_in(const std::string& source, const std::string& binary,
                                           const std::string& manifest) const;
  Status keep_version(const MadeTool& tool);
  Status restore_version(std::string_view tool, std::int64_t version);
  Status prune_versions(std::string_view tool);
  Result<std::vector<std::int64_t>> versions(std::string_view tool) const;  // the newest first
  Status recover_tool(const std::string& tool, std::string_view run, Recovery& recovery);
  Status quarantine(const std::string& tool, std::string_view run);

  FileSystem& files_;
  std::string folder_;
};

}  // namespace anima::forge
