// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/assembly_constraints.h"

#include <memory>
#include <utility>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "simt/analysis/names.h"

namespace kmux::simt {
namespace {

namespace tok = clang::tok;

// Returns the options of a lexer that only splits text into tokens.
clang::LangOptions token_options() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = options.CPlusPlus20 = true;
  options.RawStringLiterals = options.LineComment = options.GNUMode = true;
  return options;
}

// Returns the letter for the processor's registers of the type that PTX's `letter` stands for.
char host_letter(char letter, const llvm::Triple& machine) {
  switch (letter) {
    case 'h':  // 16 bits
    case 'l':  // 64 bits
    case 'q':  // 128 bits
      return 'r';
    case 'f':
    case 'd':
      return machine.isAArch64() ? 'w' : 'x';
    default:
      return letter;
  }
}

// Changes the operand lists of inline assembly in a text. Reads tokens without a preprocessor, so bodies of macros and
// skipped branches are changed as well.
class Operands {
 public:
  Operands(llvm::StringRef text, const llvm::Triple& machine)
      : text_(text.str()),
        machine_(machine),
        options_(token_options()),
        lexer_(clang::SourceLocation(), options_, text_.c_str(), text_.c_str(), text_.c_str() + text_.size()) {
    next();
  }

  std::string changed() && {
    while (!is(tok::eof)) {
      const bool is_assembly = is_word({"asm", "__asm__", "__asm"});
      next();
      if (is_assembly) statement();
    }
    return std::move(result_);
  }

 private:
  void next() { lexer_.LexFromRawLexer(token_); }
  bool is(tok::TokenKind kind) const { return token_.is(kind); }
  bool is_word(std::initializer_list<llvm::StringRef> words) const {
    return is(tok::raw_identifier) && llvm::is_contained(words, token_.getRawIdentifier());
  }
  std::size_t offset() { return lexer_.getCurrentBufferOffset() - token_.getLength(); }

  // Reads the rest of a statement behind its first word.
  void statement() {
    while (is_word({"volatile", "__volatile__", "__volatile", "inline", "__inline__", "goto"})) next();
    if (!is(tok::l_paren)) return;
    next();
    bool has_text = true;  // before the first colon: the instructions
    for (std::size_t depth = 1; depth > 0 && !is(tok::eof);) {
      if (is(tok::l_paren)) ++depth;
      if (is(tok::r_paren)) --depth;
      if (depth == 1 && token_.isOneOf(tok::colon, tok::coloncolon)) has_text = false;
      const bool is_literal = depth == 1 && !has_text && is(tok::string_literal);
      const std::size_t begin = offset(), size = token_.getLength();
      if (has_text && is(tok::string_literal)) change_registers(begin, size);
      next();
      const bool is_clobber = token_.isOneOf(tok::comma, tok::r_paren, tok::colon, tok::coloncolon);
      if (is_literal && !is_clobber) change(begin, size);
    }
  }

  // Marks the registers that have one "%", as in "mov.u32 %0, %clusterid.x;". nvcc accepts it, Clang takes it for an
  // operand with a modifier, which has one letter.
  void change_registers(std::size_t begin, std::size_t size) {
    for (std::size_t i = begin; i + 2 < begin + size; ++i) {
      if (result_[i] != '%') continue;
      if (llvm::isAlpha(result_[i + 1]) && llvm::isAlpha(result_[i + 2])) result_[i] = kRegisterSign;
      if (result_[i + 1] == '%') ++i;
    }
  }

  void change(std::size_t begin, std::size_t size) {
    for (std::size_t i = begin; i < begin + size; ++i) result_[i] = host_letter(result_[i], machine_);
  }

  std::string text_, result_ = text_;
  const llvm::Triple& machine_;
  clang::LangOptions options_;
  clang::Lexer lexer_;
  clang::Token token_;
};

// A file whose content is changed when it is read.
class ChangedFile final : public llvm::vfs::File {
 public:
  ChangedFile(std::unique_ptr<File> file, const llvm::Triple& machine) : file_(std::move(file)), machine_(machine) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, std::int64_t size,
                                                               bool ends_with_zero, bool is_volatile) override {
    auto buffer = file_->getBuffer(name, size, ends_with_zero, is_volatile);
    if (!buffer || !(*buffer)->getBuffer().contains("asm")) return buffer;
    return llvm::MemoryBuffer::getMemBufferCopy(with_host_constraints((*buffer)->getBuffer(), machine_), name);
  }

 private:
  const std::unique_ptr<File> file_;
  const llvm::Triple& machine_;
};

class ChangedFiles final : public llvm::vfs::ProxyFileSystem {
 public:
  ChangedFiles(llvm::IntrusiveRefCntPtr<FileSystem> files, llvm::Triple machine)
      : ProxyFileSystem(std::move(files)), machine_(std::move(machine)) {}
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file || llvm::StringRef(path.str()).contains(kDeviceFolder)) return file;  // these have no instructions
    return std::make_unique<ChangedFile>(std::move(*file), machine_);
  }

 private:
  const llvm::Triple machine_;
};

}  // namespace

std::string with_host_constraints(llvm::StringRef text, const llvm::Triple& machine) {
  return Operands(text, machine).changed();
}

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> with_host_constraints(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const llvm::Triple& machine) {
  return llvm::makeIntrusiveRefCnt<ChangedFiles>(std::move(files), machine);
}

}  // namespace kmux::simt
