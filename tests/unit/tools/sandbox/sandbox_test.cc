// Real escapes, tried by a program in the sandbox: each is contained, or the machine cannot and
// nothing runs. Acceptance rows X6 to X12 are named.
#include "tools/sandbox/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/files/file.h"
#include "support/needs_sandbox.h"

namespace anima::tools {
namespace {

class SandboxTest : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces()); }

  static SandboxRequest shell(std::string script) {
    SandboxRequest request;
    request.arguments = {"/bin/sh", "-c", std::move(script)};
    request.environment = {{"PATH", "/usr/bin:/bin"}};
    request.limits.wall_ms = 20'000;
    return request;
  }
  static SandboxRequest python(std::string script) {
    SandboxRequest request;
    request.arguments = {"/usr/bin/python3", "-I", "-c", std::move(script)};
    request.limits.wall_ms = 20'000;
    return request;
  }
  static ProcessResult run(const SandboxRequest& request) {
    const auto ran = run_sandboxed(request);
    EXPECT_TRUE(ran.has_value()) << ran.error().describe();
    return ran ? ran->process : ProcessResult{};
  }
};

TEST_F(SandboxTest, AKeptProgramIsTalkedToAndEndsWithItsOwner) {
  auto process = SandboxedProcess::start(shell("while read line; do echo \"got $line\"; done"));
  ASSERT_TRUE(process.has_value()) << process.error().describe();
  for (const char* word : {"one", "two"}) {
    std::string left = std::string(word) + "\n", got;
    while (got.find('\n') == std::string::npos) {
      const auto moved = (*process)->exchange(left, 10'000);
      ASSERT_TRUE(moved.has_value()) << moved.error().describe();
      left.erase(0, moved->written);
      got += moved->out;
    }
    EXPECT_EQ(got, "got " + std::string(word) + "\n");
  }
  EXPECT_EQ((*process)->wait(0).error().code, ErrorCode::kTimeout);
  (*process)->close_input();
  EXPECT_EQ((*process)->wait(10'000)->exit_code, 0);
  SandboxRequest hidden = shell("true");
  hidden.readable = {"/no/such/folder"};
  EXPECT_FALSE(SandboxedProcess::start(hidden).has_value());
}

// Nobody talks to it while it goes over its limit.
std::string end_of_kept(SandboxRequest request) {
  auto process = SandboxedProcess::start(request);
  EXPECT_TRUE(process.has_value()) << process.error().describe();
  if (!process) return {};
  const auto ended = (*process)->wait(15'000);
  if (!ended) return "it still runs";
  const auto moved = (*process)->exchange("x", 1'000);
  return moved ? "no error" : moved.error().describe();
}

TEST_F(SandboxTest, AKeptProgramIsLookedAtWhileNobodyTalksToIt) {
  using ::testing::HasSubstr;
  SandboxRequest spinning = shell("while :; do :; done & read line");
  spinning.limits.tree_cpu_seconds = 1;
  EXPECT_THAT(end_of_kept(spinning), HasSubstr("1 s of processor time since it was last asked"));
  SandboxRequest growing = shell("head -c 300000000 /dev/zero | tail & read line");
  growing.limits.tree_bytes = std::uint64_t{64} << 20;
  EXPECT_THAT(end_of_kept(growing), HasSubstr("took too much memory"));
  SandboxRequest many = shell("for i in 1 2 3 4 5 6 7 8; do sleep 20 & done; read line");
  many.limits.processes = 4;
  // Where the kernel counts them itself, the shell gives up first.
  EXPECT_NE(end_of_kept(many), "it still runs");
}

TEST_F(SandboxTest, WhoIsAskedAgainHasTimeAgain) {
  SandboxRequest request = shell(
      "while read line; do i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; echo done; done");
  request.limits.tree_cpu_seconds = 2;
  auto process = SandboxedProcess::start(request);
  ASSERT_TRUE(process.has_value()) << process.error().describe();
  for (int i = 0; i < 8; ++i) {
    std::string left = "go\n", got;
    while (got.find('\n') == std::string::npos) {
      const auto moved = (*process)->exchange(left, 60'000);
      ASSERT_TRUE(moved.has_value()) << moved.error().describe();
      left.erase(0, moved->written);
      got += moved->out;
    }
  }
}

TEST_F(SandboxTest, RunsAProgramAndPassesItsStreams) {
  SandboxRequest request = shell("cat; echo bad >&2; exit 3");
  request.input = "hello";
  const ProcessResult result = run(request);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "bad\n");
  EXPECT_EQ(result.exit_code, 3);
}

TEST_F(SandboxTest, X8_FilesOutsideAreNotThere) {
  const ProcessResult result =
      run(shell("cat /etc/shadow; cat /etc/passwd; ls /root /home /work /var /sys /oldroot; ls "
                "/proc/1/root/"));
  EXPECT_EQ(result.out.find("root:"), std::string::npos);
  EXPECT_NE(result.err.find("/etc/shadow: No such file"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("/etc/passwd: No such file"), std::string::npos);
  for (const char* path : {"'/root'", "'/home'", "'/work'", "'/var'", "'/sys'", "'/oldroot'"}) {
    EXPECT_NE(result.err.find(std::string("cannot access ") + path), std::string::npos) << path;
  }
}

TEST_F(SandboxTest, X8_ReadableFolderIsReadOnlyAndWritableIsWritten) {
  TemporaryDirectory folder;
  ASSERT_TRUE(system_files().make_directories(folder.file("in")));
  ASSERT_TRUE(system_files().make_directories(folder.file("out")));
  ASSERT_TRUE(replace_file(system_files(), folder.file("in/note"), "text"));
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chown(folder.file("out").c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0);
  SandboxRequest request =
      shell("cat in/note; echo x > in/new; echo y > in/note; echo z > out/made");
  request.working_directory = folder.path();
  request.readable = {folder.path()};
  request.writable = {folder.file("out")};
  const ProcessResult result = run(request);
  EXPECT_EQ(result.out, "text") << result.err;
  EXPECT_FALSE(file_exists(system_files(), folder.file("in/new")));
  EXPECT_EQ(*read_file(system_files(), folder.file("in/note")), "text");
  EXPECT_EQ(*read_file(system_files(), folder.file("out/made")), "z\n");
}

TEST_F(SandboxTest, NothingOfTheSystemIsWritten) {
  const ProcessResult result = run(shell(
      "echo x > /usr/bin/evil; echo x > /evil; echo x > /dev/evil; rm -f /bin/sh; mkdir /usr/d;"
      "echo ok > /tmp/mine && cat /tmp/mine; touch /etc/evil"));
  EXPECT_EQ(result.out, "ok\n");
  for (const char* path : {"/usr/bin/evil", "/evil", "/dev/evil", "/usr/d", "/etc/evil"}) {
    EXPECT_FALSE(file_exists(system_files(), path)) << path;
  }
  EXPECT_TRUE(file_exists(system_files(), "/bin/sh"));
}

TEST_F(SandboxTest, LinkOutOfAFolderLeadsNowhere) {
  TemporaryDirectory folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(symlink("/etc/shadow", folder.file("link").c_str()), 0);
  SandboxRequest request = shell("cat link");
  request.working_directory = folder.path();
  request.readable = {folder.path()};
  const ProcessResult result = run(request);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_TRUE(result.out.empty());
}

TEST_F(SandboxTest, X7_NoNetwork) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(server, 4), 0);
  ASSERT_EQ(getsockname(server, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const std::string script = "import socket\ntry:\n  s=socket.create_connection(('127.0.0.1'," +
                             port + "),5); print('connected')\nexcept OSError as e: print(e.errno)";
  EXPECT_EQ(run(python(script)).out, "1\n");  // EPERM
  SandboxRequest open = python(script);
  open.network = true;
  EXPECT_EQ(run(open).out, "connected\n");
  // Even then no other family, nothing raw.
  open.arguments[3] =
      "import socket\n"
      "for f,t in ((socket.AF_UNIX,1),(socket.AF_PACKET,3),(socket.AF_INET,3),(16,3),(38,5)):\n"
      "  try: socket.socket(f,t, {16: 15, socket.AF_INET: 1}.get(f, 0)); print('open',f,t)\n"
      "  except OSError as e: print(e.errno)";
  EXPECT_EQ(run(open).out, "1\n1\n1\n1\n1\n");
  close(server);
}

// A family of which there are no pairs is made all the same before that is said, and its module
// loaded.
TEST_F(SandboxTest, SocketsAreOfTheInternetAndPairsOfThisMachine) {
  SandboxRequest request = python(
      "import socket\n"
      "for f in (socket.AF_UNIX,socket.AF_INET,socket.AF_NETLINK,30,38):\n"
      "  try: socket.socketpair(f); print('pair')\n"
      "  except OSError as e: print(e.errno)");
  EXPECT_EQ(run(request).out, "pair\n1\n1\n1\n1\n");
  request.network = true;
  EXPECT_EQ(run(request).out, "pair\n1\n1\n1\n1\n");
  request.arguments[3] =
      "import socket\n"
      "for t,p in ((1,0),(1,6),(2,17),(1,132),(1,262),(2,1),(5,0),(6,0)):\n"
      "  try: socket.socket(socket.AF_INET,t,p); print('open')\n"
      "  except OSError as e: print(e.errno)\n"
      "s=socket.socket()\n"
      "try: s.listen(1); print('listens')\n"
      "except OSError as e: print(e.errno)";
  EXPECT_EQ(run(request).out, "open\nopen\nopen\n1\n1\n1\n1\n1\n1\n");
}

// Where cores go to a program of the system, that runs as root, outside, for any limit but this.
TEST_F(SandboxTest, ACrashReachesNoProgramOutside) {
  const ProcessResult result =
      run(python("import resource as r\n"
                 "for f in (lambda: None,\n"
                 "          lambda: r.setrlimit(r.RLIMIT_CORE,(0,1)),\n"
                 "          lambda: r.setrlimit(r.RLIMIT_CORE,(0,0)),\n"
                 "          lambda: r.prlimit(0,r.RLIMIT_CORE,(0,0)),\n"
                 "          lambda: r.setrlimit(r.RLIMIT_NOFILE,(32,32))):\n"
                 "  try: f(); said='done'\n"
                 "  except (OSError,ValueError): said='refused'\n"
                 "  print(said, r.getrlimit(r.RLIMIT_CORE), r.getrlimit(r.RLIMIT_NOFILE)[0])\n"));
  EXPECT_EQ(result.out,
            "done (1, 1) 64\ndone (1, 1) 64\ndone (1, 1) 64\nrefused (1, 1) 64\ndone (1, 1) 32\n")
      << result.err;
}

TEST_F(SandboxTest, X6_EnvironmentIsWhatWasGiven) {
  setenv("ANIMA_TEST_SECRET", "hush", 1);
  SandboxRequest request;
  request.arguments = {"/usr/bin/env"};
  EXPECT_EQ(run(request).out, "");
  request.environment = {{"LANG", "C.UTF-8"}};
  EXPECT_EQ(run(request).out, "LANG=C.UTF-8\n");
  EXPECT_EQ(run(shell("cat /proc/*/environ | tr '\\0' '\\n' | grep -c hush")).out, "0\n");
  unsetenv("ANIMA_TEST_SECRET");
}

TEST_F(SandboxTest, DescriptorsDoNotLeak) {
  TemporaryDirectory folder;
  const int leak = open(folder.file("secret").c_str(), O_CREAT | O_RDWR, 0600);  // no O_CLOEXEC
  ASSERT_GE(leak, 0);
  const ProcessResult result =
      run(python("import os\nfor i in range(3,1024):\n  try: os.fstat(i); print('open', i)\n"
                 "  except OSError: pass"));
  EXPECT_EQ(result.out, "") << result.err;
  EXPECT_EQ(result.exit_code, 0);
  close(leak);
}

TEST_F(SandboxTest, X11_ForkBombEndsAtItsLimit) {
  SandboxRequest request = python(
      "import os,time\nn=0\ntry:\n  while n<5000:\n    if os.fork()==0: time.sleep(60)\n    n+=1\n"
      "except OSError as e: print('stopped', n < 64)");
  request.limits.processes = 64;
  const ProcessResult result = run(request);
  EXPECT_EQ(result.out, "stopped True\n") << result.err;
  // None at all where a tool needs none, also as root.
  request.arguments[3] =
      "import os\ntry: os.fork(); print('forked')\nexcept OSError as e: print(e.errno)";
  request.limits.processes = 1;
  EXPECT_EQ(run(request).out, "1\n");
}

TEST_F(SandboxTest, X9_TheWholeTreeDiesAtTheDeadline) {
  TemporaryDirectory folder;
  ASSERT_EQ(chown(folder.path().c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0);
  SandboxRequest request =
      shell("(setsid sh -c 'while true; do echo x >> beat; sleep 0.05; done' &) ; sleep 60");
  request.working_directory = folder.path();
  request.writable = {folder.path()};
  request.limits.wall_ms = 500;
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = run(request);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  const auto beats = read_file(system_files(), folder.file("beat"))->size();
  EXPECT_GT(beats, 0U);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(read_file(system_files(), folder.file("beat"))->size(), beats);
}

TEST_F(SandboxTest, TreeDiesWhenTheProgramEnds) {
  TemporaryDirectory folder;
  ASSERT_EQ(chown(folder.path().c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0);
  SandboxRequest request = shell(
      "setsid sh -c 'while true; do echo x >> beat; sleep 0.05; done' >/dev/null 2>&1 &"
      " sleep 0.3");
  request.working_directory = folder.path();
  request.writable = {folder.path()};
  EXPECT_EQ(run(request).exit_code, 0);
  const auto beats = read_file(system_files(), folder.file("beat"))->size();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(read_file(system_files(), folder.file("beat"))->size(), beats);
}

// Whoever started it is killed, and the program has tried to outlive that.
TEST_F(SandboxTest, TreeDiesWithWhoStartedIt) {
  TemporaryDirectory folder;
  ASSERT_EQ(chown(folder.path().c_str(), sandbox_user(), static_cast<gid_t>(-1)), 0);
  SandboxRequest request = python(
      "import ctypes,fcntl,time\n"
      "print(ctypes.CDLL(None).prctl(1,0,0,0,0),file=open('answer','w'))\n"
      "f=open('held','w'); fcntl.flock(f,2)\n"
      "open('ready','w'); time.sleep(600)");
  request.working_directory = folder.path();
  request.writable = {folder.path()};
  request.limits.wall_ms = 600'000;
  const pid_t starter = fork();
  if (starter == 0) {
    (void)run_sandboxed(request);
    _exit(0);
  }
  while (!file_exists(system_files(), folder.file("ready")))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(starter, SIGKILL);
  ASSERT_EQ(waitpid(starter, nullptr, 0), starter);
  EXPECT_EQ(*read_file(system_files(), folder.file("answer")), "-1\n");
  const int held = open(folder.file("held").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(held, 0);
  bool is_free = false;
  for (int i = 0; i < 4000 && !is_free; ++i) {
    is_free = flock(held, LOCK_EX | LOCK_NB) == 0;
    if (!is_free) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(is_free);
  close(held);
}

TEST_F(SandboxTest, X10_MemoryBombEndsInAnError) {
  SandboxRequest request = python("a=[]\nwhile True: a.append(bytearray(1<<20))");
  request.limits.memory_bytes = std::uint64_t{256} << 20;
  const ProcessResult result = run(request);
  EXPECT_NE(result.err.find("MemoryError"), std::string::npos) << result.err;
  EXPECT_NE(result.exit_code, 0);
}

TEST_F(SandboxTest, ATreeBeyondItsMemoryIsEnded) {
  SandboxRequest request = python(
      "import os,time\nfor n in range(4):\n  if os.fork()==0:\n    a=bytearray(60<<20); "
      "time.sleep(15)\n"
      "time.sleep(15)");
  request.limits.tree_bytes = std::uint64_t{128} << 20;
  const auto ran = run_sandboxed(request);
  ASSERT_TRUE(ran) << ran.error().describe();
  EXPECT_TRUE(ran->out_of_memory);
  EXPECT_FALSE(ran->process.timed_out);
  EXPECT_NE(ran->process.signal, 0);
}

// Pages of a file of memory or of a System V segment stay when nobody has them mapped.
TEST_F(SandboxTest, NoMemoryIsKeptWhereItIsNotCounted) {
  const ProcessResult result =
      run(python("import ctypes,os\n"
                 "c=ctypes.CDLL(None,use_errno=True)\n"
                 "try: os.memfd_create('x'); print('made')\n"
                 "except OSError as e: print(e.errno)\n"
                 "print(c.syscall(447,0), ctypes.get_errno())\n"
                 "print(c.shmget(0,1<<20,0o1600), ctypes.get_errno())\n"));
  EXPECT_EQ(result.out, "38\n-1 38\n-1 1\n") << result.err;
}

TEST_F(SandboxTest, MemoryThatATreeSharesCountsOnce) {
  SandboxRequest request = python(
      "import os,time\na=bytearray(80<<20)\nfor n in range(4):\n  if os.fork()==0: "
      "time.sleep(0.5); "
      "os._exit(0)\nfor n in range(4): os.wait()\nprint('done')");
  request.limits.tree_bytes = std::uint64_t{160} << 20;
  const auto ran = run_sandboxed(request);
  ASSERT_TRUE(ran) << ran.error().describe();
  EXPECT_FALSE(ran->out_of_memory);
  EXPECT_EQ(ran->process.out, "done\n") << ran->process.err;
}

TEST_F(SandboxTest, EndsFirstWhenTheMachineRunsOutOfMemory) {
  const ProcessResult result = run(shell("cat /proc/self/oom_score_adj || echo no proc"));
  EXPECT_TRUE(result.out == "1000\n" || result.out == "no proc\n") << result.out;
}

TEST_F(SandboxTest, DiskBombsEndInErrors) {
  SandboxRequest request = shell("head -c 40000000 /dev/zero > /tmp/big; wc -c < /tmp/big");
  request.limits.file_bytes = 1 << 20;
  EXPECT_EQ(run(request).out, "1048576\n");
  request =
      shell("for i in 1 2 3 4 5 6; do head -c 900000 /dev/zero > /tmp/f$i || echo full; done");
  request.limits.temporary_bytes = 2 << 20;
  EXPECT_NE(run(request).out.find("full"), std::string::npos);
}

TEST_F(SandboxTest, EndlessOutputIsCutAndEnded) {
  SandboxRequest request = shell("yes");
  request.limits.wall_ms = 700;
  request.limits.output_bytes = 10'000;
  const ProcessResult result = run(request);
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.out.size(), 10'000U);
}

TEST_F(SandboxTest, EndlessComputingIsEnded) {
  SandboxRequest request = shell("while :; do :; done");
  request.limits.cpu_seconds = 1;
  const ProcessResult result = run(request);
  EXPECT_FALSE(result.ok());
}

TEST_F(SandboxTest, ATreeBeyondItsProcessorTimeIsEnded) {
  // Each of them is within its own limit; those that have ended count too. What each takes is
  // measured by its own processor time, which other work on the machine does not shorten.
  SandboxRequest request = shell(
      "for i in 1 2 3 4 5 6 7 8; do /usr/bin/python3 -I -c 'import time\n"
      "while time.process_time() < 0.4: pass'; done; echo done");
  request.limits.wall_ms = 120'000;
  request.limits.cpu_seconds = 30;
  request.limits.tree_cpu_seconds = 1;
  const auto ran = run_sandboxed(request);
  ASSERT_TRUE(ran) << ran.error().describe();
  EXPECT_TRUE(ran->out_of_processor);
  EXPECT_EQ(ran->process.out.find("done"), std::string::npos);
  request.limits.tree_cpu_seconds = 120;
  const auto calm = run_sandboxed(request);
  ASSERT_TRUE(calm) << calm.error().describe();
  EXPECT_FALSE(calm->out_of_processor);
}

TEST_F(SandboxTest, NobodyOutsideCanBeSignalledOrTraced) {
  const std::string us = std::to_string(getpid());
  // The first process of a machine or container has the number of the sandbox's own first one.
  const std::string parent = std::to_string(getppid() == 1 ? getpid() : getppid());
  const ProcessResult result =
      run(python("import os,ctypes\n"
                 "c=ctypes.CDLL(None,use_errno=True)\n"
                 "for p in (" +
                 us + "," + parent +
                 "):\n"
                 "  try: os.kill(p,0); print('signalled')\n"
                 "  except OSError as e: print(e.errno)\n"
                 "  print(c.ptrace(16,p,0,0), ctypes.get_errno())\n"
                 "print(c.ptrace(0,0,0,0), ctypes.get_errno())\n"
                 "print(os.getppid(), os.getpid())\n"));
  EXPECT_EQ(result.out, "3\n-1 1\n3\n-1 1\n-1 1\n0 1\n") << result.err;  // ESRCH, EPERM
}

TEST_F(SandboxTest, NoWayToMorePrivileges) {
  const ProcessResult result = run(python(
      "import os,ctypes\n"
      "c=ctypes.CDLL(None,use_errno=True)\n"
      "for f in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.chroot('/tmp')):\n"
      "  try: f(); print('done')\n"
      "  except OSError as e: print(e.errno in (1,22))\n"
      "print(c.unshare(0x10000000), ctypes.get_errno())\n"
      "print(c.mount(b'none',b'/tmp',b'tmpfs',0,None), ctypes.get_errno())\n"
      "s=[l.split()[1] for l in open('/proc/self/status') if "
      "l.startswith(('CapEff','CapPrm','CapBnd','NoNewPrivs'))]\n"
      "print(s)\n"));
  EXPECT_EQ(result.out,
            "True\nTrue\nTrue\n-1 1\n-1 1\n"
            "['0000000000000000', '0000000000000000', '0000000000000000', '1']\n")
      << result.err;
}

TEST_F(SandboxTest, SetUserIdProgramsGainNothing) {
  ANIMA_NEEDS(test::kRoot, geteuid() == 0);
  TemporaryDirectory folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(std::system(("cp /usr/bin/id " + folder.file("id")).c_str()), 0);
  ASSERT_EQ(chmod(folder.file("id").c_str(), 04755), 0);
  SandboxRequest request = shell("./id -u");
  request.working_directory = folder.path();
  request.readable = {folder.path()};
  EXPECT_EQ(run(request).out, std::to_string(sandbox_user()) + "\n");
}

// A copy of a shell that runs as whoever owns the work folder would be the owner's account for
// everybody on the machine.
TEST_F(SandboxTest, NoFileIsMadeThatRunsAsItsOwner) {
  const ProcessResult result =
      run(python("import os,ctypes\n"
                 "c=ctypes.CDLL(None,use_errno=True)\n"
                 "fd=os.open('/tmp/f',os.O_CREAT|os.O_RDWR,0o600)\n"
                 "for mode in (0o755,0o4755,0o2755,0o1755):\n"
                 "  for f in (lambda: os.chmod('/tmp/f',mode), lambda: os.fchmod(fd,mode)):\n"
                 "    try: f(); print('done')\n"
                 "    except OSError as e: print(e.errno)\n"
                 "print(c.syscall(452,-100,b'/tmp/f',0o4755,0), ctypes.get_errno() in (1,38))\n"
                 "print(oct(os.stat('/tmp/f').st_mode & 0o6000))\n"));
  EXPECT_EQ(result.out, "done\ndone\n1\n1\n1\n1\ndone\ndone\n-1 True\n0o0\n") << result.err;
}

TEST_F(SandboxTest, NorIsOneWhenItIsOpened) {
  const ProcessResult result =
      run(python("import os,ctypes\n"
                 "c=ctypes.CDLL(None,use_errno=True)\n"
                 "os.chdir('/tmp')\n"
                 "for mode in (0o755,0o4755,0o2755):\n"
                 "  for name,flags in (('f',os.O_CREAT),('.',os.O_TMPFILE)):\n"
                 "    try: os.open(name,flags|os.O_RDWR,mode); print('done')\n"
                 "    except OSError as e: print(e.errno)\n"
                 "os.open('f',os.O_RDWR,0o4755)\n"  // makes none
                 "how=(ctypes.c_uint64*3)(os.O_CREAT|os.O_RDWR,0o4755,0)\n"
                 "print(c.syscall(437,-100,b'g',how,24), ctypes.get_errno() in (1,38))\n"
                 "print(c.creat(b'h',0o4755), ctypes.get_errno())\n"
                 "print(sum(os.stat(f).st_mode & 0o6000 for f in os.listdir('.')))\n"));
  EXPECT_EQ(result.out, "done\ndone\n1\n1\n1\n1\n-1 True\n-1 1\n0\n") << result.err;
}

TEST_F(SandboxTest, CallsThatAreNewerThanThisProgramAreUnknown) {
  const ProcessResult result =
      run(python("import ctypes\n"
                 "c=ctypes.CDLL(None,use_errno=True)\n"
                 "for n in (457,458):\n"
                 "  print(c.syscall(n,0,0,0,0), ctypes.get_errno())\n"
                 "for n in (463,467,600):\n"
                 "  print(c.syscall(n,-1,0,0,0,0,0), ctypes.get_errno())\n"));
  EXPECT_EQ(result.out, "-1 1\n-1 1\n-1 38\n-1 38\n-1 38\n") << result.err;
}

TEST_F(SandboxTest, ErrorsNameTheirCause) {
  SandboxRequest request;
  request.arguments = {"/no/such/program"};
  EXPECT_EQ(run_sandboxed(request).error().code, ErrorCode::kNotFound);
  request.arguments = {"ls"};
  EXPECT_EQ(run_sandboxed(request).error().code, ErrorCode::kInvalidArgument);
  request.arguments = {"/bin/true"};
  request.readable = {"/no/such/folder"};
  EXPECT_EQ(run_sandboxed(request).error().code, ErrorCode::kNotFound);
}

// A machine without name spaces, as many containers are: the facts are injected.
class PartialSandboxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    facts_ = machine_sandbox();
    facts_.namespaces = false;
    ANIMA_NEEDS(test::kLandlock, facts_.containment() == Containment::kPartial);
  }
  ProcessResult run(std::string script) {
    SandboxRequest request;
    request.arguments = {"/usr/bin/python3", "-I", "-c", std::move(script)};
    request.demand = Containment::kPartial;
    const auto ran = run_sandboxed(request, facts_);
    EXPECT_TRUE(ran.has_value()) << ran.error().describe();
    return ran ? ran->process : ProcessResult{};
  }
  SandboxFacts facts_;
};

TEST_F(PartialSandboxTest, FilesNetworkProcessesAndSignalsAreHeld) {
  TemporaryDirectory folder;
  ASSERT_TRUE(replace_file(system_files(), folder.file("secret"), "x", 0644));
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  const ProcessResult result =
      run("import os,socket\n"
          "def t(f):\n  try: f(); print('done')\n  except OSError as e: print(e.errno)\n"
          "t(lambda: open('/etc/passwd').read())\n"
          "t(lambda: open('" +
          folder.file("secret") +
          "').read())\n"
          "t(lambda: open('" +
          folder.file("made") +
          "','w'))\n"
          "t(lambda: os.kill(" +
          std::to_string(getpid()) +
          ",0))\n"
          "t(lambda: os.fork())\n"
          "t(lambda: socket.create_connection(('127.0.0.1',9),1))\n"
          "t(lambda: open(os.getcwd()+'/mine','w'))\n");
  EXPECT_EQ(result.out, "13\n13\n13\n1\n1\n1\ndone\n") << result.err;
}

// Another program of the same user, and queues that it has. Kernels before 6.12 hold no signals by
// Landlock.
TEST_F(PartialSandboxTest, OtherProcessesOfTheUserAreOutOfReach) {
  facts_.landlock = std::min(facts_.landlock, 5);
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t victim = fork();
  if (victim == 0) {
    if (geteuid() == 0 && setresuid(sandbox_user(), sandbox_user(), sandbox_user()) != 0) _exit(1);
    (void)!::write(ready[1], "!", 1);
    while (true) pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const ProcessResult result =
      run("import os,ctypes,fcntl,resource,struct\n"
          "c=ctypes.CDLL(None,use_errno=True)\n"
          "v=" +
          std::to_string(victim) +
          "\n"
          "def t(f):\n  try: f(); print('done')\n  except OSError as e: print(e.errno)\n"
          "def n(r):\n  print(r if r < 0 else 'done', ctypes.get_errno())\n"
          "a,b=os.pipe()\n"
          "t(lambda: fcntl.fcntl(a,10,9))\n"
          "t(lambda: fcntl.fcntl(a,fcntl.F_SETOWN,v))\n"
          "t(lambda: fcntl.fcntl(a,15,struct.pack('ii',1,v)))\n"
          "fcntl.fcntl(a,fcntl.F_SETFL,fcntl.fcntl(a,fcntl.F_GETFL)|os.O_ASYNC)\n"
          "os.write(b,b'x')\n"
          "t(lambda: resource.prlimit(v,resource.RLIMIT_CPU,(1,1)))\n"
          "t(lambda: os.setpriority(os.PRIO_PROCESS,v,19))\n"
          "t(lambda: os.sched_setaffinity(v,{0}))\n"
          "n(c.msgget(7,0o1600))\nn(c.semget(7,1,0o1600))\n"
          "n(c.syscall(240,b'anima-test',0o102,0o600,0))\n");
  EXPECT_EQ(result.out, "1\n1\n1\n1\n1\n1\n-1 1\n-1 1\n-1 1\n") << result.err;
  EXPECT_EQ(waitpid(victim, nullptr, WNOHANG), 0);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
}

TEST_F(PartialSandboxTest, X12_RefusesWithoutContainment) {
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  auto refused = run_sandboxed(request, facts_);  // full is demanded
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kNoSandbox);
  EXPECT_NE(refused.error().hint.find("anima doctor"), std::string::npos);
  request.best_effort = true;
  const auto ran = run_sandboxed(request, facts_);
  ASSERT_TRUE(ran.has_value()) << ran.error().describe();
  EXPECT_EQ(ran->containment, Containment::kPartial);
  EXPECT_EQ(ran->missing, std::vector<std::string>{"name spaces"});
}

TEST(Sandbox, X12_NothingAtAllMeansNoRun) {
  SandboxRequest request;
  request.arguments = {"/bin/true"};
  request.demand = Containment::kPartial;
  const auto refused = run_sandboxed(request, SandboxFacts{});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kNoSandbox);
  for (const Protection& each : describe_sandbox(SandboxFacts{})) {
    if (each.name == "memory") continue;  // watched where the kernel does not bound it
    EXPECT_FALSE(each.present);
    EXPECT_FALSE(each.remedy.empty()) << each.name;
  }
}

}  // namespace
}  // namespace anima::tools
