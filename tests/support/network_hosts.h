// Hosts on a network that a test makes for itself: a hub with a bridge, and hosts that reach it by
// a cable each, every one in a network namespace. A cable can be cut and mended. Gone with the
// test. Needs the rights of root (CAP_NET_ADMIN, CAP_SYS_ADMIN): a test is skipped where it has
// none.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace anima::test {

class NetworkHosts {
 public:
  explicit NetworkHosts(int hosts) : hosts_(hosts) {
    const std::string hub = name(0);
    there_ = run("ip netns add " + hub) && run("ip -n " + hub + " link set lo up") &&
             run("ip -n " + hub + " link add bridge type bridge") &&
             run("ip -n " + hub + " addr add " + address() + "/24 dev bridge") &&
             run("ip -n " + hub + " link set bridge up");
    for (int host = 1; host <= hosts_ && there_; ++host) there_ = add(host);
  }
  ~NetworkHosts() {
    for (int host = 0; host <= hosts_; ++host) run("ip netns del " + name(host));
  }
  NetworkHosts(const NetworkHosts&) = delete;
  NetworkHosts& operator=(const NetworkHosts&) = delete;

  bool there() const { return there_; }
  static constexpr const char* kMissing =
      "no networks can be made here (needs root, CAP_SYS_ADMIN and the package iproute2)";

  // 0 is the hub.
  static std::string address(int host = 0) { return "10.213.7." + std::to_string(host + 1); }
  static std::string network() { return "10.213.7.0/24"; }
  // What goes before a command that is to run on that host.
  std::string on(int host) const { return "ip netns exec " + name(host) + " "; }

  bool cut(int host) const { return cable(host, "down"); }
  bool mend(int host) const { return cable(host, "up"); }

 private:
  // One set of networks for each test program.
  static std::string name(int host) {
    return "anima" + std::to_string(::getpid()) + "h" + std::to_string(host);
  }
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1 </dev/null").c_str()) == 0;
  }
  bool cable(int host, const std::string& state) const {
    return run("ip -n " + name(0) + " link set cable" + std::to_string(host) + " " + state);
  }
  bool add(int host) const {
    const std::string own = name(host);
    const std::string end = "cable" + std::to_string(host);
    return run("ip netns add " + own) && run("ip -n " + own + " link set lo up") &&
           run("ip -n " + own + " link add eth0 type veth peer name " + end + " netns " +
               name(0)) &&
           run("ip -n " + own + " addr add " + address(host) + "/24 dev eth0") &&
           run("ip -n " + own + " link set eth0 up") &&
           run("ip -n " + name(0) + " link set " + end + " master bridge") && mend(host);
  }

  int hosts_;
  bool there_ = false;
};

}  // namespace anima::test
