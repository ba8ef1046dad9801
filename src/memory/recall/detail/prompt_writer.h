// PromptWriter: fills a prompt with items as long as they fit its budget, and writes it down with
// the fences of recall_context.h.
//
// Not thread-safe. Complexity: O(bytes of what is offered).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "memory/recall/recall_context.h"

namespace anima::memory::detail {

class PromptWriter {
 public:
  PromptWriter(std::string_view question, std::size_t budget_bytes);

  // Whether an item of so many bytes could still be in: says no early and for certain.
  bool has_room(std::size_t bytes) const { return used_ + bytes + kLineAround <= budget_; }
  bool is_full() const { return !has_room(1); }
  // Takes it whole, or not at all. `place` orders what is of one day.
  bool offer(ContextItem&& item, std::size_t place);
  // Takes as much of it as fits, for a prompt that is empty otherwise; false when that is little.
  bool offer_cut(ContextItem&& item);
  std::size_t size() const { return items_.size(); }

  // Sets the text, the fence, the label and the items; `left_out` is said in the text.
  void finish(RecalledContext& context, std::size_t left_out) &&;

 private:
  static constexpr std::size_t kLineAround = 3;  // "| " and the line's end

  // A group of one fence: whether something of its texts holds no longer (these come last), trust
  // (the most trusted first), source, author.
  using Group = std::tuple<bool, int, std::string, std::string>;
  struct Entry {
    ContextItem item;
    std::string lines;
    Group group;
    std::size_t place = 0;
  };
  static Group group_of(const ContextItem& item);
  std::size_t cost_of_frame(const Group& group, const ContextItem& item) const;
  void keep(Entry entry, std::size_t cost);
  bool stands_before(const Entry& a, const Entry& b) const;
  std::string fence_of_all() const;

  std::string question_;
  std::size_t budget_, used_;
  std::vector<Entry> items_;
  std::set<std::pair<Group, std::string>> days_;
  std::map<Group, std::string> groups_;  // and the day by which it is placed
};

}  // namespace anima::memory::detail
