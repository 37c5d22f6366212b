#include "programs.h"

#include <algorithm>
#include <array>

#include "subject.h"
#include "translated_kernels.h"

namespace kmux::conformance {
namespace {

struct Dialect {
  const char* name;
  const char* path;
  const char* kernel; // replaces KERNEL
  bool has_grid;
};

constexpr std::array kDialects{
    Dialect{"c", "kernels.c", "", false},
    Dialect{"cuda", "kernels.cu", "extern \"C\" __global__", true},
    Dialect{"hip", "kernels.hip", "extern \"C\" __global__", true},
};

} // namespace

const std::string_view kTraceKernel = R"(
KERNEL void append(long long* log, long long value) {
  log[0] += 1;
  log[log[0]] = value;
}
)";

LaunchBuilder OneThread::launch(BodyBuilder body, const std::string& kernel) const {
  LaunchBuilder launch = body.launch(kernel);
  if (dialect_ != "c") launch.grid({1}).block({1});
  return launch;
}

namespace {

bool gives_shared(const DialectForm& form) { return !form.shared.empty(); }
bool gives_positions(const DialectForm& form) { return !form.block.empty() && !form.thread.empty(); }

/// Returns true if the subject takes one of the suite's dialects with grids, or a dialect of its file for which `gives`
/// returns true.
bool takes_one_that(bool (*gives)(const DialectForm&)) {
  std::vector<std::string> known = own_dialects();
  std::erase(known, "c");
  for (const DialectForm& form : Subject::current().dialects()) {
    if (gives(form)) known.push_back(form.name);
  }
  return std::ranges::any_of(Subject::current().plugin()->manifest().dialects, [&](const std::string& dialect) {
    return std::ranges::find(known, dialect) != known.end();
  });
}

void add_all(ProgramBuilder& builder, std::string_view text, bool only_devices,
             const std::function<void(const OneThread&)>& host) {
  for (const Dialect& dialect : kDialects) {
    if (only_devices && !dialect.has_grid) continue;
    builder.variant(dialect.name);
    builder.source(dialect.path, "#define KERNEL " + std::string(dialect.kernel) + "\n" + shared_as_variable(text));
    host(OneThread(builder, dialect.name));
  }
  for (const DialectForm& form : Subject::current().dialects()) {
    if (has_shared(text) && form.shared.empty()) continue;
    if (has_positions(text) && !gives_positions(form)) continue;
    builder.variant(form.name).source(form.file, kernels_in(form, text));
    host(OneThread(builder, form.name));
  }
  builder.variant("cutedsl").source("kernels.py", cute_kernels(text)).header("kmux_c.py", std::string(cute_helpers()));
  host(OneThread(builder, "cutedsl"));
}

}  // namespace

void add_variants(ProgramBuilder& builder, std::string_view text, const std::function<void(const OneThread&)>& host) {
  add_all(builder, text, false, host);
}

void add_device_variants(ProgramBuilder& builder, std::string_view text,
                         const std::function<void(const OneThread&)>& host) {
  add_all(builder, text, true, host);
}

std::vector<std::string> own_dialects() {
  std::vector<std::string> names;
  for (const Dialect& dialect : kDialects) names.emplace_back(dialect.name);
  names.emplace_back("cutedsl");
  return names;
}

bool can_use_shared() { return takes_one_that(gives_shared); }

bool can_use_positions() { return takes_one_that(gives_positions); }

Program add_program(const std::string& name) {
  ProgramBuilder builder(name);
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).input("B", dtype::kFloat32, {n}).output("C", dtype::kFloat32, {n});
  add_variants(builder, R"(
KERNEL void add(const float* a, const float* b, float* c, long long n) {
  for (long long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
)",
               [&](const OneThread& host) { host.launch("add").args({"A", "B", "C"}).arg(n, dtype::kInt64); });
  return builder.build().value();
}

Program record_program(const std::vector<Expr>& values, const std::vector<std::string>& scalars) {
  ProgramBuilder builder("record");
  for (const auto& scalar : scalars) builder.scalar(scalar, dtype::kInt64);
  builder.output("out", dtype::kInt64, {Expr(static_cast<std::int64_t>(values.size()))});
  add_variants(
      builder, R"(
KERNEL void record(long long* out, long long index, long long value) { out[index] = value; }
)",
      [&](const OneThread& host) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          host.launch("record").args({"out"}).arg(static_cast<int>(i), dtype::kInt64).arg(values[i], dtype::kInt64);
        }
      });
  return builder.build().value();
}

Program trace_program(const std::function<void(const OneThread&, BodyBuilder)>& steps) {
  ProgramBuilder builder("trace");
  builder.scalar("n", dtype::kInt64);
  builder.buffer("log", BufferParam{dtype::kInt64, {16}});
  add_variants(builder, kTraceKernel, [&](const OneThread& host) { steps(host, host.builder().body()); });
  return builder.build().value();
}

void append(const OneThread& host, BodyBuilder body, Expr value) {
  host.launch(body, "append").args({"log"}).arg(std::move(value), dtype::kInt64);
}

}  // namespace kmux::conformance
