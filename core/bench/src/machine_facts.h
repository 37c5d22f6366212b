#pragma once

#include <string>

#include "kmux/json.h"

#include "html_writer.h"

namespace kmux::bench {

/// What a report was measured on, in a line: "NVIDIA H200 - Intel Xeon, 16 cores - kmux 0.9".
std::string machine_line(const Json& machine);

/// Every fact of the machine, in details that open.
void write_machine(HtmlWriter& html, const Json& machine);

}  // namespace kmux::bench
