#include "error_text.h"

namespace kmux::cli {
namespace {

bool are_whole = false;

}  // namespace

void show_whole_errors() { are_whole = true; }

std::string error_text(const Error& error) {
  std::string text = are_whole ? error.explain() : error.brief("--verbose shows them");
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace kmux::cli
