#include "simt/codegen/messages.h"

#include <memory>
#include <string_view>

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace kmux::simt {
namespace {

std::string_view severity_name(llvm::DiagnosticSeverity severity) {
  return severity == llvm::DS_Error ? "error: " : "warning: ";
}

}  // namespace

void capture_messages(llvm::LLVMContext& context, std::string& log, bool& names_lines) {
  struct Handler final : llvm::DiagnosticHandler {
    Handler(std::string& text, bool& names) : log(text), names_lines(names) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
      if (info.getSeverity() > llvm::DS_Warning) return true;  // remarks and notes
      names_lines = names_lines || info.getKind() == llvm::DK_FirstPluginKind;
      llvm::raw_string_ostream stream(log);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      stream << severity_name(info.getSeverity());
      info.print(printer);
      stream << "\n";
      return true;
    }
    std::string& log;
    bool& names_lines;
  };
  context.setDiagnosticHandler(std::make_unique<Handler>(log, names_lines));
}

}  // namespace kmux::simt
