// Rows S1 to S22 of learning_and_psyche, group S, and O8: with the real preprocessor and libclang
// in the real sandbox, and the real policy.
#include "forge/safety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/packs.h"
#include "base/text/text.h"
#include "support/forge_check.h"
#include "support/needs_sandbox.h"

namespace anima::forge::safety_test {
namespace {

using ::testing::Contains;
using ::testing::Not;

// A whole tool around some lines; `before` stands outside of run().
std::string tool(const std::string& before, const std::string& inside) {
  return "#include <string>\n#include \"tool_api.hpp\"\n" + before +
         "\ntool::Result run(const tool::Input& input, tool::Cancel c) {\n" + inside +
         "\n  (void)c; return {input.input, {}};\n}\n";
}

SafetyReport check_safety(std::string_view source, const SafetyOptions& options = {}) {
  return test::checked(source, options);
}

std::vector<std::string> types(const SafetyReport& report) {
  std::vector<std::string> list;
  for (const Violation& each : report.violations) list.push_back(each.type);
  return list;
}

std::vector<std::string> found(const std::string& source, const SafetyOptions& options = {}) {
  return types(check_safety(source, options));
}

class Safety : public ::testing::Test {
 protected:
  void SetUp() override { ANIMA_NEEDS(test::kUserNamespaces, test::has_user_namespaces()); }
};

TEST_F(Safety, S1CleanFile) {
  const SafetyReport report = check_safety(tool("", "std::string s = input.input + \"x\";"));
  EXPECT_TRUE(report.safe) << report.feedback();
  EXPECT_EQ(report.score, 1.0);
  EXPECT_EQ(report.imports_checked, 2U);
  EXPECT_GT(report.calls_checked, 0U);
}

TEST_F(Safety, S1HeadersThatAToolMayInclude) {
  std::string source;
  std::uint64_t count = 2;  // of tool()
  const std::string_view names =
      "algorithm array atomic bit cctype charconv chrono climits cmath compare complex concepts "
      "cstddef cstdint deque functional iomanip iterator limits list locale map memory mutex "
      "numbers numeric optional queue random ranges ratio regex set shared_mutex span sstream "
      "stack stop_token string string_view thread tuple type_traits unordered_map unordered_set "
      "utility valarray variant vector";
  for (const std::string_view name : split(names, ' ')) {
    source += "#include <" + std::string(name) + ">\n";
    ++count;
  }
  const SafetyReport report = check_safety(tool(source, ""));
  EXPECT_TRUE(report.safe) << report.feedback();
  EXPECT_EQ(report.imports_checked, count);
}

TEST_F(Safety, S2ForbiddenHeader) {
  const SafetyReport report = check_safety("#include <string>\n#include <dlfcn.h>\n");
  ASSERT_EQ(report.violations.size(), 1U) << report.feedback();
  EXPECT_EQ(report.violations[0].type, "forbidden_import");
  EXPECT_EQ(report.violations[0].severity, Severity::kBlocking);
  EXPECT_EQ(report.violations[0].line, 2U);
  EXPECT_EQ(report.score, 0.0);
}

TEST_F(Safety, S3ExecWithoutItsHeader) {
  EXPECT_THAT(found(tool("", "std::system(\"ls\");")), Contains("exec"));
}

TEST_F(Safety, S4PanicThroughAnAlias) {
  EXPECT_THAT(found(tool("", "auto f = std::abort; f();")), Contains("panic"));
}

TEST_F(Safety, S5ExecBuiltByAMacro) {
  EXPECT_THAT(found(tool("#define H sys##tem", "H(\"x\");")), Contains("exec"));
}

TEST_F(Safety, S6ExecInATemplateThatNobodyUses) {
  EXPECT_THAT(found(tool("template <class T> void g(T x) { system(x); }", "")), Contains("exec"));
}

TEST_F(Safety, S7PanicThroughAVirtualCall) {
  const SafetyReport report =
      check_safety(tool("struct A { virtual ~A() = default; virtual void f() = 0; };\n"
                        "struct B : A { void f() override { std::abort(); } };\n"
                        "void through(A& a) { a.f(); }",
                        "B b; through(b);"));
  std::vector<std::uint32_t> lines;
  for (const Violation& each : report.violations) {
    if (each.type == "panic") lines.push_back(each.line);
  }
  EXPECT_THAT(lines, Contains(4U)) << report.feedback();  // who implements it
  EXPECT_THAT(lines, Contains(5U));                       // who calls the base
}

TEST_F(Safety, S8Throw) {
  const SafetyReport report = check_safety(tool("", "throw 1;"));
  ASSERT_FALSE(report.violations.empty());
  EXPECT_EQ(report.violations[0].type, "panic");
  EXPECT_EQ(report.violations[0].line, 5U);
}

TEST_F(Safety, S9Thread) {
  const SafetyReport report =
      check_safety(tool("#include <thread>\nvoid f() {}", "std::thread t(f); t.detach();"));
  std::vector<std::string> subjects;
  for (const Violation& each : report.violations) {
    if (each.type == "goroutine_leak") subjects.push_back(each.subject);
  }
  EXPECT_THAT(subjects, Contains("std::thread")) << report.feedback();
  EXPECT_THAT(subjects, Contains("std::thread::detach"));
}

TEST_F(Safety, S10ThreadThatCanBeStopped) {
  const std::string head = "#include <thread>";
  EXPECT_TRUE(check_safety(tool(head, "std::jthread t([](std::stop_token) {});")).safe)
      << check_safety(tool(head, "std::jthread t([](std::stop_token) {});")).feedback();
  EXPECT_THAT(found(tool(head, "std::jthread t([]() {});")), Contains("goroutine_leak"));
  // One that can be stopped does not excuse another.
  const SafetyReport two =
      check_safety(tool(head, "std::jthread a([](std::stop_token) {});\nstd::jthread b([]() {});"));
  ASSERT_EQ(two.violations.size(), 1U) << two.feedback();
  EXPECT_EQ(two.violations[0].type, "goroutine_leak");
  EXPECT_EQ(two.violations[0].line, 6U);
}

TEST_F(Safety, S11CastsNewUnionAndPointers) {
  for (const char* line :
       {"int x = 1; auto* p = reinterpret_cast<char*>(&x); (void)p;",
        "const int y = 1; const_cast<int&>(y) = 2;", "int x = 1; auto p = (char*)&x; (void)p;",
        "auto* p = new int(1); (void)p;", "union U { int a; float b; } u; (void)u;",
        "const char* p = input.input.c_str(); p++;",
        "const char* p = input.input.c_str(); char d = *(p + 3); (void)d;",
        "const char* p = input.input.c_str(); char d = p[99]; (void)d;",
        "void* p = std::malloc(3); (void)p;"}) {
    EXPECT_THAT(found(tool("", line)), Contains("unsafe_pointer")) << line;
  }
  EXPECT_TRUE(check_safety(tool("", "int a[3] = {1, 2, 3}; int b = a[1]; (void)b;")).safe);
}

TEST_F(Safety, S12ReflectionWaitsForAnApproval) {
  const std::string source =
      tool("struct A { virtual ~A() = default; }; struct B : A {};",
           "B b; A& a = b; bool is = dynamic_cast<B*>(&a) != nullptr; (void)is;");
  const SafetyReport without = check_safety(source);
  EXPECT_FALSE(without.safe);
  EXPECT_THAT(types(without), Contains("reflection")) << without.feedback();
  SafetyOptions options;
  options.approved = {"/reflection"};
  const SafetyReport with = check_safety(source, options);
  EXPECT_TRUE(with.safe) << with.feedback();
  EXPECT_DOUBLE_EQ(with.score, 0.7);
}

TEST_F(Safety, S13ForeignCode) {
  EXPECT_THAT(found(tool("extern \"C\" int puts(const char*);", "")), Contains("cgo"));
  EXPECT_THAT(found(tool("int elsewhere(int);", "elsewhere(1);")), Contains("cgo"));
}

TEST_F(Safety, S14AssemblerAttributeAndPragma) {
  for (const char* line :
       {"asm(\"nop\");", "#pragma pack(1)\n", "_Pragma(\"x\")", "[[gnu::constructor]] void f();",
        "int __attribute__((used)) x;", "#line 300\n"})
    EXPECT_THAT(found(tool(line, "")), Contains("cgo")) << line;
  // There is one reading of these, and it is what is compiled.
  for (const char* line : {"%: define A\n", "#if 1\n#endif\n", "int a\\\nb;", "int x$R = 1;",
                           "#ifdef __clang__\nint a;\n#endif\n"})
    EXPECT_TRUE(check_safety(tool(line, "")).safe)
        << line << check_safety(tool(line, "")).feedback();
}

TEST_F(Safety, S15IncludeOfAPath) {
  for (const char* line :
       {"#include \"/etc/passwd\"", "#include </etc/passwd>", "#include <../../etc/passwd>",
        "# include \"passwd\"", "#include \"string\"", "/* */ #include \"/etc/passwd\"",
        "#define P \"/etc/passwd\"\n#include P"}) {
    const SafetyReport report = check_safety(tool(line, ""));
    ASSERT_FALSE(report.violations.empty()) << line;
    EXPECT_EQ(report.violations[0].type, "forbidden_import") << line;
    EXPECT_EQ(report.feedback().find("root:"), std::string::npos);
  }
  EXPECT_FALSE(check_safety("#include_next <string>\n").safe);
  EXPECT_FALSE(check_safety("#import <string>\n").safe);
}

// The sandbox of a made tool has neither files nor programs nor a network: no setting grants them.
TEST_F(Safety, S16S17S18WhatReachesTheMachineIsNeverMade) {
  for (const char* header : {"filesystem", "fstream", "spawn.h", "sys/socket.h", "iostream"}) {
    EXPECT_THAT(found(tool("#include <" + std::string(header) + ">", "")),
                Contains("forbidden_import"))
        << header;
  }
  EXPECT_THAT(found(tool("", "std::system(\"ls\");")), Contains("exec"));
  EXPECT_THAT(found(tool("", "std::remove(\"/x\");")), Contains("dangerous_call"));
  EXPECT_THAT(found(tool("extern \"C\" int socket(int, int, int);", "socket(2, 1, 0);")),
              Contains("cgo"));
}

TEST_F(Safety, S19SyntaxError) {
  const SafetyReport report = check_safety(tool("", "int = ;"));
  EXPECT_THAT(types(report), Contains("parse_error"));
  EXPECT_EQ(report.score, 0.0);
  EXPECT_THAT(found("#include \"tool_api.hpp\"\n"), Contains("parse_error"));  // no run()
}

TEST_F(Safety, S20UnboundedLoop) {
  for (const char* line :
       {"for (;;) {}", "while (true) {}", "do {} while (1);", "for (int i = 0;; ++i) {}",
        "int i = 0; for (;;) { for (;;) break; ++i; }", "again: goto again;"}) {
    EXPECT_THAT(found(tool("", line)), Contains("dangerous_call")) << line;
  }
  for (const char* line : {"for (;;) { if (c.requested()) return {}; }", "for (;;) { break; }",
                           "while (!c.requested()) {}", "for (int i = 0; i < 3; ++i) {}"}) {
    EXPECT_TRUE(check_safety(tool("", line)).safe)
        << line << check_safety(tool("", line)).feedback();
  }
}

TEST_F(Safety, S21StaticInitialiserWithACall) {
  const SafetyReport report = check_safety(tool("int g = std::system(\"ls\");", ""));
  EXPECT_THAT(types(report), Contains("exec"));
  EXPECT_EQ(report.violations[0].line, 3U);
}

TEST_F(Safety, S22TooManyFactsFailClosed) {
  SafetyOptions options;
  options.max_facts = 3;
  const SafetyReport report =
      check_safety(tool("", "std::string s = input.input + \"x\";"), options);
  EXPECT_FALSE(report.safe);
  EXPECT_THAT(types(report), Contains("policy_violation"));
}

TEST_F(Safety, O8LongSourceGoesToNoParser) {
  const SafetyReport report = check_safety(std::string(102'401, ' '));
  EXPECT_FALSE(report.safe);
  EXPECT_THAT(types(report), Contains("policy_violation"));
  EXPECT_EQ(report.imports_checked, 0U);
}

TEST_F(Safety, NamesOfTheCompilerAreRefused) {
  for (const char* line : {"int __x = 1;", "int _X = 1;", "__extension__ int x = 1;",
                           "auto x = __builtin_return_address(0);"})
    EXPECT_THAT(found(tool("", line)), Contains("cgo")) << line;
  // What the library's own macros become.
  for (const char* line : {"double x = NAN; (void)x;", "double x = INFINITY; (void)x;",
                           "int x = INT_MAX; (void)x;", "int _x = 1; (void)_x;"})
    EXPECT_TRUE(check_safety(tool("", line)).safe)
        << line << check_safety(tool("", line)).feedback();
}

TEST_F(Safety, EveryTemplateIsSafe) {
  for (const std::string_view path : pack_files("packs/forge/templates/")) {
    const std::string source = replace_all(*pack_file(path), "@OPERATION@", "sum");
    const SafetyReport report = check_safety(source);
    EXPECT_TRUE(report.safe) << path << "\n" << report.feedback();
  }
}

}  // namespace
}  // namespace anima::forge::safety_test
