#include "kmux/plugin/code_state.h"

#include "kmux/plugin/words.h"

namespace kmux {

void set_state(Artifact& artifact, const std::vector<std::string>& variables) {
  if (variables.empty()) return;
  std::string lines;
  for (const std::string& name : variables) lines.append(name).append("\n");
  artifact.set(std::string(kStatePart), std::move(lines));
}

std::vector<std::string> state_of(const Artifact& artifact) {
  const std::string* const part = artifact.find(kStatePart);
  return part == nullptr ? std::vector<std::string>{} : split_lines(*part);
}

}  // namespace kmux
