// Expected: a value, or the error in its place (the interface of std::expected, C++23, as far as it
// is used here).
//
// Invariant: the error lies on the heap and a pointer to it tells which of the two is held, so that
// an error goes up through any number of callers as one pointer, and what each caller compiles for
// it is a test and a jump. An Expected that was moved from still holds a value or an error as
// before, an empty one. Errors: value() of a failed one tells the error on stderr and aborts;
// operator*, operator-> and error() require that what they give is there. Ownership: of the value
// and the error. Thread-safety: plain values. Complexity: an allocation for each error made or
// copied, none for a value.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace anima {

// Ends the program: a value was asked for where there is this error.
[[noreturn]] void value_missing(std::string_view error);

// Where errors of one type are made and ended. Compiled once a type: `extern template struct
// ErrorHeap<E>` beside E.
template <typename E>
struct ErrorHeap {
  static E spent;  // stands where an error was moved away
  [[gnu::returns_nonnull]] static E* make(E&& error);
  [[gnu::returns_nonnull]] static E* copy(const E& error);
  static void drop(E* error);  // does nothing for null
  [[noreturn, gnu::cold]] static void end_program(const E& error);
};
template <typename E>
E ErrorHeap<E>::spent{};
template <typename E>
E* ErrorHeap<E>::make(E&& error) {
  return new E(std::move(error));
}
template <typename E>
E* ErrorHeap<E>::copy(const E& error) {
  return new E(error);
}
template <typename E>
void ErrorHeap<E>::drop(E* error) {
  if (error != &spent) delete error;
}
template <typename E>
void ErrorHeap<E>::end_program(const E& error) {
  if constexpr (requires { std::string_view(error.describe()); }) {
    value_missing(error.describe());
  } else {
    value_missing(error.message);
  }
}

// An error on its way into an Expected of any type.
template <typename E>
class [[nodiscard]] Unexpected {
 public:
  explicit Unexpected(E error) : error_(ErrorHeap<E>::make(std::move(error))) {}
  Unexpected(const Unexpected& other) : error_(ErrorHeap<E>::copy(*other.error_)) {}
  Unexpected(Unexpected&& other) noexcept
      : error_(std::exchange(other.error_, &ErrorHeap<E>::spent)) {}
  Unexpected& operator=(Unexpected other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Unexpected() {
    if (error_ != nullptr) ErrorHeap<E>::drop(error_);
  }

  const E& error() const { return *error_; }
  E& error() { return *error_; }

 private:
  template <typename T, typename F>
  friend class Expected;
  struct Owned {
    E* error;
  };
  explicit Unexpected(Owned owned) : error_(owned.error) {}
  // Requires that it was not moved from by an Expected. The compiler is told: it then sees that no
  // value is touched.
  E* release() {
    if (error_ == nullptr) __builtin_unreachable();
    return std::exchange(error_, nullptr);
  }

  E* error_;
};

template <typename T, typename E>
class Expected;

template <typename T>
inline constexpr bool kIsExpected = false;
template <typename T, typename E>
inline constexpr bool kIsExpected<Expected<T, E>> = true;
template <typename E>
inline constexpr bool kIsExpected<Unexpected<E>> = true;

// Where it sees that an Expected was made of an error, g++ 12 at -O1 still looks for its value in
// what the destructor would do to one, and does not find any. clang takes the 0 of `return 0` for
// any int once it was forwarded, and warns of its sign.
#pragma GCC diagnostic push
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wsign-conversion"
#else
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

template <typename T, typename E>
class [[nodiscard]] Expected {
 public:
  using value_type = T;
  using error_type = E;  // NOLINT(readability-identifier-naming): its name in the standard

  Expected() requires std::is_default_constructible_v<T> : error_(nullptr), value_() {}
  template <typename U = T>
  requires(!kIsExpected<std::remove_cvref_t<U>> &&
           std::is_constructible_v<T, U>) explicit(!std::is_convertible_v<U, T>) Expected(U&& value)
      : error_(nullptr), value_(std::forward<U>(value)) {}
  Expected(Unexpected<E> failure) : error_(failure.release()) {}
  // Of a lower room, as one of this room.
  template <typename F>
  requires(!std::is_same_v<E, F>) Expected(const Unexpected<F>& failure)
      : error_(ErrorHeap<E>::make(E(failure.error()))) {}

  Expected(const Expected& other) requires std::is_copy_constructible_v<T> {
    if (other.error_ == nullptr) {
      ::new (static_cast<void*>(std::addressof(value_))) T(other.value_);
      error_ = nullptr;
    } else {
      error_ = ErrorHeap<E>::copy(*other.error_);
    }
  }
  Expected(Expected&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
      : error_(other.error_) {
    if (error_ == nullptr) {
      ::new (static_cast<void*>(std::addressof(value_))) T(std::move(other.value_));
    } else {
      other.error_ = &ErrorHeap<E>::spent;
    }
  }
  // By value: what is to be copied was copied before this one ends.
  Expected& operator=(Expected other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    this->~Expected();
    ::new (static_cast<void*>(this)) Expected(std::move(other));
    return *this;
  }
  ~Expected() {
    if (error_ == nullptr) {
      value_.~T();
    } else {
      ErrorHeap<E>::drop(error_);
    }
  }

  bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return error_ == nullptr; }

  const T& operator*() const& { return value_; }
  T& operator*() & { return value_; }
  T&& operator*() && { return std::move(value_); }
  const T* operator->() const { return std::addressof(value_); }
  T* operator->() { return std::addressof(value_); }
  const T& value() const& {
    require();
    return value_;
  }
  T& value() & {
    require();
    return value_;
  }
  // The value itself, so that `for (auto& row : find().value())` has what it walks over.
  T value() && {
    require();
    return std::move(value_);
  }
  template <typename U>
  T value_or(U&& otherwise) const& {
    return error_ == nullptr ? value_ : static_cast<T>(std::forward<U>(otherwise));
  }
  template <typename U>
  T value_or(U&& otherwise) && {
    return error_ == nullptr ? std::move(value_) : static_cast<T>(std::forward<U>(otherwise));
  }

  friend bool operator==(const Expected& held, const T& value) {
    return held.error_ == nullptr && held.value_ == value;
  }

  // What `f` makes of the value, or the same error.
  template <typename F>
  Expected<std::invoke_result_t<F, T>, E> map(F&& f) && {
    if (error_ != nullptr) return std::move(*this).failure();
    if constexpr (std::is_void_v<std::invoke_result_t<F, T>>) {
      std::forward<F>(f)(std::move(value_));
      return {};
    } else {
      return std::forward<F>(f)(std::move(value_));
    }
  }

  const E& error() const& { return *error_; }
  E& error() & { return *error_; }
  E&& error() && { return std::move(*error_); }
  // The error, handed on. Requires one.
  Unexpected<E> failure() && {
    return Unexpected<E>(
        typename Unexpected<E>::Owned{std::exchange(error_, &ErrorHeap<E>::spent)});
  }

 private:
  void require() const {
    if (error_ != nullptr) ErrorHeap<E>::end_program(*error_);
  }

  E* error_;  // null: value_ lives
  union {
    T value_;  // NOLINT(readability-identifier-naming): private, in a union
  };
};

template <typename E>
class [[nodiscard]] Expected<void, E> {
 public:
  using value_type = void;
  using error_type = E;  // NOLINT(readability-identifier-naming): its name in the standard

  Expected() = default;
  Expected(Unexpected<E> failure) : error_(failure.release()) {}
  template <typename F>
  requires(!std::is_same_v<E, F>) Expected(const Unexpected<F>& failure)
      : error_(ErrorHeap<E>::make(E(failure.error()))) {}
  Expected(const Expected& other)
      : error_(other.error_ == nullptr ? nullptr : ErrorHeap<E>::copy(*other.error_)) {}
  Expected(Expected&& other) noexcept : error_(other.error_) {
    if (error_ != nullptr) other.error_ = &ErrorHeap<E>::spent;
  }
  Expected& operator=(Expected other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Expected() {
    if (error_ != nullptr) ErrorHeap<E>::drop(error_);
  }

  bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return error_ == nullptr; }

  const E& error() const& { return *error_; }
  E& error() & { return *error_; }
  E&& error() && { return std::move(*error_); }
  // The error, handed on. Requires one.
  Unexpected<E> failure() && {
    return Unexpected<E>(
        typename Unexpected<E>::Owned{std::exchange(error_, &ErrorHeap<E>::spent)});
  }

 private:
  E* error_ = nullptr;
};

#pragma GCC diagnostic pop

}  // namespace anima
