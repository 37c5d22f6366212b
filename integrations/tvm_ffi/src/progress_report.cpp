// SPDX-License-Identifier: Apache-2.0
#include "progress_report.h"

#include <chrono>
#include <string>

#include "kmux/json.h"

#include "python_end.h"

namespace kmux::bridge {
namespace {

double seconds(std::chrono::duration<double> duration) { return duration.count(); }

std::int64_t number(std::size_t count) { return static_cast<std::int64_t>(count); }

Json event_of(const CompileProgress& event) {
  return Json::Object{{"step", std::string(to_string(event.step))},
                      {"index", number(event.index)},
                      {"program", std::string(event.program)},
                      {"backend", std::string(event.backend)},
                      {"from_cache", event.from_cache},
                      {"total", number(event.counts.total)},
                      {"running", number(event.counts.running)},
                      {"done", number(event.counts.done)},
                      {"failed", number(event.counts.failed)},
                      {"cancelled", number(event.counts.cancelled)},
                      {"elapsed", seconds(event.elapsed)},
                      {"rate", event.rate},
                      {"eta", event.eta ? Json(seconds(*event.eta)) : Json()},
                      {"same_as", event.same_as ? Json(number(*event.same_as)) : Json()},
                      {"error", event.error != nullptr ? Json(event.error->message) : Json()}};
}

}  // namespace

std::function<void(const CompileProgress&)> progress_report(const ffi::Optional<ffi::Function>& report) {
  if (!report) return {};
  return [report](const CompileProgress& event) {
    {
      const ReturnGuard before_python;
    }
    (*report)(dump(event_of(event)).c_str());
  };
}

}  // namespace kmux::bridge
