#pragma once

namespace kmux::bench {

/// How many names that pages list (targets, backends, options, commands) the command refuses: tests/pages/names.py.
double documented_names_refused();

/// How many messages about the commonest mistakes have more than five lines: tests/mistakes.
double messages_over_5_lines();

}  // namespace kmux::bench
