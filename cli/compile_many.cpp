#include "compile_many.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "kmux/par_compile.h"
#include "kmux/program.h"
#include "kmux/runtime.h"

#include "command.h"
#include "interrupt.h"
#include "progress_view.h"
#include "style.h"

namespace kmux::cli {
namespace {

/// What became of one program.
struct Fate {
  std::string path;
  std::string state = "cancelled";  // "done", "failed"
  std::string backend = {};
  bool from_cache = false;
  double nanoseconds = 0;
  bool runs_nowhere = false;
  std::optional<Error> error = {};
};

/// The programs that could be read, and what becomes of all of them.
struct Batch {
  std::vector<Fate> fates;
  std::vector<CompileJob> jobs;
  std::vector<std::size_t> places;  // of the jobs, among the fates
};

Batch read_all(const std::vector<std::string>& paths, const CompileOptions& options) {
  Batch batch;
  for (const std::string& path : paths) {
    Fate fate{.path = path};
    Result<Program> program = load_program(path);
    if (program) {
      batch.places.push_back(batch.fates.size());
      batch.jobs.push_back({*std::move(program), options});
    } else {
      fate.state = "failed";
      fate.error = std::move(program).error();
    }
    batch.fates.push_back(std::move(fate));
  }
  return batch;
}

void note(Fate& fate, const CompileProgress& event) {
  if (event.step != JobStep::kDone && event.step != JobStep::kFailed) return;
  fate.state = to_string(event.step);
  fate.backend = event.backend;
  fate.from_cache = event.from_cache;
  fate.nanoseconds = static_cast<double>(event.elapsed.count());
  if (event.error != nullptr) fate.error = *event.error;
}

void note_where(Batch& batch, const std::vector<std::optional<BuildResult>>& built) {
  for (std::size_t i = 0; i < built.size(); ++i)
    batch.fates[batch.places[i]].runs_nowhere = built[i] && built[i]->resolution.runs_nowhere();
}

/// Compiles what could be read. What fails is in the fates; what concerns none of them is returned.
Status compile_all(Batch& batch, const CompileManyOptions& options, const std::stop_token& cancel) {
  KMUX_ASSIGN(const auto runtime, Runtime::default_runtime());
  std::vector<std::string> names;
  names.reserve(batch.places.size());
  for (const std::size_t place : batch.places) names.push_back(batch.fates[place].path);
  const auto view = progress_on_stderr(std::move(names));
  std::size_t failed = 0;
  const auto built = par_build(*runtime, batch.jobs,
                               {.num_workers = options.jobs,
                                .ignore_error = options.keep_going,
                                .cancel = cancel,
                                .progress = [&](const CompileProgress& event) {
                                  note(batch.fates[batch.places[event.index]], event);
                                  failed = event.counts.failed;
                                  view->show(event);
                                }});
  view->end();
  if (!built && failed == 0 && !cancel.stop_requested()) return built.error();
  if (built) note_where(batch, *built);
  return Ok{};
}

/// As the exit code of a program that a signal ended is.
ExitCode code_of(const std::vector<Fate>& fates, int signal) {
  if (signal != 0) return kInterrupted;
  for (const Fate& fate : fates)
    if (fate.error) return exit_code(fate.error->code);
  return kSuccess;
}

void print_errors(const std::vector<Fate>& fates) {
  for (const Fate& fate : fates) {
    if (!fate.error) continue;
    std::cerr << "kmux: error: " << fate.path << ": " << error_text(*fate.error);
  }
}

std::size_t count(const std::vector<Fate>& fates, std::string_view state) {
  return static_cast<std::size_t>(std::ranges::count(fates, state, &Fate::state));
}

std::string summary(const std::vector<Fate>& fates, double nanoseconds) {
  const auto cached = std::ranges::count(fates, true, &Fate::from_cache);
  const std::size_t failed = count(fates, "failed"), cancelled = count(fates, "cancelled");
  std::string text =
      styled(failed == 0 && cancelled == 0 ? Style::kGood : Style::kBad,
             std::to_string(count(fates, "done")) + " of " + std::to_string(fates.size()) + " programs are compiled");
  if (cached != 0) text += ", " + std::to_string(cached) + " of them found in the cache";
  if (const auto nowhere = std::ranges::count(fates, true, &Fate::runs_nowhere); nowhere != 0)
    text += "; nothing here runs " + std::to_string(nowhere) + " of them";
  if (failed != 0) text += "; " + std::to_string(failed) + " failed";
  if (cancelled != 0) text += "; " + std::to_string(cancelled) + " cancelled";
  return text + " (" + duration_text(nanoseconds) + ")\n";
}

Json to_json(const Fate& fate) {
  Json json = Json::Object{{"program", fate.path}, {"state", fate.state}};
  if (fate.error) {
    json["error"] = Json::Object{{"code", std::string(to_string(fate.error->code))}, {"message", fate.error->message}};
  } else if (fate.state == "done") {
    json["backend"] = fate.backend;
    json["from_cache"] = fate.from_cache;
    json["build_ns"] = fate.nanoseconds;
  }
  return json;
}

Report report(const std::vector<Fate>& fates, double nanoseconds, int signal) {
  Json::Array programs;
  for (const Fate& fate : fates) programs.push_back(to_json(fate));
  return {summary(fates, nanoseconds), Json::Object{{"programs", std::move(programs)}, {"build_ns", nanoseconds}},
          code_of(fates, signal)};
}

}  // namespace

Result<Report> compile_many(const std::vector<std::string>& paths, const CompileManyOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const Interrupt interrupt;
  Batch batch = read_all(paths, options.each);
  const bool all_read = batch.jobs.size() == paths.size();
  if (all_read || options.keep_going) KMUX_TRY(compile_all(batch, options, interrupt.token()));
  print_errors(batch.fates);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return report(batch.fates, elapsed.count(), interrupt.signal());
}

}  // namespace kmux::cli
