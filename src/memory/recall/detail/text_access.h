// What recall needs of the memory manager, under its lock: the view of all texts, an item whole,
// and the note that it was handed out.
//
// Valid during the call that hands it over. Thread-safety: one thread.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "memory/memory_item.h"
#include "memory/provenance.h"
#include "memory/recall/detail/texts_view.h"
#include "store/space.h"

namespace anima::memory::detail {

struct TextAccess {
  TextsView& view;
  TextsView::Load load;
  std::function<void(const MemoryItem&, std::string_view reader)> handed_out;
  Timestamp now;
  store::Space& space;
  const ProvenanceLedger* provenance = nullptr;  // null: nobody needs it
};

}  // namespace anima::memory::detail
