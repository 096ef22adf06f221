// .npy: any shape, either order of dimensions and bytes. Small integers and halves are widened.
#include <bit>
#include <cstring>
#include <limits>

#include "formats/npy_header.hpp"
#include "formats/readers.hpp"

namespace cumulo::app {
namespace {

struct Truth {
  std::uint8_t byte;
  template <Element T>
  explicit operator T() const {
    return static_cast<T>(byte != 0);
  }
};

template <class Stored, bool swapped>
Stored load(const char* at) {
  char bytes[sizeof(Stored)];
  if constexpr (swapped) {
    for (std::size_t i = 0; i < sizeof(Stored); ++i) bytes[i] = at[sizeof(Stored) - 1 - i];
  } else {
    std::memcpy(bytes, at, sizeof(Stored));
  }
  Stored value;
  std::memcpy(&value, bytes, sizeof(Stored));
  return value;
}

// Calls visit(offset in elements) for every element in C order of an array stored in Fortran order.
template <class Visit>
void walk_fortran(const NpyHeader& header, Visit&& visit) {
  const std::size_t dimensions = header.shape.size();
  std::vector<std::uint64_t> stride(dimensions, 1);
  for (std::size_t d = 1; d < dimensions; ++d) stride[d] = stride[d - 1] * header.shape[d - 1];
  std::vector<std::uint64_t> index(dimensions, 0);
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < header.count; ++i) {
    visit(offset);
    for (std::size_t d = dimensions; d-- > 0;) {
      offset += stride[d];
      if (++index[d] < header.shape[d]) break;
      offset -= stride[d] * header.shape[d];
      index[d] = 0;
    }
  }
}

template <class Stored, class T, bool swapped>
void convert(const NpyHeader& header, const char* data, std::vector<T>& out) {
  out.resize(header.count);
  if (header.fortran_order && header.shape.size() > 1) {
    std::size_t i = 0;
    walk_fortran(header, [&](std::uint64_t offset) {
      out[i++] = static_cast<T>(load<Stored, swapped>(data + offset * sizeof(Stored)));
    });
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<T>(load<Stored, swapped>(data + i * sizeof(Stored)));
  }
}

// Whether every value of the stored type is a value of T: judged by the types alone.
template <class Stored, Element T>
constexpr bool keeps_values() {
  using to = std::numeric_limits<T>;
  if constexpr (std::is_same_v<Stored, Truth>)
    return true;
  else if constexpr (std::is_same_v<Stored, Half>)
    return !std::is_integral_v<T>;
  else {
    using from = std::numeric_limits<Stored>;
    if (!from::is_integer) return !to::is_integer && to::digits >= from::digits;
    return to::digits >= from::digits && (!from::is_signed || to::is_signed);
  }
}

template <class Stored>
bool convert_to(Type type, const NpyHeader& header, const char* data, Values& values) {
  return with_type(type, [&]<class T>() {
    if constexpr (keeps_values<Stored, T>()) {
      auto& out = values.emplace<std::vector<T>>();
      const bool native_big = std::endian::native == std::endian::big;
      if (sizeof(Stored) > 1 && header.big_endian != native_big) {
        convert<Stored, T, true>(header, data, out);
      } else {
        convert<Stored, T, false>(header, data, out);
      }
      return true;
    } else {
      return false;
    }
  });
}

// The narrowest element type that holds the stored one.
Type natural_type(const NpyHeader& header) {
  const bool wide = header.bytes == 8;
  if (header.kind == 'f') return wide ? Type::f64 : Type::f32;
  if (header.kind == 'i') return wide ? Type::i64 : Type::i32;
  return wide ? Type::u64 : Type::u32;
}

bool convert_stored(Type type, const NpyHeader& header, const char* data, Values& values) {
  const auto go = [&]<class Stored>() { return convert_to<Stored>(type, header, data, values); };
  if (header.kind == 'b') return go.operator()<Truth>();
  if (header.kind == 'f') {
    if (header.bytes == 2) return go.operator()<Half>();
    return header.bytes == 4 ? go.operator()<float>() : go.operator()<double>();
  }
  const bool is_signed = header.kind == 'i';
  switch (header.bytes) {
    case 1: return is_signed ? go.operator()<std::int8_t>() : go.operator()<std::uint8_t>();
    case 2: return is_signed ? go.operator()<std::int16_t>() : go.operator()<std::uint16_t>();
    case 4: return is_signed ? go.operator()<std::int32_t>() : go.operator()<std::uint32_t>();
    default: return is_signed ? go.operator()<std::int64_t>() : go.operator()<std::uint64_t>();
  }
}

}  // namespace

Result<Array> read_npy(std::string_view bytes, const std::string& source,
                       const ReadOptions& options) {
  auto header = parse_npy_header(bytes, source);
  if (!header) return std::unexpected{std::move(header.error())};
  const Type type = options.type.value_or(natural_type(*header));
  Array array;
  if (!convert_stored(type, *header, bytes.data() + header->data, array.values)) {
    const std::string stored = header->kind + std::to_string(header->bytes);
    return std::unexpected{Error{ErrorKind::bad_argument,
                                 source + " holds " + stored + ", not all of whose values are " +
                                     std::string(name(type)) + "; without --dtype it is read as " +
                                     std::string(name(natural_type(*header)))}};
  }
  array.shape = std::move(header->shape);
  array.shaped = true;
  return array;
}

}  // namespace cumulo::app
