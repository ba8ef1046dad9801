// A PostgreSQL of a test's own: a cluster in a folder, on a socket in that folder, gone with the
// test. Run as root it belongs to `nobody`, for the server refuses to run as root.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace anima::test {

// Where a server is reached beside its socket: on an address, by everybody of a network.
struct PostgresListen {
  std::string address, network;  // "10.213.7.1", "10.213.7.0/24"
  std::string prefix;            // before the commands: "ip netns exec hub "
};

class PostgresServer {
 public:
  // What is not durable is faster, and a test does not pull the plug.
  explicit PostgresServer(bool durable = false, const PostgresListen& listen = {})
      : listen_(listen.address), as_(listen.prefix) {
    bin_ = programs();
    if (bin_.empty()) return;
    if (::geteuid() == 0) {
      run("chown nobody " + folder_.path());
      as_ += "setpriv --reuid=nobody --regid=nogroup --clear-groups ";
    }
    const std::string data = folder_.file("data");
    if (!make_cluster(data)) return;
    if (!listen_.empty() &&
        !run("(echo 'host all all " + listen.network + " trust' >>" + data + "/pg_hba.conf)"))
      return;
    options_ =
        "-k " + folder_.path() + " -c listen_addresses=" + listen_ + " -c max_connections=20";
    if (!durable) options_ += " -c fsync=off -c full_page_writes=off";
    start();
  }
  ~PostgresServer() { stop("immediate"); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // False where PostgreSQL is not installed or cannot be started: a test is skipped then.
  bool there() const { return running_; }
  static constexpr const char* kMissing =
      "there is no PostgreSQL here (apt-get install postgresql)";

  std::string address(const std::string& database = "postgres") const {
    return "postgresql:///" + database + "?host=" + folder_.path() + "&user=anima";
  }
  // Where its socket lies.
  const std::string& socket_folder() const { return folder_.path(); }
  // For hosts of its network.
  std::string network_address(const std::string& database = "postgres") const {
    return "postgresql://anima@" + listen_ + "/" + database;
  }
  bool sql(const std::string& text, const std::string& database = "postgres") const {
    return run(bin_ + "/psql -q -v ON_ERROR_STOP=1 '" + address(database) + "' -c \"" + text +
               "\"");
  }
  void start() {
    running_ = run(as_ + bin_ + "/pg_ctl -D " + folder_.file("data") + " -w -t 60 -l " +
                   folder_.file("log") + " -o '" + options_ + "' start");
  }
  // "fast", or "immediate": as a crash leaves it.
  void stop(const std::string& how) {
    if (running_)
      run(as_ + bin_ + "/pg_ctl -D " + folder_.file("data") + " -m " + how + " -w stop");
    running_ = false;
  }

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1 </dev/null").c_str()) == 0;
  }
  // To make a cluster takes seconds, to copy one a tenth: the first test of a build keeps a copy
  // beside the test programs.
  bool make_cluster(const std::string& data) const {
    const bool in_build = ::access("CTestTestfile.cmake", F_OK) == 0;
    const std::string release = std::filesystem::path(bin_).parent_path().filename().string();
    const std::string kept = "postgres_cluster_" + release;
    if (in_build && run("cp -a " + kept + " " + data)) return true;
    run("rm -rf " + data);
    if (!run(as_ + bin_ + "/initdb -D " + data +
             " -U anima -A trust -E UTF8 --locale=C --no-sync --no-instructions"))
      return false;
    const std::string own = kept + "." + std::to_string(::getpid());
    if (in_build)
      run("(cp -a " + data + " " + own + " && mv -T " + own + " " + kept + " || rm -rf " + own +
          ")");
    return true;
  }
  // Debian keeps each release in a folder of its own; the newest is taken.
  static std::string programs() {
    const std::string root = "/usr/lib/postgresql";
    int newest = 0;
    if (DIR* const folder = ::opendir(root.c_str()); folder != nullptr) {
      while (const dirent* each = ::readdir(folder))
        newest = std::max(newest, std::atoi(each->d_name));
      ::closedir(folder);
    }
    const std::string bin = root + "/" + std::to_string(newest) + "/bin";
    return ::access((bin + "/initdb").c_str(), X_OK) == 0 ? bin : std::string();
  }

  TemporaryDirectory folder_{"anima-pg"};
  std::string listen_, bin_, as_, options_;
  bool running_ = false;
};

}  // namespace anima::test
