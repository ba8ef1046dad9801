#include "base/packs.h"

#include "base/detail/packs_table.h"

namespace anima {

std::optional<std::string_view> pack_file(std::string_view path) {
  for (const auto* file = detail::packs_table(); file->path != nullptr; ++file) {
    if (path == file->path) return {{reinterpret_cast<const char*>(file->data), file->size}};
  }
  return std::nullopt;
}

std::vector<std::string_view> pack_files(std::string_view prefix) {
  std::vector<std::string_view> paths;
  for (const auto* file = detail::packs_table(); file->path != nullptr; ++file) {
    if (std::string_view(file->path).starts_with(prefix)) paths.emplace_back(file->path);
  }
  return paths;
}

}  // namespace anima
