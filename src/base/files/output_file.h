// A file that a user named to be written: `-o FILE` and the like.
//
// What lies at the path decides. Nothing, or a regular file: the bytes go into a draft beside it,
// which takes its place when all is there, so that a reader sees the old file or the new one.
// Anything else (a device, a pipe, a link to either or to a file: /dev/null, /dev/stdout, >(gzip))
// is written into and stays what it is. A directory is an error, and so is a link of somebody
// else's (kDenied): he would choose the file that is written. Nor is a file of a space written
// (output_place.h). Files of our own that nobody named are written with replace_file
// (base/files/file.h). Errors: those of base/files/file.h and of output_place.h.
// Thread-safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/file.h"
#include "base/result.h"

namespace anima {

// For the owner alone, unless whoever wants the file shared says so.
inline constexpr std::uint32_t kPrivateFile = 0600;

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> open(FileSystem& files, const std::string& path,
                                                  std::uint32_t permissions = kPrivateFile);
  // Without commit() the path is as it was, as far as it can be.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Takes so many bytes of the disk before the first append(), for what is to be written whatever
  // happens meanwhile; nothing for what is written in place. Errors: kDiskFull.
  Status reserve(std::uint64_t bytes);
  Status append(std::string_view bytes);
  Status commit();  // durable when it returns, where the path can be

 private:
  friend Status rewrite_file(FileSystem& files, const std::string& path, std::string_view bytes,
                             std::uint32_t permissions);
  OutputFile(FileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}
  static Result<std::unique_ptr<OutputFile>> open_anywhere(FileSystem& files,
                                                           const std::string& path,
                                                           std::uint32_t permissions);

  FileSystem& files_;
  const std::string path_;
  std::string draft_;                         // empty: written in place
  std::unique_ptr<File> file_;                // of the draft
  std::uint64_t reserved_ = 0, written_ = 0;  // bytes of the draft
  int descriptor_ = -1;                       // in place
};

// All of a file at once.
Status write_output(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions = kPrivateFile);

// A file that was read and is to say the same in another form, as a formatter does it: wherever it
// lies, in a space, too.
Status rewrite_file(FileSystem& files, const std::string& path, std::string_view bytes,
                    std::uint32_t permissions);

// What stands in the names of drafts, of replace_file() too, behind the name of what they are to
// become; behind it the number of the process and '-'.
inline constexpr std::string_view kDraftMark = ".tmp-";

// Removes the drafts in a folder that processes which are no more have left; with a name, only
// those that were to become it. A process of another machine or container counts as gone: what it
// writes at this very moment it then finds missing, and says so.
void remove_dead_drafts(FileSystem& files, const std::string& folder, std::string_view name = {});

// Whether a file may be renamed to this path: nothing is there, or a regular file and no link, and
// it lies in no space. Errors: kInvalidArgument for anything else.
Status check_replaceable(const std::string& path);

}  // namespace anima
