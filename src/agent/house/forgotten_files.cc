#include "agent/house/forgotten_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "agent/learnings/own_learnings.h"
#include "base/crypto.h"
#include "base/json/json_member.h"
#include "base/json/text_array.h"
#include "base/text/normal_forms.h"
#include "base/text/text.h"
#include "learn/shard_files.h"

namespace anima::agent {
namespace {

constexpr std::uint64_t kMostBytes = 16u << 20;  // of a file whose words are looked at
constexpr std::size_t kFewestBytes = 4;          // of a name that other bytes do not have by chance
constexpr std::string_view kStaged = "staged";
constexpr std::string_view kWork = "work";

using Visit = std::function<Status(const std::string&)>;

// Gets the path of a folder, and how many files are below it.
using Leave = std::function<void(const std::string& path, std::uint64_t files)>;

// Calls `visit` with each file below the folder, as a path that begins with `under`, and `left`
// with each folder, behind what is in it.
Status each_file(const std::string& folder, FileSystem& files, const std::string& under,
                 const Visit& visit, const Leave& left = {}) {
  const auto entries = files.list(join_path(folder, under));
  if (!entries) {
    return entries.error().code == ErrorCode::kNotFound ? Status() : fail(entries.error());
  }
  std::uint64_t count = 0;
  const Visit counted = [&](const std::string& path) {
    ++count;
    return visit(path);
  };
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = under.empty() ? entry.name : join_path(under, entry.name);
    if (entry.kind == FileInfo::Kind::kDirectory) {
      ANIMA_TRY(each_file(folder, files, path, counted, left));
    } else {
      ANIMA_TRY(counted(path));
    }
  }
  if (left && !under.empty()) left(under, count);
  return {};
}

// A pipe may never end.
bool is_file(const std::string& path, FileSystem& files) {
  const auto info = files.info(path);
  return info && info->kind == FileInfo::Kind::kFile;
}

// Nothing for what cannot be searched.
std::optional<bool> content_names(const std::string& path, FileSystem& files,
                                  const IsNamed& named) {
  if (!is_file(path, files)) return std::nullopt;
  const auto bytes = read_file(files, path, kMostBytes);
  if (!bytes) return std::nullopt;
  return named(*bytes);
}

// The record of an effect names its paths in hex.
bool record_names(std::string_view text, const IsNamed& named) {
  const auto record = parse_json(text);
  if (!record) return false;
  const Json* note = record->find("note");
  if (note != nullptr && named(note->dump())) return true;
  const Json* changes = record->find("changes");
  if (changes == nullptr || !changes->is_array()) return false;
  return std::ranges::any_of(changes->as_array(), [&](const Json& change) {
    return std::ranges::any_of(std::initializer_list<std::string_view>{"path", "moved_to"},
                               [&](std::string_view member) {
                                 const auto path = from_hex(text_member(change, member));
                                 return path && named(*path);
                               });
  });
}

std::string first_folder(const std::string& path) {
  const std::size_t begin = kStaged.size() + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

bool is_plain(unsigned char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' || byte == '.';
}

std::string percent_escaped(std::string_view text, std::string_view format) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    escaped += is_plain(byte) ? std::string(1, c) : fmt::format(fmt::runtime(format), byte);
  }
  return escaped;
}

// Each code point that is no ASCII, as `escape` writes it.
template <typename Escape>
std::string code_points_escaped(std::string_view text, const Escape& escape) {
  std::string escaped;
  for (const char32_t c : to_utf32(text)) {
    if (c < 0x80) {
      escaped += static_cast<char>(c);
    } else {
      escaped += escape(static_cast<std::uint32_t>(c));
    }
  }
  return escaped;
}

std::string json_escaped(std::string_view text, std::string_view format) {
  return code_points_escaped(text, [&](std::uint32_t c) {
    if (c < 0x10000) return fmt::format(fmt::runtime(format), c);
    return fmt::format(fmt::runtime(format), 0xd800 + ((c - 0x10000) >> 10)) +
           fmt::format(fmt::runtime(format), 0xdc00 + ((c - 0x10000) & 0x3ff));
  });
}

void add_escaped(const std::string& text, std::set<std::string>& forms) {
  const std::string upper = percent_escaped(text, "%{:02X}"),
                    lower = percent_escaped(text, "%{:02x}");
  forms.insert({upper, lower, replace_all(upper, "%20", "+"), replace_all(lower, "%20", "+")});
  forms.insert({json_escaped(text, "\\u{:04x}"), json_escaped(text, "\\u{:04X}")});
  forms.insert(code_points_escaped(text, [](std::uint32_t c) { return fmt::format("&#{};", c); }));
  forms.insert(
      code_points_escaped(text, [](std::uint32_t c) { return fmt::format("&#x{:x};", c); }));
  forms.insert(
      code_points_escaped(text, [](std::uint32_t c) { return fmt::format("&#x{:X};", c); }));
  for (const std::string_view joint : {"-", "_", ""}) forms.insert(replace_all(text, " ", joint));
}

std::vector<std::string> byte_forms(const std::vector<std::string>& names) {
  std::set<std::string> forms;
  for (const std::string& name : names) {
    if (name.size() < kFewestBytes) continue;
    for (const std::string& cased : {name, to_lower(name), to_upper(name)}) {
      for (const std::string& normal : {cased, to_nfc(cased), to_nfd(cased)}) {
        forms.insert(normal);
        add_escaped(normal, forms);
      }
    }
  }
  return {forms.begin(), forms.end()};
}

// What `anima forget` itself takes the name out of, or what holds no text.
bool is_of_the_store(std::string_view path) {
  constexpr std::array<std::string_view, 9> kBegin = {
      "log.db", "log.head", "log.turn", "base-", "keys/", "shards/", "vectors", "staged/", "work/"};
  return path.ends_with(".lock") || std::ranges::any_of(kBegin, [&](std::string_view begin) {
           return path.starts_with(begin);
         });
}

// As a person calls where a file of a space belongs (docs/formats.md).
std::string place_of(const std::string& path) {
  if (path.starts_with("log.db")) return "the log";
  if (path.starts_with("base-")) return "views, word index";
  if (path.starts_with("shards/")) return "learnings";
  if (path.starts_with("vectors")) return "vectors";
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "other files" : path.substr(0, slash + 1);
}

}  // namespace

Result<NamedFiles> find_named_files(const std::string& space_folder, FileSystem& files,
                                    const IsNamed& named) {
  NamedFiles found;
  const auto look = [&](const std::string& path) -> bool {
    ++found.searched;
    const std::string whole = join_path(space_folder, path);
    if (named(path)) return true;
    const auto names = content_names(whole, files, named);
    if (!names) found.unsearched.push_back(path);
    return names.value_or(false);
  };
  ANIMA_TRY(each_file(space_folder, files, std::string(kStaged), [&](const std::string& path) {
    const std::string folder = first_folder(path);
    // A command that runs has them; a journal holds an id.
    if (folder.starts_with("view-")) {
      found.unsearched.push_back(path);
      return Status();
    }
    if (folder == "journal") return Status();
    const bool known = !found.staged.empty() && found.staged.back() == folder;
    bool goes = !known && look(path);
    if (!known && !goes && path.ends_with("/record.json")) {
      const std::string record = join_path(space_folder, path);
      const auto text = is_file(record, files) ? read_file(files, record, kMostBytes)
                                               : Result<std::string>(std::string());
      goes = text && record_names(*text, named);
    }
    if (goes) found.staged.push_back(folder);
    return Status();
  }));
  // A folder that is called so goes with what is in it.
  const auto leave_work = [&](const std::string& path, std::uint64_t count) {
    if (path != kWork && named(path))
      (count == 0 ? found.work : found.work_folders).push_back(path);
  };
  ANIMA_TRY(each_file(
      space_folder, files, std::string(kWork),
      [&](const std::string& path) {
        if (look(path)) found.work.push_back(path);
        return Status();
      },
      leave_work));
  ANIMA_ASSIGN(const std::vector<Error> faults,
               learn::faults_of_shards(shards_folder(space_folder), files));
  for (const Error& fault : faults)
    found.unsearched.push_back(join_path("shards", file_name(fault.where)));
  ANIMA_TRY(each_file(
      space_folder, files, {},
      [&](const std::string& path) {
        if (!is_of_the_store(path) && look(path)) found.by_hand.push_back(path);
        return Status();
      },
      [&](const std::string& path, std::uint64_t count) {
        if (count == 0 && !is_of_the_store(path + "/") && named(path))
          found.by_hand.push_back(path);
      }));
  return found;
}

Status remove_named_files(const std::string& space_folder, FileSystem& files,
                          const NamedFiles& named, bool work) {
  const std::string staged = join_path(space_folder, std::string(kStaged));
  for (const std::string& folder : named.staged)
    ANIMA_TRY(remove_tree(files, join_path(staged, folder)));
  if (!work) return {};
  for (const std::string& path : named.work) ANIMA_TRY(files.remove(join_path(space_folder, path)));
  // From within; what came into one meanwhile keeps it.
  for (const std::string& path : named.work_folders)
    (void)files.remove(join_path(space_folder, path));
  return {};
}

Result<std::vector<Searched>> search_bytes(const std::string& space_folder, FileSystem& files,
                                           const std::vector<std::string>& names) {
  std::vector<Searched> places;
  const std::vector<std::string> forms = byte_forms(names);
  if (forms.empty()) return places;
  ANIMA_TRY(each_file(space_folder, files, {}, [&](const std::string& path) -> Status {
    const std::string place = place_of(path);
    auto at = std::ranges::find(places, place, &Searched::place);
    if (at == places.end()) {
      places.push_back({place, "every byte", 0, {}});
      at = places.end() - 1;
    }
    ++at->files;
    const std::string whole = join_path(space_folder, path);
    if (!is_file(whole, files)) {
      at->left.push_back(path + " (no file)");
      return {};
    }
    const auto mapped = files.map(whole);
    if (!mapped) {
      const auto info = files.info(whole);
      if (info && info->size != 0) at->left.push_back(path + " (could not be read)");
      return {};
    }
    const std::string_view bytes = (*mapped)->bytes();
    const bool left = std::ranges::any_of(
        forms, [&](const std::string& form) { return bytes.find(form) != std::string_view::npos; });
    if (left) at->left.push_back(path);
    return {};
  }));
  return places;
}

Json searched_json(const std::vector<Searched>& places, const NamedFiles& named, bool work) {
  Json list = Json::array();
  const auto add = [&](std::string_view place, std::string_view how,
                       const std::vector<std::string>& left, std::uint64_t count) {
    list.push_back(Json::object({{"place", std::string(place)},
                                 {"how", std::string(how)},
                                 {"files", count},
                                 {"left", text_array(left)}}));
  };
  std::vector<std::string> left = named.by_hand;
  if (!work) left.insert(left.end(), named.work.begin(), named.work.end());
  add("files beside the log", "words of paths and contents", left, named.searched);
  for (const std::string& path : named.unsearched)
    add(path, "not searched: too long, or it cannot be read", {path}, 0);
  for (const Searched& each : places) add(each.place, each.how, each.left, each.files);
  return list;
}

}  // namespace anima::agent
