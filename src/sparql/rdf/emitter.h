// What every reader of RDF does with a finished statement: hand it on, count it, tell the progress.
//
// Thread-safety: one thread. A failure is kept; the reader asks for it when emit() gave false.
#pragma once

#include <cstdint>
#include <utility>

#include "base/result.h"
#include "sparql/rdf_reader.h"

namespace anima::sparql::rdf {

class Emitter {
 public:
  Emitter(const RdfReadOptions& options, const QuadSink& sink) : options_(options), sink_(sink) {}

  // False: failed() says why.
  bool emit(const RdfTriple& triple, const RdfTerm* graph, std::uint64_t bytes_read) {
    if (Status taken = sink_(triple, graph); !taken) {
      failed_ = std::move(taken).error();
      return false;
    }
    return ++count_ % kBetweenReports != 0 || tell(bytes_read);
  }
  bool tell(std::uint64_t bytes_read) {
    if (!options_.progress || options_.progress(bytes_read)) return true;
    failed_ = Error{ErrorCode::kCancelled, "reading was interrupted", options_.file_name, {}};
    return false;
  }

  std::uint64_t count() const { return count_; }
  Error failed() && { return std::move(failed_); }

 private:
  static constexpr std::uint64_t kBetweenReports = 4096;

  const RdfReadOptions& options_;
  const QuadSink& sink_;
  std::uint64_t count_ = 0;
  Error failed_;
};

}  // namespace anima::sparql::rdf
