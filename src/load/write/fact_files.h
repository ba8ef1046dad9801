// Files that hold facts already, read as `anima import` reads them, into one transaction.
// Thread-safety: one thread. Errors: those of the readers, with the place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/load.h"
#include "load/sniff/file_kind.h"
#include "store/transaction.h"

namespace anima::load {

struct FactFile {
  std::string file;
  FileKind kind = FileKind::kRdf;
  std::string_view text;  // lives as long as `keeps`
  std::shared_ptr<void> keeps;
};

Result<std::vector<FactsReport>> write_facts(store::Transaction& transaction,
                                             const std::vector<FactFile>& files,
                                             const std::function<bool()>& cancelled);

}  // namespace anima::load
