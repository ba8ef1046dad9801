// Outlet: an answer that goes on. Whoever makes it puts pieces in; the connection takes them as
// fast as its reader does.
//
// What waits for a reader is bounded: one that is too slow is told so by the farewell, and it ends.
// Ownership: shared by who makes the answer and the connection; either may end it. Thread-safety:
// every function from any thread. Complexity: O(bytes).
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace anima::serve::http {

class Outlet {
 public:
  // The last piece of an answer that is ended before its time, in the form of the answer.
  using Farewell = std::function<std::string(std::string_view reason)>;
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // bytes

  explicit Outlet(Farewell farewell, std::size_t most_waiting = kMostWaiting)
      : farewell_(std::move(farewell)), most_waiting_(most_waiting) {}

  // False: it is over. One piece may be longer than the bound when nothing else waits.
  bool put(std::string_view piece);
  void end();                         // behind what was put in
  void end(std::string_view reason);  // likewise, with the farewell
  bool is_over() const;               // it was ended, or nobody reads any more
  std::size_t waiting() const;        // bytes that the reader has not taken

  // For the connection. `wake` is called whenever there is something to take, from any thread.
  void connect(std::function<void()> wake);
  struct Piece {
    std::string bytes;
    bool last = false;
  };
  Piece take();
  void written(std::size_t bytes);
  void lost();  // nobody reads any more

 private:
  void call_wake();

  const Farewell farewell_;
  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::string kept_;
  std::size_t on_the_way_ = 0;
  bool ended_ = false, lost_ = false;
  std::function<void()> wake_;
};

}  // namespace anima::serve::http
