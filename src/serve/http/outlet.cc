#include "serve/http/outlet.h"

#include <utility>

namespace anima::serve::http {

bool Outlet::put(std::string_view piece) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || lost_) return false;
    const std::size_t waits = kept_.size() + on_the_way_;
    if (waits > 0 && waits + piece.size() > most_waiting_) {
      kept_ += farewell_("the reader is too slow");
      ended_ = true;
    } else {
      kept_ += piece;
    }
  }
  call_wake();
  return !is_over();
}

void Outlet::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  call_wake();
}

void Outlet::end(std::string_view reason) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) kept_ += farewell_(reason);
    ended_ = true;
  }
  call_wake();
}

bool Outlet::is_over() const {
  const std::lock_guard lock(mutex_);
  return ended_ || lost_;
}

std::size_t Outlet::waiting() const {
  const std::lock_guard lock(mutex_);
  return kept_.size() + on_the_way_;
}

void Outlet::connect(std::function<void()> wake) {
  {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  call_wake();
}

Outlet::Piece Outlet::take() {
  const std::lock_guard lock(mutex_);
  on_the_way_ += kept_.size();
  return {std::exchange(kept_, {}), ended_};
}

void Outlet::written(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  on_the_way_ -= bytes;
}

void Outlet::lost() {
  const std::lock_guard lock(mutex_);
  lost_ = true;
  kept_.clear();
  wake_ = nullptr;
}

void Outlet::call_wake() {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) wake();
}

}  // namespace anima::serve::http
