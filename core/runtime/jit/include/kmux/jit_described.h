#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include "kmux/dtype.h"
#include "kmux/error.h"
#include "kmux/export.h"
#include "kmux/jit_form.h"
#include "kmux/json.h"

/// The types that a configuration may have, and the conversion of their values to words, JSON and text. C++ cannot
/// reflect the names of members, so Boost.Describe must be given them once, for example
/// `BOOST_DESCRIBE_STRUCT(Config, (), (block_m, block_n))`.
namespace kmux::described {

/// True if `T` is a specialization of `Template`.
template <class T, template <class...> class Template>
inline constexpr bool kIsA = false;
/// True for a specialization.
template <template <class...> class Template, class... Args>
inline constexpr bool kIsA<Template<Args...>, Template> = true;
/// True if `T` is a std::array.
template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t kSize>
inline constexpr bool kIsArray<std::array<T, kSize>> = true;

template <class T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool> && sizeof(T) <= 8;
template <class T>
concept Struct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept NamedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept List = kIsA<T, std::vector> || kIsArray<T>;
template <class T>
concept Optional = kIsA<T, std::optional>;
template <class T>
concept Value = Number<T> || std::is_enum_v<T> || Struct<T> || List<T> || Optional<T> || std::same_as<T, bool> ||
                std::same_as<T, std::string> || std::same_as<T, DType>;

/// The described members of `T` and its bases.
template <Struct T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

/// Calls `visit(name, member)` for each member, in the order of the description.
template <class T, class Visit>
constexpr void for_each_member(T& value, Visit visit) {
  boost::mp11::mp_for_each<Members<std::remove_const_t<T>>>(
      [&](auto member) { visit(std::string_view(member.name), value.*member.pointer); });
}

template <class T>
struct MemberType;
/// The type of the member that a member pointer refers to.
template <class Owner, class T>
struct MemberType<T Owner::*> {
  /// The type of the member.
  using Type = T;
};
/// The type of a described member.
template <class Member>
using TypeOf = typename MemberType<std::remove_const_t<decltype(Member::pointer)>>::Type;

/// Returns true if `T` is an aggregate of exactly these members, in this order.
template <class T, class... Described>
consteval bool is_aggregate_of(boost::mp11::mp_list<Described...>*) {
  return requires { T{std::declval<TypeOf<Described>>()...}; } &&
         !requires { T{std::declval<TypeOf<Described>>()..., {}}; };
}

/// Returns false if the description of an aggregate omits or reorders members. An omitted member would be part of no
/// key, so two configurations would share a kernel. Returns true for classes with bases or constructors, which cannot
/// be checked.
template <Struct T>
consteval bool describes_all_members() {
  using Bases = boost::describe::describe_bases<T, boost::describe::mod_any_access>;
  if constexpr (std::is_aggregate_v<T> && boost::mp11::mp_empty<Bases>::value) {
    using Described = boost::mp11::mp_rename<Members<T>, boost::mp11::mp_list>;
    return is_aggregate_of<T>(static_cast<Described*>(nullptr));
  }
  return true;
}

// In the library, so that templates stay thin.

/// Returns the error for a value of the wrong type.
KMUX_API Error wrong_value(std::string_view path, std::string_view wanted, const Json& given);
/// Returns the error for a name that `path` does not have.
KMUX_API Error unknown_name(std::string_view path, std::string_view name, const std::vector<std::string>& known);
/// Returns the error for a value outside the enumerators.
KMUX_API Error unknown_enumerator(std::string_view path, const Json& given, const std::vector<std::string>& known);
/// Returns "a | b | c".
KMUX_API std::string alternatives(const std::vector<std::string>& names);
/// Returns "path.name", or `name` alone if `path` is empty.
KMUX_API std::string join_path(std::string_view path, std::string_view name);
/// Returns `value` as JSON: an integer, or a string of its digits if it is too large for JSON's integers.
KMUX_API Json integer_json(std::uint64_t value);
/// Returns `value` as JSON: a number, or a word if it is not finite.
KMUX_API Json number_json(double value);
/// Returns the value that `integer_json` wrote, or nothing for other JSON.
KMUX_API std::optional<std::uint64_t> unsigned_of(const Json& value);
/// Returns the value that `number_json` wrote, or nothing for other JSON.
KMUX_API std::optional<double> number_of(const Json& value);

/// Appends the words of a value. Floating-point numbers are compared by their bits, so 0.0 and -0.0 differ.
template <Value T>
void encode(CallForm& form, const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    form.add(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
  } else if constexpr (Number<T> || std::is_enum_v<T> || std::same_as<T, bool>) {
    form.add(static_cast<std::uint64_t>(value));
  } else if constexpr (std::same_as<T, std::string>) {
    form.add(std::string_view(value));
  } else if constexpr (std::same_as<T, DType>) {
    form.add(std::uint64_t{value.lanes} << 16 | std::uint64_t{value.bits} << 8 | value.code);
  } else if constexpr (Optional<T>) {
    form.add(std::uint64_t{value.has_value()});
    if (value) encode(form, *value);
  } else if constexpr (List<T>) {
    form.add(std::uint64_t{value.size()});
    for (const typename T::value_type& element : value) encode(form, element);
  } else {
    for_each_member(value, [&](std::string_view, const auto& member) { encode(form, member); });
  }
}

/// Returns the names of the enumerators.
template <NamedEnum T>
std::vector<std::string> enumerators() {
  std::vector<std::string> names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
      [&](auto enumerator) { names.emplace_back(enumerator.name); });
  return names;
}

/// Returns the name of an enumerator as JSON, or its number if the description does not name it.
template <class T>
  requires std::is_enum_v<T>
Json enum_json(T value) {
  if constexpr (NamedEnum<T>) {
    if (const char* name = boost::describe::enum_to_string(value, nullptr)) return name;
  }
  return static_cast<std::int64_t>(value);
}

/// Returns a value as JSON; enumerators by name.
template <Value T>
Json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return enum_json(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_json(static_cast<double>(value));
  } else if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool>) {
    return integer_json(value);
  } else if constexpr (Number<T>) {
    return std::int64_t{value};
  } else if constexpr (std::same_as<T, DType>) {
    return to_string(value);
  } else if constexpr (Optional<T>) {
    return value ? to_json(*value) : Json();
  } else if constexpr (List<T>) {
    Json::Array elements;
    for (const typename T::value_type& element : value) elements.push_back(to_json(element));
    return elements;
  } else if constexpr (Struct<T>) {
    Json::Object object;
    for_each_member(value, [&](std::string_view name, const auto& member) { object.emplace(name, to_json(member)); });
    return object;
  } else {
    return value;
  }
}

/// Returns the type as messages and signatures spell it: "int64", "list[float64]", "optional[dtype]", "kRow | kColumn".
template <Value T>
std::string type_name();

/// Returns "int32", "float64", ...
template <Number T>
std::string number_name() {
  const char* kind = std::is_signed_v<T> ? "int" : "uint";
  if (std::is_floating_point_v<T>) kind = "float";
  return kind + std::to_string(8 * sizeof(T));
}

/// Returns "{block_m: int32, ...}".
template <Struct T>
std::string struct_name() {
  std::string members;
  for_each_member(static_cast<const T&>(T{}), [&]<class Member>(std::string_view name, const Member&) {
    members.append(members.empty() ? "" : ", ").append(name).append(": ").append(type_name<Member>());
  });
  return "{" + members + "}";
}

template <Value T>
std::string type_name() {
  if constexpr (std::same_as<T, bool>) {
    return "bool";
  } else if constexpr (std::same_as<T, std::string>) {
    return "string";
  } else if constexpr (std::same_as<T, DType>) {
    return "dtype";
  } else if constexpr (Number<T>) {
    return number_name<T>();
  } else if constexpr (NamedEnum<T>) {
    return alternatives(enumerators<T>());
  } else if constexpr (std::is_enum_v<T>) {
    return "enum";
  } else if constexpr (Optional<T>) {
    return "optional[" + type_name<typename T::value_type>() + "]";
  } else if constexpr (List<T>) {
    return "list[" + type_name<typename T::value_type>() + "]";
  } else {
    return struct_name<T>();
  }
}

template <Value T>
Status assign(T& target, const Json& given, std::string_view path);

/// Sets a number. The value must fit the type.
template <Number T>
Status assign_number(T& target, const Json& given, std::string_view path) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const std::optional<double> number = number_of(given)) return target = static_cast<T>(*number), Ok{};
  } else if constexpr (std::is_unsigned_v<T>) {
    const std::optional<std::uint64_t> number = unsigned_of(given);
    if (number && *number <= std::numeric_limits<T>::max()) return target = static_cast<T>(*number), Ok{};
  } else {
    const std::int64_t* number = given.as_integer();
    if (number && std::in_range<T>(*number)) return target = static_cast<T>(*number), Ok{};
  }
  return wrong_value(path, type_name<T>(), given);
}

/// Sets an enumerator by its name; by its number if the enumeration is not described.
template <class T>
  requires std::is_enum_v<T>
Status assign_enum(T& target, const Json& given, std::string_view path) {
  if constexpr (NamedEnum<T>) {
    const std::string* name = given.as_string();
    if (name && boost::describe::enum_from_string(name->c_str(), target)) return Ok{};
    return unknown_enumerator(path, given, enumerators<T>());
  } else {
    std::underlying_type_t<T> number{};
    KMUX_TRY(assign(number, given, path));
    target = static_cast<T>(number);
    return Ok{};
  }
}

/// Sets all elements. For an array, the number of elements must match.
template <List T>
Status assign_list(T& target, const Json& given, std::string_view path) {
  const Json::Array* elements = given.as_array();
  if (!elements) return wrong_value(path, type_name<T>(), given);
  T list{};
  if constexpr (kIsArray<T>) {
    if (elements->size() != list.size()) {
      return wrong_value(path, type_name<T>() + " of " + std::to_string(list.size()), given);
    }
  } else {
    list.resize(elements->size());
  }
  for (std::size_t i = 0; i < elements->size(); ++i) {
    typename T::value_type element{};
    KMUX_TRY(assign(element, (*elements)[i], std::string(path) + "[" + std::to_string(i) + "]"));
    list[i] = std::move(element);
  }
  target = std::move(list);
  return Ok{};
}

/// Sets the member `name`.
template <Struct T>
Status assign_member(T& target, std::string_view name, const Json& given, std::string_view path = {}) {
  std::optional<Status> done;
  std::vector<std::string> known;
  for_each_member(target, [&](std::string_view member_name, auto& member) {
    known.emplace_back(member_name);
    if (member_name == name) done = assign(member, given, join_path(path, name));
  });
  return done ? *std::move(done) : unknown_name(path, name, known);
}

/// Sets the members that the object names.
template <Struct T>
Status assign_members(T& target, const Json& given, std::string_view path) {
  const Json::Object* object = given.as_object();
  if (!object) return wrong_value(path, type_name<T>(), given);
  for (const auto& [name, value] : *object) KMUX_TRY(assign_member(target, name, value, path));
  return Ok{};
}

/// Sets an optional value; null resets it.
template <Optional T>
Status assign_optional(T& target, const Json& given, std::string_view path) {
  if (given.is_null()) return target.reset(), Ok{};
  typename T::value_type value{};
  KMUX_TRY(assign(value, given, path));
  target = std::move(value);
  return Ok{};
}

/// Sets a bool.
KMUX_API Status assign_plain(bool& target, const Json& given, std::string_view path);
/// Sets a string.
KMUX_API Status assign_plain(std::string& target, const Json& given, std::string_view path);
/// Sets a dtype by its name.
KMUX_API Status assign_plain(DType& target, const Json& given, std::string_view path);

/// Sets `target` from JSON. Members that an object does not name keep their values.
///
/// Errors: invalid_argument that names `path`, the expected type and the given value.
template <Value T>
Status assign(T& target, const Json& given, std::string_view path) {
  if constexpr (Number<T>) {
    return assign_number(target, given, path);
  } else if constexpr (std::is_enum_v<T>) {
    return assign_enum(target, given, path);
  } else if constexpr (List<T>) {
    return assign_list(target, given, path);
  } else if constexpr (Struct<T>) {
    return assign_members(target, given, path);
  } else if constexpr (Optional<T>) {
    return assign_optional(target, given, path);
  } else {
    return assign_plain(target, given, path);
  }
}

}  // namespace kmux::described
