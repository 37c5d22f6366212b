// Geometry: the host program against the reference evaluator, `evaluate` of the sdk.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

using ::testing::ElementsAre;

const Expr n = Expr::symbol("n");
const Expr m = Expr::symbol("m");

/// Returns expressions over n and m that use every operator at least once.
std::vector<Expr> expressions() {
  return {n + m,
          n - m,
          n * m,
          floordiv(n, m),
          floormod(n, m),
          truncdiv(n, m),
          truncmod(n, m),
          ceildiv(n, m),
          min(n, m),
          max(n, m),
          (n & Expr(63)) << Expr(3),
          n >> Expr(2),
          n & m,
          n | m,
          n ^ m,
          eq(n, m),
          ne(n, m),
          n<m, n <= m, n>
              m,
          n >= m,
          logical_and(n, m),
          logical_or(n, Expr(0)),
          logical_not(n),
          select(n > m, n * Expr(2), m - Expr(1)),
          Expr::cast(dtype::kInt32, n + m),
          Expr::cast(dtype::kBool, n),
          select(eq(n, 0), Expr(-1), floordiv(m, n)),
          logical_and(ne(n, 0), floordiv(m, n) > Expr(1)),
          ceildiv(n * Expr(4), 128) * Expr(128) - n,
          floormod(n - m, 7) * floordiv(m, -3)};
}

TEST(Geometry, ExpressionsMeanWhatTheEvaluatorSays) {
  auto& subject = Subject::current();
  const auto values = expressions();
  const Kernel kernel = subject.compile(record_program(values, {"n", "m"})).value();
  const std::vector<std::int64_t> samples{1, -1, 2, 7, -7, 64, -63, 1000003};
  for (const std::int64_t first : samples) {
    for (const std::int64_t second : samples) {
      const auto bindings = [&](std::string_view name) -> std::optional<std::int64_t> {
        return name == "n" ? first : second;
      };
      const auto out = kernel(first, second);
      ASSERT_TRUE(out.ok()) << out.error().explain();
      const auto actual = subject.download<std::int64_t>(single(*out).value());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(actual[i], evaluate(values[i], bindings).value())
            << to_string(values[i]) << " for n = " << first << ", m = " << second;
      }
    }
  }
}

/// Returns the numbers that a trace program appends when called with n = `value`.
std::vector<std::int64_t> trace(std::int64_t value, const std::function<void(const OneThread&, BodyBuilder)>& steps) {
  auto& subject = Subject::current();
  const Kernel kernel = subject.compile(trace_program(steps)).value();
  const Tensor log = subject.zeros({16}, dtype::kInt64);
  const auto status = kernel.launch({value, log});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().explain());
  const auto values = subject.download<std::int64_t>(log);
  return {values.begin() + 1, values.begin() + 1 + values[0]};
}

TEST(Geometry, LaunchesKeepTheirOrderAndRepeat) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    for (int i : {3, 1, 2, 1}) append(host, body, i);
  };
  EXPECT_THAT(trace(0, steps), ElementsAre(3, 1, 2, 1));
}

TEST(Geometry, GuardsChooseOneSide) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    body.when(
        n > Expr(5), [&](BodyBuilder& inner) { append(host, inner, 1); },
        [&](BodyBuilder& inner) { append(host, inner, 2); });
    append(host, body, 3);
  };
  EXPECT_THAT(trace(6, steps), ElementsAre(1, 3));
  EXPECT_THAT(trace(5, steps), ElementsAre(2, 3));
}

TEST(Geometry, LoopsRunFromBeginToEnd) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    body.loop("i", 2, n, [&](BodyBuilder& inner, const Expr& i) { append(host, inner, i * i); });
  };
  EXPECT_THAT(trace(5, steps), ElementsAre(4, 9, 16));
  EXPECT_THAT(trace(2, steps), ElementsAre());
  EXPECT_THAT(trace(-3, steps), ElementsAre());
}

TEST(Geometry, LoopsAndGuardsNest) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    body.loop("i", 0, n, [&](BodyBuilder& outer, const Expr& i) {
      outer.loop("j", 0, i, [&](BodyBuilder& inner, const Expr& j) {
        inner.when(eq(floormod(i + j, 2), 1), [&](BodyBuilder& guarded) { append(host, guarded, i * Expr(10) + j); });
      });
    });
  };
  EXPECT_THAT(trace(4, steps), ElementsAre(10, 21, 30, 32));
}

TEST(Geometry, LetsBuildOnEachOther) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    const Expr twice = host.builder().let("twice", n * Expr(2));
    const Expr blocks = host.builder().let("blocks", ceildiv(twice, 5));
    append(host, body, blocks + twice);
  };
  EXPECT_THAT(trace(6, steps), ElementsAre(15));
}

TEST(Geometry, WorkspacesLiveForACall) {
  auto& subject = Subject::current();
  ProgramBuilder builder("through_workspace");
  const Expr count = builder.symbol("count");
  builder.input("A", dtype::kFloat32, {count}).output("B", dtype::kFloat32, {count});
  add_variants(builder, R"(
KERNEL void copy(const float* source, float* target, long long count) {
  for (long long i = 0; i < count; ++i) target[i] = source[i] * 2;
}
)",
               [&](const OneThread& host) {
                 host.builder().workspace("w", count * Expr(4));
                 host.launch("copy").args({"A", "w"}).arg(count, dtype::kInt64);
                 host.launch("copy").args({"w", "B"}).arg(count, dtype::kInt64);
               });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  for (int round = 0; round < 3; ++round) {
    const Tensor a = subject.upload<float>({3}, dtype::kFloat32, {1, 2, 3});
    EXPECT_THAT(subject.download<float>(kernel(a).and_then(single).value()), ElementsAre(4, 8, 12));
  }
}

TEST(Geometry, WorkspacesAreAlignedAsDeclared) {
  auto& subject = Subject::current();
  ProgramBuilder builder("aligned");
  builder.output("out", dtype::kInt64, {4});
  add_variants(builder, R"(
KERNEL void remainders(long long* out, char* a, char* b, char* c, char* d) {
  a[0] = a[98] = b[0] = b[98] = c[0] = c[98] = d[0] = d[98] = 1;
  out[0] = 1 + ((long long)a & 15);
  out[1] = 1 + ((long long)b & 255);
  out[2] = 1 + ((long long)c & 4095);
  out[3] = 1 + ((long long)d & 65535);
}
)",
               [](const OneThread& host) {
                 host.builder().workspace("w16", 99, 16).workspace("w256", 99, 256);
                 host.builder().workspace("w4096", 99, 4096).workspace("w65536", 99, 65536);
                 host.launch("remainders").args({"out", "w16", "w256", "w4096", "w65536"});
               });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  for (int round = 0; round < 3; ++round) {
    const auto out = kernel();
    ASSERT_TRUE(out.ok()) << out.error().explain();
    EXPECT_THAT(subject.download<std::int64_t>(single(*out).value()), ElementsAre(1, 1, 1, 1));
  }
}

TEST(Geometry, FillsSetBytes) {
  const auto steps = [](const OneThread& host, BodyBuilder body) {
    append(host, body, 7);
    body.fill("log", 16, 0);
    append(host, body, 8);
  };
  EXPECT_THAT(trace(0, steps), ElementsAre(8));
}

TEST(Geometry, SymbolsComeFromShapesAndStrides) {
  auto& subject = Subject::current();
  ProgramBuilder builder("symbols");
  const Expr rows = builder.symbol("rows");
  const Expr pitch = builder.symbol("pitch");
  builder.buffer("A", BufferParam{dtype::kFloat32, {rows, 2}, std::vector<Expr>{pitch, 1}});
  builder.output("out", dtype::kInt64, {2});
  add_variants(builder,
               "KERNEL void store(long long* out, long long a, long long b) { "
               "out[0] = a; out[1] = b; }\n",
               [&](const OneThread& host) {
                 host.launch("store").args({"out"}).arg(rows, dtype::kInt64).arg(pitch, dtype::kInt64);
               });
  const Kernel kernel = subject.compile(builder.build().value()).value();
  const Tensor memory = subject.zeros({64}, dtype::kFloat32);
  const Tensor view = Tensor::borrow(memory.data(), {5, 2}, dtype::kFloat32, subject.device(), {8, 1});
  EXPECT_THAT(subject.download<std::int64_t>(kernel(view).and_then(single).value()), ElementsAre(5, 8));
}

} // namespace
} // namespace kmux::conformance
