#include "cumulo/monoid.hpp"

#include <algorithm>
#include <cctype>

namespace cumulo {
namespace {

std::unexpected<Error> refused(const Monoid& monoid, const std::string& what) {
  return std::unexpected{Error{ErrorKind::bad_argument, "operator '" + monoid.name + "' " + what}};
}

bool is_identifier(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  return !name.empty() && is_letter(static_cast<unsigned char>(name[0])) && name != "_" &&
         !name.starts_with("__") && std::ranges::all_of(name, [&](unsigned char c) {
           return c < 128 && (is_letter(c) || std::isdigit(c) != 0);
         });
}

}  // namespace

Result<void> validate(const Monoid& monoid) {
  constexpr std::size_t most_fields = 8;
  const auto& fields = monoid.fields;
  if (fields.empty() || fields.size() > most_fields) {
    return refused(monoid, "has " + std::to_string(fields.size()) +
                               " fields; an element has 1 to 8 fields of 4 bytes");
  }
  for (auto field = fields.begin(); field != fields.end(); ++field) {
    if (!is_identifier(field->name)) {
      return refused(monoid, "has a field '" + field->name + "', which is no identifier of WGSL");
    }
    if (std::any_of(fields.begin(), field,
                    [&](const MonoidField& other) { return other.name == field->name; })) {
      return refused(monoid, "has two fields '" + field->name + "'");
    }
    if (size_of(field->type) != 4) {
      return refused(monoid, "has a field '" + field->name + "' of type " +
                                 std::string(name(field->type)) + "; fields are u32, i32 or f32");
    }
  }
  if (monoid.identity.size() != monoid.element_bytes()) {
    return refused(monoid, "has an identity of " + std::to_string(monoid.identity.size()) +
                               " bytes; an element has " + std::to_string(monoid.element_bytes()));
  }
  if (monoid.wgsl.find_first_not_of(" \t\r\n") == std::string::npos) {
    return refused(monoid, "has no WGSL text of its combine");
  }
  return {};
}

std::string element_name(const Monoid& monoid) {
  std::string text;
  for (const MonoidField& field : monoid.fields) {
    text += (text.empty() ? "" : ", ") + field.name + ": " + std::string(name(field.type));
  }
  return "(" + text + ")";
}

Result<void> check_element_size(const Monoid& monoid, std::size_t bytes) {
  if (monoid.element_bytes() == bytes) return {};
  return std::unexpected{Error{ErrorKind::bad_argument, "operator '" + monoid.name +
                                                            "' has elements " +
                                                            element_name(monoid) + ", not of " +
                                                            std::to_string(bytes) + " bytes"}};
}

Monoid affine_monoid() {
  return {.name = "affine",
          .fields = {{"a", Type::f32}, {"b", Type::f32}},
          .wgsl = "return Element(older.a * newer.a, rounded(newer.a * older.b) + newer.b);",
          .identity = bytes_of(Affine{}),
          .combine = combine_function<Affine>([](Affine older, Affine newer) {
            return Affine{older.a * newer.a, newer.a * older.b + newer.b};
          })};
}

Monoid matrix_monoid() {
  return {
      .name = "matrix 2x2",
      .fields = {{"m00", Type::f32}, {"m01", Type::f32}, {"m10", Type::f32}, {"m11", Type::f32}},
      .wgsl =
          "return Element(rounded(older.m00 * newer.m00) + rounded(older.m01 * newer.m10),\n"
          "               rounded(older.m00 * newer.m01) + rounded(older.m01 * newer.m11),\n"
          "               rounded(older.m10 * newer.m00) + rounded(older.m11 * newer.m10),\n"
          "               rounded(older.m10 * newer.m01) + rounded(older.m11 * newer.m11));",
      .identity = bytes_of(Matrix2x2{}),
      .combine = combine_function<Matrix2x2>([](const Matrix2x2& older, const Matrix2x2& newer) {
        const auto& x = older.rows;
        const auto& y = newer.rows;
        return Matrix2x2{{x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                          x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]}};
      })};
}

Monoid last_nonzero_monoid() {
  return {.name = "last non-zero",
          .fields = {{"value", Type::u32}},
          .wgsl = "return Element(select(older.value, newer.value, newer.value != 0u));",
          .identity = bytes_of(std::uint32_t{0}),
          .combine = combine_function<std::uint32_t>(
              [](std::uint32_t older, std::uint32_t newer) { return newer != 0 ? newer : older; })};
}

}  // namespace cumulo
