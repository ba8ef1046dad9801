#include "agent/learnings/kept_learnings.h"

#include <utility>

#include "agent/learnings/own_learnings.h"
#include "learn/learning_store.h"
#include "learn/shard_files.h"

namespace anima::agent {
namespace {

constexpr std::string_view kShards = "shards/";

}  // namespace

Result<KeptLearnings> kept_learnings(const std::string& space_folder, FileSystem& files) {
  KeptLearnings kept;
  ANIMA_ASSIGN(auto shards, learn::read_shard_files(shards_folder(space_folder), files));
  for (learn::ShardFile& each : shards.read)
    kept.files.push_back({std::string(kShards) + each.shard, std::move(each.bytes)});
  kept.left_out = std::move(shards.left_out);
  return kept;
}

RestoredLearnings restore_learnings(const std::vector<store::KeptFile>& kept,
                                    const std::string& space_folder, FileSystem& files) {
  RestoredLearnings restored;
  for (const store::KeptFile& each : kept) {
    if (!each.name.starts_with(kShards)) continue;
    const Status written = learn::write_shard_file(
        shards_folder(space_folder), {each.name.substr(kShards.size()), each.bytes}, files);
    if (written) {
      ++restored.shards;
    } else {
      restored.left_out.push_back(written.error());
    }
  }
  return restored;
}

Result<std::size_t> forget_learnings(const std::string& space_folder, FileSystem& files,
                                     const std::function<bool(std::string_view)>& names,
                                     bool dry_run) {
  ANIMA_ASSIGN(learn::LearnableTable table, learnable_table(files, space_folder));
  SystemClock clock;
  learn::LearningStore store(shards_folder(space_folder), std::move(table), clock, {}, files);
  ANIMA_ASSIGN(const std::vector<std::string> shards, store.shards());
  std::size_t rows = 0;
  for (const std::string& shard : shards) {
    const auto here = store.forget(shard, names, dry_run);
    const bool unreadable = !here && (here.error().code == ErrorCode::kCorrupt ||
                                      here.error().code == ErrorCode::kVersionMismatch);
    if (!here && !unreadable) return fail(here.error());
    if (here) rows += *here;
  }
  return rows;
}

}  // namespace anima::agent
