#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <tuple>

#include "kmux/dispatch.h"
#include "kmux/dispatch_json.h"

#include "json_reader.h"

// The JSON form of a program: the keys and members of each record, shared by reader and writer.

namespace kmux {

template <class Member>
struct Required {
  std::string_view key;
  Member member;
};

/// Omitted from the text if the member has its default value.
template <class Member>
struct Optional {
  std::string_view key;
  Member member;
};

/// A variant: alternative number i is under keys[i]; exactly one key must be present.
template <class Member, std::size_t N>
struct OneOf {
  std::array<std::string_view, N> keys;
  Member member;
};

template <class Member>
constexpr Required<Member> required(std::string_view key, Member member) {
  return {key, member};
}
template <class Member>
constexpr Optional<Member> optional(std::string_view key, Member member) {
  return {key, member};
}
template <class Member, std::size_t N>
constexpr OneOf<Member, N> one_of(const std::string_view (&keys)[N], Member member) {
  return {std::to_array(keys), member};
}

struct NoForm {};
/// The fields of record `T`, a tuple of Required, Optional and OneOf.
template <class T>
inline constexpr NoForm kForm{};

template <class T>
concept Record = !std::same_as<decltype(kForm<T>), const NoForm>;

/// The words of an enumeration, in the order of its values.
template <class T>
inline constexpr NoForm kWords{};

template <>
inline constexpr auto kWords<TensorMapDType> = std::to_array<std::string_view>(
    {"uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bfloat16",
     "float32_ftz", "tfloat32", "tfloat32_ftz", "u4_align8", "u4_align16", "u6_align16"});
template <>
inline constexpr auto kWords<Interleave> = std::to_array<std::string_view>({"none", "16b", "32b"});
template <>
inline constexpr auto kWords<Swizzle> = std::to_array<std::string_view>(
    {"none", "32b", "64b", "128b", "128b_atom_32b", "128b_atom_32b_flip_8b", "128b_atom_64b"});
template <>
inline constexpr auto kWords<L2Promotion> = std::to_array<std::string_view>({"none", "64b", "128b", "256b"});
template <>
inline constexpr auto kWords<OobFill> = std::to_array<std::string_view>({"none", "nan"});
template <>
inline constexpr auto kWords<CallResult> = std::to_array<std::string_view>({"void", "int32"});

template <>
inline constexpr auto kForm<BufferParam> =
    std::tuple{required("dtype", &BufferParam::dtype),       required("shape", &BufferParam::shape),
               optional("strides", &BufferParam::strides),   optional("alignment_bytes", &BufferParam::alignment_bytes),
               optional("nullable", &BufferParam::nullable), optional("inout", &BufferParam::inout)};
template <>
inline constexpr auto kForm<ScalarParam> = std::tuple{required("dtype", &ScalarParam::dtype)};
template <>
inline constexpr auto kForm<PointerParam> = std::tuple{};
template <>
inline constexpr auto kForm<Param> =
    std::tuple{required("name", &Param::name), one_of({"buffer", "scalar", "pointer"}, &Param::kind)};
template <>
inline constexpr auto kForm<Symbol> = std::tuple{required("name", &Symbol::name), optional("dtype", &Symbol::dtype)};
template <>
inline constexpr auto kForm<Signature> =
    std::tuple{optional("params", &Signature::params), optional("outputs", &Signature::outputs),
               optional("symbols", &Signature::symbols)};

template <>
inline constexpr auto kForm<MemoryRef> =
    std::tuple{required("name", &MemoryRef::name), optional("offset_bytes", &MemoryRef::offset_bytes)};
template <>
inline constexpr auto kForm<Let> = std::tuple{required("name", &Let::name), required("value", &Let::value)};
template <>
inline constexpr auto kForm<Assert> =
    std::tuple{required("condition", &Assert::condition), required("message", &Assert::message)};
template <>
inline constexpr auto kForm<Workspace> =
    std::tuple{required("name", &Workspace::name), required("bytes", &Workspace::bytes),
               optional("alignment_bytes", &Workspace::alignment_bytes)};
template <>
inline constexpr auto kForm<TiledMap> = std::tuple{required("box", &TiledMap::box)};
template <>
inline constexpr auto kForm<Im2colMap> =
    std::tuple{required("lower_corner", &Im2colMap::lower_corner), required("upper_corner", &Im2colMap::upper_corner),
               required("channels_per_pixel", &Im2colMap::channels_per_pixel),
               required("pixels_per_column", &Im2colMap::pixels_per_column)};
template <>
inline constexpr auto kForm<TensorMap> = std::tuple{required("name", &TensorMap::name),
                                                    required("dtype", &TensorMap::dtype),
                                                    required("base", &TensorMap::base),
                                                    required("dims", &TensorMap::dims),
                                                    required("strides_bytes", &TensorMap::strides_bytes),
                                                    optional("element_strides", &TensorMap::element_strides),
                                                    one_of({"tiled", "im2col"}, &TensorMap::mode),
                                                    optional("interleave", &TensorMap::interleave),
                                                    optional("swizzle", &TensorMap::swizzle),
                                                    optional("l2_promotion", &TensorMap::l2_promotion),
                                                    optional("oob_fill", &TensorMap::oob_fill)};

template <>
inline constexpr auto kForm<TensorArg> =
    std::tuple{required("tensor", &TensorArg::param), optional("offset_bytes", &TensorArg::offset_bytes)};
template <>
inline constexpr auto kForm<ScalarArg> = std::tuple{required("scalar", &ScalarArg::param)};
template <>
inline constexpr auto kForm<ExprArg> =
    std::tuple{required("expr", &ExprArg::value), optional("dtype", &ExprArg::dtype)};
template <>
inline constexpr auto kForm<TensorMapArg> = std::tuple{required("tensor_map", &TensorMapArg::tensor_map)};
template <>
inline constexpr auto kForm<WorkspaceArg> =
    std::tuple{required("workspace", &WorkspaceArg::workspace), optional("offset_bytes", &WorkspaceArg::offset_bytes)};
template <>
inline constexpr auto kForm<StructArg> =
    std::tuple{required("struct", &StructArg::members), optional("align", &StructArg::alignment_bytes)};
/// The keys of launch arguments: the required key of the record selects the alternative.
inline constexpr std::array<std::string_view, 6> kArgKeys{"tensor",     "scalar",    "expr",
                                                          "tensor_map", "workspace", "struct"};

template <>
inline constexpr auto kForm<L2Window> =
    std::tuple{required("buffer", &L2Window::buffer), required("bytes", &L2Window::bytes),
               optional("hit_ratio", &L2Window::hit_ratio)};
template <>
inline constexpr auto kForm<Launch> =
    std::tuple{required("kernel", &Launch::kernel),
               optional("args", &Launch::args),
               optional("grid", &Launch::grid),
               optional("block", &Launch::block),
               optional("cluster", &Launch::cluster),
               optional("dynamic_smem_bytes", &Launch::dynamic_smem_bytes),
               optional("cooperative", &Launch::cooperative),
               optional("programmatic_serialization", &Launch::programmatic_serialization),
               optional("l2_windows", &Launch::l2_windows),
               optional("returns", &Launch::returns),
               optional("packed_values", &Launch::packed_values)};
template <>
inline constexpr auto kForm<Fill> =
    std::tuple{required("target", &Fill::target), required("bytes", &Fill::bytes), optional("value", &Fill::value)};
template <>
inline constexpr auto kForm<If> = std::tuple{required("condition", &If::condition), required("then", &If::then_steps),
                                             optional("else", &If::else_steps)};
template <>
inline constexpr auto kForm<For> = std::tuple{required("variable", &For::variable), required("begin", &For::begin),
                                              required("end", &For::end), required("steps", &For::steps)};
/// The keys of steps: a step is an object with one key, which selects the alternative.
inline constexpr std::array<std::string_view, 4> kStepKeys{"launch", "fill", "if", "for"};

template <>
inline constexpr auto kForm<Body> = std::tuple{
    optional("lets", &Body::lets), optional("asserts", &Body::asserts), optional("workspaces", &Body::workspaces),
    optional("tensor_maps", &Body::tensor_maps), optional("steps", &Body::steps)};
template <>
inline constexpr auto kForm<Settings> = std::tuple{optional("standard", &Settings::standard),
                                                   optional("defines", &Settings::defines),
                                                   optional("preludes", &Settings::preludes),
                                                   optional("include_hints", &Settings::include_hints),
                                                   optional("python_requires", &Settings::python_requires),
                                                   optional("compile_flags", &Settings::compile_flags),
                                                   optional("fast_math", &Settings::fast_math)};
template <>
inline constexpr auto kForm<Requires> =
    std::tuple{optional("arch", &Requires::arch), optional("features", &Requires::features)};
template <>
inline constexpr auto kForm<Variant> =
    std::tuple{required("dialect", &Variant::dialect),   optional("requires", &Variant::requirements),
               optional("settings", &Variant::settings), optional("sources", &Variant::sources),
               optional("headers", &Variant::headers),   optional("body", &Variant::body)};
template <>
inline constexpr auto kForm<Metadata> = std::tuple{optional("description", &Metadata::description),
                                                   optional("origin", &Metadata::origin),
                                                   optional("reference", &Metadata::reference),
                                                   optional("symbols", &Metadata::symbols),
                                                   optional("scalars", &Metadata::scalars),
                                                   optional("flops", &Metadata::flops),
                                                   optional("bytes", &Metadata::bytes)};
template <>
inline constexpr auto kForm<Constant> =
    std::tuple{required("name", &Constant::name), required("dtype", &Constant::dtype),
               optional("shape", &Constant::shape), optional("initialised", &Constant::initialised)};
template <>
inline constexpr auto kForm<Program> =
    std::tuple{required("name", &Program::name), optional("signature", &Program::signature),
               optional("constants", &Program::constants), optional("variants", &Program::variants),
               optional("metadata", &Program::metadata)};

/// Reads the program at `in`, from which "format" and "version" must already be removed; adds problems to the list of
/// `in`.
Program read_program(const JsonReader& in, const FileReader& files);
Signature read_signature(const JsonReader& in);

}  // namespace kmux
