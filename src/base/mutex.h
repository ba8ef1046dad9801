// A mutex whose discipline the compiler checks: what it guards is said where it is declared, and
// clang refuses an access without the lock (-Wthread-safety, on in every clang build). With g++ the
// annotations are nothing and Mutex is std::mutex.
//
//   mutable Mutex mutex_;
//   std::vector<Waiter> waiting_ ANIMA_GUARDED_BY(mutex_);
//   void wake() ANIMA_REQUIRES(mutex_);
//
//   const MutexLock lock(mutex_);   // until the end of the block
//
// A condition is waited for with std::condition_variable_any and the Mutex itself; the compiler
// takes the lock as held throughout. Thread-safety: any thread. Source: "Thread Safety Analysis" of
// the Clang documentation.
#pragma once

#include <mutex>

#if defined(__clang__)
#define ANIMA_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define ANIMA_THREAD_ANNOTATION(x)
#endif

#define ANIMA_GUARDED_BY(x) ANIMA_THREAD_ANNOTATION(guarded_by(x))
#define ANIMA_PT_GUARDED_BY(x) ANIMA_THREAD_ANNOTATION(pt_guarded_by(x))
#define ANIMA_REQUIRES(...) ANIMA_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define ANIMA_EXCLUDES(...) ANIMA_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
// For a function that is right in a way that the analysis cannot see; a comment beside it says how.
#define ANIMA_NO_THREAD_SAFETY_ANALYSIS ANIMA_THREAD_ANNOTATION(no_thread_safety_analysis)
#define ANIMA_ACQUIRED_BEFORE(...) ANIMA_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))

namespace anima {

class ANIMA_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() ANIMA_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  bool try_lock() ANIMA_THREAD_ANNOTATION(try_acquire_capability(true)) {
    return mutex_.try_lock();
  }
  void unlock() ANIMA_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class ANIMA_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ANIMA_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  // Takes over a lock that is held.
  MutexLock(Mutex& mutex, std::adopt_lock_t) ANIMA_REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexLock() ANIMA_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace anima
