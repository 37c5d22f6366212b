#include "kmux/validate.h"

#include "base/quoted.h"
#include "validation.h"

namespace kmux {

namespace {

// A file is one file: variants that name the same path share its content.
void check_shared_files(const Program& program, ProblemList& problems) {
  std::map<std::string_view, const File*> first;
  const auto check = [&](const std::vector<File>& files, const JsonPointer& at) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const File* other = first.try_emplace(files[i].path, &files[i]).first->second;
      if (other->content == files[i].content) continue;
      problems.add(at / i, "file path " + in_double_quotes(files[i].path) +
                               " has other content in an earlier variant. Rename one of them.");
    }
  };
  for (std::size_t i = 0; i < program.variants.size(); ++i) {
    const JsonPointer at = JsonPointer() / "variants" / i;
    check(program.variants[i].sources, at / "sources");
    check(program.variants[i].headers, at / "headers");
  }
}

ProblemList problems_of(const Program& program) {
  ProblemList problems;
  const JsonPointer root;
  if (!is_identifier(program.name)) {
    problems.add(root / "name", in_double_quotes(program.name) + " is no name. Use a C identifier that is no keyword.");
  }
  const Scope scope = scope_of(program.signature, root / "signature");
  check_signature(program.signature, scope, root / "signature", problems);
  if (program.variants.empty()) problems.add(root / "variants", "the program has no variants. Add one.");
  for (std::size_t i = 0; i < program.variants.size(); ++i) {
    check_variant(program.variants[i], scope, root / "variants" / i, problems);
  }
  check_shared_files(program, problems);
  check_metadata(program.metadata, scope, root / "metadata", problems);
  return problems;
}

}  // namespace

std::vector<Problem> validate(const Program& program) { return problems_of(program).take(); }

Status check_valid(const Program& program) {
  return problems_of(program).status("program " + in_double_quotes(program.name));
}

}  // namespace kmux
