// Expected values are those of W3C Trace Context (level 1), sections 3.2 and 3.3.
#include "base/trace/trace.h"

#include <gtest/gtest.h>

#include <vector>

namespace anima::trace_test {
namespace {

TEST(Traceparent, IsReadAsTheStandardHasIt) {
  const struct {
    const char* text;
    bool good;
  } cases[] = {
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", true},
      {" 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ", true},
      {"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes-later", true},
      {"cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what", false},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", false},
      {"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", false},
      {"00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", false},
      {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01", false},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0", false},
      {"00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01x", false},
      {"00-4bf92f3577b34da6a3ce929d0e0e4736+00f067aa0ba902b7-01", false},
      {"", false},
  };
  for (const auto& each : cases)
    EXPECT_EQ(read_traceparent(each.text).has_value(), each.good) << each.text;
  const auto context = read_traceparent(cases[0].text, "rojo=1");
  EXPECT_EQ(context->trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(context->state, "rojo=1");
  EXPECT_EQ(traceparent_of(*context), cases[0].text);
  EXPECT_FALSE(read_traceparent(cases[1].text)->sampled);
  // A state that would make a header of its own is none.
  EXPECT_EQ(read_traceparent(cases[0].text, "a=1\r\nX: 1")->state, "");
}

class Kept final : public Tracer {
 public:
  SpanContext begin(const SpanContext* parent) override {
    SpanContext context = parent == nullptr ? SpanContext{} : *parent;
    context.trace[0] = 1;
    context.span[0] = ++made_;
    context.sampled = true;
    return context;
  }
  std::int64_t now_ns() override { return ++time_; }
  void end(SpanRecord span) override { spans.push_back(std::move(span)); }
  bool keeps_contents() const override { return false; }
  bool takes_parents() const override { return takes; }
  std::vector<SpanRecord> spans;
  bool takes = true;

 private:
  std::uint8_t made_ = 0;
  std::int64_t time_ = 0;
};

TEST(Spans, AreWithinTheScopeOfTheThread) {
  Kept tracer;
  EXPECT_FALSE(TraceScope::current());
  {
    const TraceScope by(&tracer);
    Span outer("outer", SpanKind::kServer);
    const TraceScope scope(outer);
    {
      Span inner("inner", SpanKind::kClient);
      const TraceScope within(inner);
      inner.set("n", 1);
      inner.fail("timeout");
      EXPECT_EQ(TraceScope::current()->span[0], 2);
    }
    EXPECT_EQ(TraceScope::current()->span[0], 1);
  }
  EXPECT_FALSE(TraceScope::current());
  ASSERT_EQ(tracer.spans.size(), 2U);
  EXPECT_EQ(tracer.spans[0].name, "inner");
  EXPECT_EQ(tracer.spans[0].parent->span[0], 1);
  EXPECT_TRUE(tracer.spans[0].failed);
  EXPECT_GT(tracer.spans[0].ended_ns, tracer.spans[0].begun_ns);
  EXPECT_FALSE(tracer.spans[1].parent);
}

TEST(Spans, ACallersContextIsHandedOnAlsoWithoutATracer) {
  const auto caller = read_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const TraceScope by(nullptr);
  const Span span("request", SpanKind::kServer, caller);
  EXPECT_FALSE(span.is_recorded());
  const TraceScope scope(span);
  EXPECT_EQ(traceparent_of(*TraceScope::current()), traceparent_of(*caller));
}

TEST(Spans, ATracerMayTakeNoContextOfCallers) {
  Kept tracer;
  tracer.takes = false;
  const TraceScope by(&tracer);
  const char* const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  EXPECT_FALSE(TraceScope::of_caller(parent, ""));
  tracer.takes = true;
  EXPECT_TRUE(TraceScope::of_caller(parent, ""));
}

}  // namespace
}  // namespace anima::trace_test
