// Counts the ways to name a kernel that fail: kernel_name_forms [--device]. A line for each failure, then the bar.
#include <cstdio>
#include <cstring>

#include "kmux/plugin/private_folder.h"

#include "name_forms.h"

using namespace kmux::strangers;  // NOLINT(google-build-using-namespace): this is its program

int main(int count, char** arguments) {
  const bool device = count > 1 && std::strcmp(arguments[1], "--device") == 0;
  const auto forms = name_forms();
  const auto folder = kmux::PrivateFolder::create("kmux-names");
  const auto runtime = folder ? open_runtime(folder->path()) : folder.error();
  if (!forms || !runtime) {
    std::fprintf(stderr, "%s\n", (forms ? runtime.error() : forms.error()).explain().c_str());
    return 1;
  }
  int failures = 0;
  int checks = 0;
  for (const NameWay& way : name_ways(device ? Devices::kReal : Devices::kNone, true)) {
    if (const auto reason = why_not(**runtime, way.backend, way.runs)) {
      std::printf("not here: %s (%s)\n", way.name.c_str(), reason->c_str());
      continue;
    }
    std::fflush(stdout);
    for (const NameForm& form : *forms) {
      ++checks;
      const kmux::Status status = way.check(**runtime, form);
      if (status.ok()) continue;
      ++failures;
      std::printf("failed: %s, %s: %s\n", form.name.c_str(), way.name.c_str(), status.error().message.c_str());
    }
  }
  std::printf("%d forms, %d checks\nkernel_name_forms_failed %d\n", static_cast<int>(forms->size()), checks, failures);
  return failures == 0 ? 0 : 1;
}
