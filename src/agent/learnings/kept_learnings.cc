#include "agent/learnings/kept_learnings.h"

#include <utility>

#include "agent/learnings/own_learnings.h"
#include "learn/shard_files.h"

namespace anima::agent {
namespace {

constexpr std::string_view kShards = "shards/";

}  // namespace

Result<std::vector<store::KeptFile>> kept_learnings(const std::string& space_folder,
                                                    FileSystem& files) {
  std::vector<store::KeptFile> kept;
  ANIMA_ASSIGN(auto shards, learn::read_shard_files(shards_folder(space_folder), files));
  for (learn::ShardFile& each : shards)
    kept.push_back({std::string(kShards) + each.shard, std::move(each.bytes)});
  return kept;
}

Result<std::size_t> restore_learnings(const std::vector<store::KeptFile>& kept,
                                      const std::string& space_folder, FileSystem& files) {
  std::size_t shards = 0;
  for (const store::KeptFile& each : kept) {
    if (!each.name.starts_with(kShards)) continue;
    ANIMA_TRY(learn::write_shard_file(shards_folder(space_folder),
                                      {each.name.substr(kShards.size()), each.bytes}, files));
    ++shards;
  }
  return shards;
}

}  // namespace anima::agent
