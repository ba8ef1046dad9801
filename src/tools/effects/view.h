// A view of a folder in which a command can run and change nothing: layers (overlayfs in the user
// name space of the sandbox: what is written lands in an upper folder, and the size of the folder
// costs nothing), or a copy (reflinks where the file system has them), where a machine has no
// overlayfs for ordinary users or the folder of the layers has no extended attributes.
//
// A view holds a lock on its own place while it lives, so that what a killed process left is told
// from what is in use, and removes the place at its end. Thread-safety: belongs to one thread.
// Errors: kUnsupported (no layers here), kLimitExceeded (too much to copy), kConflict (the folder
// changed while it was copied), kIo.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "tools/detail/folder_lock.h"
#include "tools/effects/scan.h"
#include "tools/sandbox/sandbox.h"

namespace anima::tools::effects {

enum class ViewKind : std::uint8_t { kLayers, kCopy };
std::string_view to_string(ViewKind kind);

class View {
 public:
  // `folder` and `place` absolute; `place` is a folder of ours that does not exist yet.
  static Result<View> make(ViewKind kind, const std::string& folder, const std::string& place);
  View(View&& other) noexcept;
  View& operator=(View&&) = delete;
  ~View();

  FolderView shown() const;
  // What the command made of it, once it has ended.
  Result<Difference> difference(const ScanLimits& limits = {}) const;
  // Where a file of the difference lies with its new content.
  std::string content_of(const std::string& path) const;
  ViewKind kind() const { return kind_; }

 private:
  View(ViewKind kind, std::string folder, std::string place, detail::FolderLock lock);
  Status make_layers() const;
  Status copy();

  ViewKind kind_;
  std::string folder_, place_;
  std::int64_t since_ns_ = 0;
  Manifest manifest_;  // of a copy
  detail::FolderLock lock_;
};

// Removes the views in `state` that nobody uses any more.
void remove_left_views(const std::string& state);
inline constexpr std::string_view kViewPrefix = "view-";

}  // namespace anima::tools::effects
