#include "random_edits.h"

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <unistd.h>

#include "compiling_process.h"
#include "file_tick.h"
#include "header_tree.h"
#include "temp_folder.h"

namespace kmux::fresh {
namespace {

constexpr int kProcesses = 2;
constexpr int kLongestCompile = 4'000;  // us
constexpr int kManyTicks = 24'000;      // us; an edit in such a compile may be in the past when that ends

/// An answer that is awaited, and the first state of the headers that it may be of.
struct Request {
  int process;
  int number;
  std::string what;
  int program;
  std::size_t begun_at;
};

class Run {
 public:
  Run(std::string backend, std::uint64_t seed) : backend_(std::move(backend)), random_(seed) {
    for (int i = 0; i < kProcesses; ++i) start(i);
    note_state();
  }

  Outcome run(int steps) {
    for (outcome_.steps = 0; outcome_.steps < steps; ++outcome_.steps) step(any_of(random_, 100));
    return outcome_;
  }

 private:
  void step(int choice) {
    if (choice < 34) return edit();
    if (choice < 52) return check(send("compile"));
    if (choice < 60) return check(send("lazy"));
    if (choice < 66) return check(send("eager"));
    if (choice < 70) return check(send("par"));
    if (choice < 76) return call_again();
    if (choice < 84) return compile_at_once();
    if (choice < 98) return edit_during_compile();
    restart();
  }

  void start(int process) {
    auto& child = processes_.at(static_cast<std::size_t>(process));
    child.reset();
    child = std::make_unique<CompilingProcess>(backend_, folder_.path(), tree_.include_dirs());
    latest_.at(static_cast<std::size_t>(process)).clear();
  }

  CompilingProcess& process(int index) { return *processes_.at(static_cast<std::size_t>(index)); }

  void note_state() {
    auto& state = states_.emplace_back();
    for (int i = 0; i < kPrograms; ++i) state.at(static_cast<std::size_t>(i)) = tree_.values(i);
  }

  void edit() {
    edits_ += "; " + tree_.edit(random_);
    if (edits_.size() > 300) edits_.erase(0, edits_.size() - 300);
    note_state();
    if (any_of(random_, 3) > 0) next_file_tick();
  }

  /// Sends a request for any program to any process.
  Request send(const std::string& what) {
    return send(what, any_of(random_, kProcesses), any_of(random_, kPrograms), 0);
  }
  Request send(const std::string& what, int to, int program, int microseconds) {
    const std::size_t begun_at = states_.size() - 1;
    return {to, process(to).send(what, program, microseconds), what, program, begun_at};
  }

  void compile_at_once() {
    const int program = any_of(random_, kPrograms);
    std::vector<Request> requests;
    for (int i = 0; i < 4; ++i) {
      const char* const what = i < 2 ? "compile" : any_of(random_, 2) == 0 ? "lazy" : "eager";
      requests.push_back(send(what, any_of(random_, kProcesses), program, any_of(random_, kLongestCompile)));
    }
    for (const Request& request : requests) check(request);
  }

  /// What begins after the edit must not get what began before it.
  void edit_during_compile() {
    const int program = any_of(random_, kPrograms);
    const char* const what = any_of(random_, 3) == 0 ? "lazy" : "compile";
    const int time = any_of(random_, 4) == 0 ? kManyTicks : kLongestCompile;
    const Request before = send(what, any_of(random_, kProcesses), program, time);
    ::usleep(static_cast<unsigned>(any_of(random_, time)));
    edit();
    const Request after = send(what, any_of(random_, kProcesses), program, any_of(random_, kLongestCompile));
    if (any_of(random_, 3) == 0) edit();
    check(before);
    check(after);
  }

  void call_again() {
    const int from = any_of(random_, kProcesses);
    const int program = any_of(random_, kPrograms);
    const auto& latest = latest_.at(static_cast<std::size_t>(from));
    const auto known = latest.find(program);
    const Request request = send("call", from, program, 0);
    const std::string answer = process(from).await(request.number);
    if (known != latest.end() && answer != known->second) {
      report(request, answer, "a kernel computed " + known->second + "when it was compiled");
    }
  }

  void restart() {
    const int which = any_of(random_, kProcesses);
    if (any_of(random_, 2) == 0) {
      for (int i = 0; i < 3; ++i) send("compile", which, i, kLongestCompile);
      ::usleep(static_cast<unsigned>(any_of(random_, 2 * kLongestCompile)));
      process(which).kill();
    }
    start(which);
  }

  void check(const Request& request) {
    const std::string answer = process(request.process).await(request.number);
    const bool is_one = request.what != "par";
    std::istringstream numbers(answer);
    for (int program = is_one ? request.program : 0; program <= (is_one ? request.program : kPrograms - 1); ++program) {
      Values values{};
      const bool is_read = static_cast<bool>(numbers >> values[0] >> values[1]);
      if (!is_read && states_.size() - 1 > request.begun_at) return;  // a header was there in part only
      if (!is_read || !is_of_a_state(values, program, request.begun_at)) {
        report(request, answer, "expected " + expected(program, request.begun_at));
      }
    }
    if (request.what == "compile") note_kernel(request, answer);
  }

  /// Of two compiles of one process at once, the later answer may be of the earlier kernel: then it is not known which is kept.
  void note_kernel(const Request& request, const std::string& answer) {
    auto& latest = latest_.at(static_cast<std::size_t>(request.process));
    latest.erase(request.program);
    const std::string again = process(request.process).await(process(request.process).send("call", request.program, 0));
    if (answer.starts_with("error") || again != answer) return;
    latest[request.program] = answer;
  }

  /// Each number is one that was there since `begin`: several headers may be of several moments.
  bool is_of_a_state(const Values& values, int program, std::size_t begin) const {
    for (std::size_t k = 0; k < values.size(); ++k) {
      bool found = false;
      for (std::size_t i = begin; i < states_.size(); ++i) {
        found = found || states_[i].at(static_cast<std::size_t>(program)).at(k) == values.at(k);
      }
      if (!found) return false;
    }
    return true;
  }

  std::string expected(int program, std::size_t begin) const {
    std::string text;
    for (std::size_t i = begin; i < states_.size(); ++i) {
      const Values& values = states_[i].at(static_cast<std::size_t>(program));
      text += (i == begin ? "" : " or ") + std::to_string(values[0]) + " " + std::to_string(values[1]);
    }
    return text;
  }

  void report(const Request& request, const std::string& answer, const std::string& why) {
    if (++outcome_.wrong > 1) return;
    outcome_.first = "step " + std::to_string(outcome_.steps) + ": " + request.what + " of program " +
                     std::to_string(request.program) + " gave \"" + answer + "\" (" + why + "; edits:" + edits_ + ").";
  }

  std::string backend_;
  Random random_;
  TempFolder folder_{memory_folder()};
  HeaderTree tree_{folder_.path() / "tree"};
  std::array<std::unique_ptr<CompilingProcess>, kProcesses> processes_;
  std::array<std::map<int, std::string>, kProcesses> latest_;  // by program: what the kernel that is kept computes
  std::vector<std::array<Values, kPrograms>> states_;
  std::string edits_;
  Outcome outcome_;
};

}  // namespace

Outcome run_random_edits(const std::string& backend, std::uint64_t seed, int steps) {
  return Run(backend, seed).run(steps);
}

}  // namespace kmux::fresh
