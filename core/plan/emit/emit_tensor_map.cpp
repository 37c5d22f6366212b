#include "kmux/plugin/emit.h"

#include "emit_value.h"
#include "ir/dispatch_form.h"

// Prints the encoding of tensor maps, for all dialects whose kernels take them.

namespace kmux {

extern const std::string_view tensor_map_header;  // the text of kmux/plugin/tensor_map.h

namespace {

template <class Enum>
std::string number_of(Enum value) {
  return std::to_string(static_cast<unsigned>(value)) + ";  // " +
         std::string(kWords<Enum>[static_cast<std::size_t>(value)]);
}

std::vector<std::string> texts(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> out;
  out.reserve(numbers.size());
  for (const std::int64_t number : numbers) out.push_back(std::to_string(number));
  return out;
}

// Prints the extents or strides of a map as an array of unsigned 64-bit values.
void emit_sizes(CodeWriter& out, const std::vector<Expr>& sizes, const std::string& name, const std::string& what,
                const std::string& of) {
  std::vector<std::string> items;
  for (const Expr& size : sizes) {
    const std::string number = std::to_string(items.size());
    std::string described = what;
    described.append(" ").append(number).append(of);
    std::string variable = name;
    variable.append("_").append(number);
    const std::string value = emit_size(out, size, variable, described);
    items.push_back(unsigned_text(size, value));
  }
  emit_array(out, "unsigned long long", name, std::move(items));
}

void emit_geometry(CodeWriter& out, const Plan& plan, std::size_t index) {
  const PlanMap& map = plan.maps[index];
  const TensorMap& source = map.map;
  const std::string of = " of tensor map \"" + source.name + "\"";
  const std::string base = emit_address(out, plan, map.base, "kmux_offset", "base" + of);
  emit_sizes(out, source.dims, "kmux_dims", "dim", of);
  emit_sizes(out, source.strides_bytes, "kmux_strides_bytes", "stride", of);
  const std::vector<std::int64_t> ones(source.dims.size(), 1);
  emit_array(out, "unsigned int", "kmux_element_strides",
             texts(source.element_strides.empty() ? ones : source.element_strides));
  out.line("kmux_map_geometry kmux_geometry = {};");
  out.line("kmux_geometry.name = " + quote_c(source.name) + ";");
  out.line("kmux_geometry.index = " + std::to_string(index) + ";");
  out.line("kmux_geometry.base = " + base + ";");
  out.line("kmux_geometry.dtype = " + number_of(source.dtype));
  out.line("kmux_geometry.rank = " + std::to_string(source.dims.size()) + ";");
  out.line("kmux_geometry.dims = kmux_dims;");
  out.line("kmux_geometry.strides_bytes = kmux_strides_bytes;");
  out.line("kmux_geometry.element_strides = kmux_element_strides;");
  out.line("kmux_geometry.interleave = " + number_of(source.interleave));
  out.line("kmux_geometry.swizzle = " + number_of(source.swizzle));
  out.line("kmux_geometry.l2_promotion = " + number_of(source.l2_promotion));
  out.line("kmux_geometry.oob_fill = " + number_of(source.oob_fill));
}

}  // namespace

std::string tensor_map_types() { return shared_text("tensor maps, kmux/plugin/tensor_map.h", tensor_map_header); }

void emit_tensor_map(CodeWriter& out, const Plan& plan, std::size_t index) {
  const PlanMap& map = plan.maps[index];
  const std::string name = "kmux_map_" + std::to_string(index);
  out.line("kmux_tensor_map " + name + ";").open("{  // " + map.map.name);
  emit_geometry(out, plan, index);
  if (const auto* tiled = std::get_if<TiledMap>(&map.map.mode)) {
    emit_array(out, "unsigned int", "kmux_box", texts(tiled->box));
    emit_call(out, "kmux_encode_tiled", name + ", kmux_geometry, kmux_box");
  } else {
    const auto& im2col = std::get<Im2colMap>(map.map.mode);
    emit_array(out, "int", "kmux_lower_corner", texts(im2col.lower_corner));
    emit_array(out, "int", "kmux_upper_corner", texts(im2col.upper_corner));
    emit_call(out, "kmux_encode_im2col",
              name + ", kmux_geometry, kmux_lower_corner, kmux_upper_corner, " +
                  std::to_string(im2col.channels_per_pixel) + ", " + std::to_string(im2col.pixels_per_column));
  }
  out.close();
}

}  // namespace kmux
