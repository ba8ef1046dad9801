// What the safety checker found in a tool's source. Thread-safety: plain values.
// Source: learning_and_psyche 1.14, "Eight violation types".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json.h"

namespace anima::forge {

enum class Severity : std::uint8_t { kBlocking, kCritical };
std::string_view to_string(Severity severity);

struct Violation {
  std::string type;  // "forbidden_import", "exec", .. the names of the source
  Severity severity = Severity::kBlocking;
  std::string subject;     // what it is about: a header, a function, a kind of pointer
  std::uint32_t line = 0;  // from 1; 0: of the file as a whole

  // "[exec] calls std::system (line 7) [blocking]"
  std::string describe() const;
  Json to_json() const;
};

struct SafetyReport {
  bool safe = false;
  double score = 0;  // 0: something blocks; else 1 less 0.3 for each critical finding
  std::uint64_t imports_checked = 0;
  std::uint64_t calls_checked = 0;
  std::vector<Violation> violations;  // by line, then type, then subject

  Json to_json() const;
  // Numbered lines for whoever makes the next version.
  std::string feedback() const;
};

}  // namespace anima::forge
