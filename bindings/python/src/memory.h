// Memory, View, Rules and ChangeFeed for Python. The classes that a program sees are those of
// anima/_memory.py; here every argument has its place and every answer is a plain value.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "anima/memory.h"
#include "held.h"

namespace anima::python {

namespace nb = nanobind;

struct Feed {
  explicit Feed(ChangeFeed opened) : feed(std::move(opened)), after(feed.after()) {}
  std::mutex mutex;
  ChangeFeed feed;  // under `mutex`
  std::atomic<std::uint64_t> after;
};

using MemoryBox = Held<Memory>;
using ViewBox = Held<View>;
using RulesBox = Held<Rules>;
using FeedBox = Held<std::shared_ptr<Feed>>;

void bind_memory(nb::module_& module);
void bind_agent(nb::module_& module);
void bind_guard(nb::module_& module);

}  // namespace anima::python
