#include "held.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

namespace anima::python {
namespace {

struct Folders {
  std::mutex mutex;
  std::multiset<std::string> open;
  std::set<std::string> inherited;  // open in the process that forked this one
};

Folders& folders() {
  static Folders& all = *new Folders();
  static const int watched =
      pthread_atfork([] { folders().mutex.lock(); }, [] { folders().mutex.unlock(); },
                     [] {
                       Folders& mine = folders();
                       mine.inherited.insert(mine.open.begin(), mine.open.end());
                       mine.open.clear();
                       mine.mutex.unlock();
                     });
  static_cast<void>(watched);
  return all;
}

std::atomic<std::thread::id> leaving_thread = std::thread::id();

bool is_left_behind() {
  const std::thread::id leaving = leaving_thread.load();
  return leaving != std::thread::id() && leaving != std::this_thread::get_id();
}

[[noreturn]] void stay() {
  while (true) pause();
}

std::string path_of(const std::string& folder) {
  std::error_code problem;
  // A name of what is not there yet would stay relative.
  const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(folder), problem);
  return problem ? folder : path.string();
}

}  // namespace

void leave() { leaving_thread.store(std::this_thread::get_id()); }

void stay_if_left() {
  if (!is_left_behind()) return;
  PyEval_SaveThread();
  stay();
}

void Unlocked::retake(PyThreadState* state) {
  if (is_left_behind()) stay();
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {
    stay();
  }
}

OpenFolder::OpenFolder(const std::string& folder) : path_(folder.empty() ? "" : path_of(folder)) {
  if (path_.empty()) return;
  Folders& all = folders();
  const std::lock_guard lock(all.mutex);
  if (all.inherited.contains(path_))
    raise(ErrorCode::kUnsupported, "the folder was open while this process was forked", path_,
          "close it before the fork, or start children with \"spawn\"");
  all.open.insert(path_);
}

OpenFolder::~OpenFolder() {
  if (path_.empty()) return;
  Folders& all = folders();
  const std::lock_guard lock(all.mutex);
  const auto one = all.open.find(path_);
  if (one != all.open.end()) all.open.erase(one);
}

}  // namespace anima::python
