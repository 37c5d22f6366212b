#include "random_body.h"

#include <functional>
#include <optional>
#include <random>

namespace kmux::conformance {
namespace {

using Step = RandomBody::Step;
using Kind = Step::Kind;

constexpr int kDeepest = 3;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::vector<Step> steps(int depth, const std::vector<std::string>& names) {
    std::vector<Step> made;
    for (std::size_t i = below(depth == 0 ? 5 : 3) + 1; i > 0; --i) made.push_back(step(depth, names));
    return made;
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }

  Step step(int depth, const std::vector<std::string>& names) {
    const std::size_t kind = below(depth < kDeepest ? 8 : 4);
    if (kind < 4) return {Kind::kAppend, value(2, names)};
    if (kind == 4 && depth == 0) return {Kind::kFill};
    if (kind < 6)
      return {Kind::kGuard, value(2, names) > value(1, names), steps(depth + 1, names), steps(depth + 1, names)};
    std::vector<std::string> inner = names;
    inner.push_back("i" + std::to_string(names.size() - 2));  // n and m precede the loop variables
    return {Kind::kLoop, Expr(static_cast<std::int64_t>(below(4))), steps(depth + 1, inner)};
  }

  Expr leaf(const std::vector<std::string>& names) {
    if (below(3) == 0) return Expr(static_cast<std::int64_t>(below(20)) - 7);
    return Expr::symbol(names[below(names.size())]);
  }

  Expr value(int depth, const std::vector<std::string>& names) {
    if (depth == 0 || below(4) == 0) return leaf(names);
    const Expr a = value(depth - 1, names), b = value(depth - 1, names);
    switch (below(10)) {
      case 0:
        return a + b;
      case 1:
        return a - b;
      case 2:
        return a * b;
      case 3:
        return min(a, b);
      case 4:
        return max(a, b);
      case 5:
        return floordiv(a, Expr(static_cast<std::int64_t>(below(6)) + 1));
      case 6:
        return floormod(a, Expr(static_cast<std::int64_t>(below(6)) + 1));
      case 7:
        return select(a < b, a, b);
      case 8:
        return a ^ b;
      default:
        return ceildiv(a, Expr(3)) & b;
    }
  }

  std::mt19937 random_;
};

using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// Runs the body with the evaluator of the sdk.
class Runner {
 public:
  explicit Runner(Values values) : values_(std::move(values)), log_(RandomBody::kLogged) {}

  bool run(const std::vector<Step>& steps) {
    for (const Step& step : steps)
      if (!run(step)) return false;
    return true;
  }
  const std::vector<std::int64_t>& log() const { return log_; }

 private:
  std::optional<std::int64_t> value_of(const Expr& expr) const {
    const auto value = evaluate(expr, [this](std::string_view name) -> std::optional<std::int64_t> {
      for (const auto& [known, held] : values_)
        if (known == name) return held;
      return std::nullopt;
    });
    return value ? std::optional(*value) : std::nullopt;
  }

  bool run(const Step& step) {
    if (step.kind == Kind::kFill) return log_.assign(log_.size(), 0), true;
    const std::optional<std::int64_t> value = value_of(step.value);
    if (!value) return false;
    if (step.kind == Kind::kAppend) return append(*value);
    if (step.kind == Kind::kGuard) return run(*value != 0 ? step.inside : step.otherwise);
    for (std::int64_t i = 0; i < *value; ++i) {
      values_.emplace_back("i" + std::to_string(depth_++), i);
      const bool went_on = run(step.inside);
      values_.pop_back();
      --depth_;
      if (!went_on) return false;
    }
    return true;
  }

  bool append(std::int64_t value) {
    if (log_[0] + 1 >= RandomBody::kLogged) return false;
    log_[static_cast<std::size_t>(++log_[0])] = value;
    return true;
  }

  Values values_;
  int depth_ = 0;
  std::vector<std::int64_t> log_;
};

void emit(const OneThread& host, BodyBuilder body, const std::vector<Step>& steps, int depth) {
  for (const Step& step : steps) {
    switch (step.kind) {
      case Kind::kAppend:
        append(host, body, step.value);
        break;
      case Kind::kFill:
        body.fill("log", Expr(8 * RandomBody::kLogged));
        break;
      case Kind::kGuard:
        body.when(
            step.value, [&](BodyBuilder& inner) { emit(host, inner, step.inside, depth); },
            [&](BodyBuilder& inner) { emit(host, inner, step.otherwise, depth); });
        break;
      case Kind::kLoop:
        body.loop("i" + std::to_string(depth), 0, step.value,
                  [&](BodyBuilder& inner, const Expr&) { emit(host, inner, step.inside, depth + 1); });
    }
  }
}

bool launches(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (step.kind == Kind::kAppend || launches(step.inside) || launches(step.otherwise)) return true;
  }
  return false;
}

/// Calls `each` with every simpler list of steps: with one step removed, or replaced by the steps inside it.
void with_less(const std::vector<Step>& steps, const std::function<void(const std::vector<Step>&)>& each) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<Step> less = steps;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    each(less);
    for (std::vector<Step> Step::* part : {&Step::inside, &Step::otherwise}) {
      with_less(steps[i].*part, [&](const std::vector<Step>& inside) {
        std::vector<Step> changed = steps;
        changed[i].*part = inside;
        each(changed);
      });
    }
  }
}

}  // namespace

RandomBody RandomBody::of(std::uint32_t seed) {
  RandomBody body;
  body.steps_ = Generator(seed).steps(0, {"n", "m"});
  if (!launches(body.steps_))
    body.steps_.push_back({Kind::kAppend, Expr::symbol("n")});  // a program must launch a kernel
  return body;
}

Program RandomBody::program() const {
  ProgramBuilder builder("random_body");
  builder.scalar("n", dtype::kInt64);
  builder.scalar("m", dtype::kInt64);
  builder.buffer("log", BufferParam{dtype::kInt64, {kLogged}});
  add_variants(builder, kTraceKernel, [&](const OneThread& host) { emit(host, host.builder().body(), steps_, 0); });
  return builder.build().value();
}

std::optional<std::vector<std::int64_t>> RandomBody::expected(std::int64_t n, std::int64_t m) const {
  Runner runner({{"n", n}, {"m", m}});
  if (!runner.run(steps_)) return std::nullopt;
  return runner.log();
}

std::vector<RandomBody> RandomBody::smaller() const {
  std::vector<RandomBody> bodies;
  with_less(steps_, [&](const std::vector<Step>& steps) {
    if (!launches(steps)) return;
    bodies.emplace_back();
    bodies.back().steps_ = steps;
  });
  return bodies;
}

}  // namespace kmux::conformance
