#include "dispatch_writer.h"

#include <type_traits>

#include "kmux/plugin/sha256.h"

#include "dispatch_form.h"
#include "expr_json.h"

namespace kmux {

namespace {

// A class, so that the overloads find each other whatever their order.
struct DispatchWriter {
  static Json write(const std::string& text) { return text; }
  static Json write(std::int64_t integer) { return integer; }
  static Json write(std::uint8_t integer) { return std::int64_t{integer}; }
  static Json write(bool boolean) { return boolean; }
  static Json write(double number) { return number; }
  static Json write(const Expr& expr) { return write_expr(expr); }
  static Json write(DType type) { return write_dtype(type); }

  static Json write(const File& file) {
    return Json::Object{{"path", file.path}, {"sha256", sha256_hex(file.content)}};
  }

  static Json write(const Step& step) {
    Json::Object object;
    object.emplace(kStepKeys[step.index()],
                   std::visit([](const auto& alternative) { return write(alternative); }, step));
    return object;
  }

  static Json write(const LaunchArg& arg) {
    return std::visit([](const auto& alternative) { return write(alternative); }, arg);
  }

  template <class T>
    requires std::is_enum_v<T>
  static Json write(T value) {
    return kWords<T>[static_cast<std::size_t>(value)];
  }

  template <class T>
  static Json write(const std::vector<T>& values) {
    Json::Array items;
    for (const T& value : values) items.push_back(write(value));
    return items;
  }

  template <class T>
  static Json write(const std::map<std::string, T>& values) {
    Json::Object object;
    for (const auto& [key, value] : values) object.emplace(key, write(value));
    return object;
  }

  template <Record T>
  static Json write(const T& record) {
    Json::Object object;
    const T defaults{};
    const auto write_each = [&](const auto&... field) { (write_field(object, record, defaults, field), ...); };
    std::apply(write_each, kForm<T>);
    return object;
  }

  template <class T, class Member>
  static void write_field(Json::Object& object, const T& record, const T&, const Required<Member>& field) {
    object.emplace(field.key, write(record.*field.member));
  }

  template <class T, class Member>
  static void write_field(Json::Object& object, const T& record, const T& defaults, const Optional<Member>& field) {
    if (record.*field.member != defaults.*field.member) object.emplace(field.key, write_present(record.*field.member));
  }

  template <class T, class Member, std::size_t N>
  static void write_field(Json::Object& object, const T& record, const T&, const OneOf<Member, N>& field) {
    const auto& value = record.*field.member;
    object.emplace(field.keys[value.index()], std::visit([](const auto& present) { return write(present); }, value));
  }

  template <class T>
  static Json write_present(const T& value) {
    return write(value);
  }
  template <class T>
  static Json write_present(const std::optional<T>& value) {
    return write(*value);
  }
};

}  // namespace

Json write_program(const Program& program) { return DispatchWriter::write(program); }

Json write_signature(const Signature& signature) { return DispatchWriter::write(signature); }

}  // namespace kmux
