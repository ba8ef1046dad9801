// The stores of shards as bytes, for a backup, and back.
//
// What is read is one moment of each store, also while others write to it. What is written was
// looked at first: a file that has other tables than a store has, or anything that runs by itself
// (triggers, views), is refused. Thread-safety: functions without state. Errors: of the files
// (kIo, kBusy, kDiskFull); kCorrupt, kVersionMismatch (a store of a newer program),
// kAlreadyExists, kInvalidArgument (no shard's name).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/result.h"

namespace anima::learn {

struct ShardFile {
  std::string shard;
  std::string bytes;
};

struct ShardFiles {
  std::vector<ShardFile> read;  // by name
  std::vector<Error> left_out;  // of each that cannot be read or is no store; `where` is its path
};

// Every store of the folder; none where there is no folder. One in which nothing was ever kept is
// no store yet.
Result<ShardFiles> read_shard_files(const std::string& folder, FileSystem& files);
// Of each store of the folder that cannot be read or is no store, what is wrong; `where` is its
// path. Every page is looked at. O(bytes).
Result<std::vector<Error>> faults_of_shards(const std::string& folder, FileSystem& files);
// Of each store of the folder that works, and that yet may not be what is meant: a link to another
// file, and one that is empty.
Result<std::vector<Error>> oddities_of_shards(const std::string& folder, FileSystem& files);
// Gives a damaged store another name, under which it is no store any more; what belongs to it goes
// with it. Nothing is deleted. The new path.
Result<std::string> set_shard_aside(const std::string& path, Timestamp now, FileSystem& files);

// Makes a store of it in the folder, where there is none of that shard.
Status write_shard_file(const std::string& folder, const ShardFile& shard, FileSystem& files);

}  // namespace anima::learn
