#include "kmux/plugin/emit.h"

#include <algorithm>

namespace kmux {

CodeWriter& CodeWriter::line(std::string_view text) {
  if (!text.empty()) text_.append(2 * static_cast<std::size_t>(depth_), ' ').append(text);
  text_ += '\n';
  return *this;
}

CodeWriter& CodeWriter::lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return *this;
}

CodeWriter& CodeWriter::open(std::string_view text) { return line(text).deepen(); }

CodeWriter& CodeWriter::close(std::string_view text) {
  --depth_;
  return line(text);
}

std::string quote_c(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append(1, '\\').append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte > 0x7e || c == '?') {
      // Three octal digits end by themselves, unlike hexadecimal ones; '?' might begin a trigraph.
      out += '\\';
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + ((byte >> shift) & 7));
    } else {
      out += c;
    }
  }
  return out + '"';
}

namespace {

constexpr std::string_view kSharedBegin = "// kmux: the same in every launcher from here on: ";
constexpr std::string_view kSharedEnd = "// kmux: end of ";

/// Removes the first line of `text`, with its line break, and returns it.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

/// Removes a shared section and its end marker from `text`. Returns its number of lines without the marker.
std::size_t take_shared(std::string_view& text) {
  std::size_t lines = 0;
  while (!text.empty() && !take_line(text).starts_with(kSharedEnd)) ++lines;
  return lines;
}

}  // namespace

std::string shared_text(std::string_view title, std::string_view text) {
  std::string shared(kSharedBegin);
  shared.append(title).append("\n").append(text);
  if (!text.ends_with('\n')) shared += '\n';
  return shared.append(kSharedEnd).append(title).append("\n");
}

std::string own_text(std::string_view launcher) {
  std::string own;
  while (!launcher.empty()) {
    std::string_view line = take_line(launcher);
    if (!line.starts_with(kSharedBegin)) {
      own += line;
      continue;
    }
    line.remove_prefix(kSharedBegin.size());
    line = line.substr(0, line.find('\n'));
    const std::size_t lines = take_shared(launcher);
    own.append("// ").append(line).append(" (").append(std::to_string(lines));
    own.append(" lines, the same in every launcher)\n");
  }
  return own;
}

namespace {

constexpr std::string_view kHelpers = R"(
// What a library exports for those who know nothing of kmux. The launch layer below makes it real.
static int kmux_call_alone(const kmux_slot* slots, void* stream);

template <class T>
[[maybe_unused]] static inline kmux_slot kmux_slot_of(T value) {
  kmux_slot slot = {};
  __builtin_memcpy(&slot, &value, sizeof value);
  return slot;
}

)";

std::string type_of(const SlotInfo& slot) {
  if (slot.kind == SlotKind::kTensor || slot.kind == SlotKind::kPointer) return "void*";
  return slot.kind == SlotKind::kScalar ? c_type(slot.dtype) : "long long";
}

}  // namespace

void emit_exported_call(CodeWriter& out, const Plan& plan, std::string_view stream_type) {
  std::string parameters;
  std::string values;
  for (const SlotInfo& slot : plan.slots) {
    parameters.append(type_of(slot)).append(" ").append(slot.name).append(", ");
    values.append(values.empty() ? "" : ", ").append("kmux_slot_of(").append(slot.name).append(")");
  }
  out.lines(kHelpers);
  out.open(R"(extern "C" __attribute__((visibility("default"))) int call()" + parameters + std::string(stream_type) +
           " kmux_stream) {");
  if (!values.empty()) out.line("const kmux_slot kmux_slots[] = {" + values + "};");
  out.line("return kmux_call_alone(" + std::string(values.empty() ? "nullptr" : "kmux_slots") + ", kmux_stream);");
  out.close();
}

}  // namespace kmux
