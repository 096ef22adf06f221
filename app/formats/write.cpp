#include <charconv>
#include <cmath>

#include "formats/format.hpp"
#include "formats/npy_header.hpp"
#include "formats/progress.hpp"

namespace cumulo::app {
namespace {

constexpr std::size_t longest_number = 32;  // the longest is -2.2250738585072014e-308

template <Element T>
char* write_number(char* at, T value) {
  using std::to_chars;
  if constexpr (!std::is_integral_v<T>) {
    // A NaN's sign says nothing.
    if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
  }
  return to_chars(at, at + longest_number, value).ptr;
}

template <Element T>
Result<void> write_lines(const std::vector<T>& values, Writer& writer, bool show_progress) {
  constexpr std::size_t lines = 1 << 12;  // formatted between two writes
  std::string block(lines * (longest_number + 1), '\0');
  Progress progress("writing", values.size(), show_progress);
  for (std::size_t i = 0; i < values.size() && !writer.closed();) {
    char* at = block.data();
    const std::size_t end = std::min(values.size(), i + lines);
    for (; i < end; ++i) {
      at = write_number(at, values[i]);
      *at++ = '\n';
    }
    const std::string_view text(block.data(), at);
    if (auto written = writer.write(text); !written) return written;
    progress.update(i);
  }
  return {};
}

std::string quoted(const std::string& field, char separator) {
  if (field.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

template <Element T>
constexpr std::string_view npy_type() {
  if constexpr (!std::is_integral_v<T>)
    return sizeof(T) == 2 ? "<f2" : sizeof(T) == 4 ? "<f4" : "<f8";
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 4 ? "<i4" : "<i8";
  else
    return sizeof(T) == 4 ? "<u4" : "<u8";
}

std::uint64_t product(const std::vector<std::uint64_t>& shape) {
  std::uint64_t n = 1;
  for (const std::uint64_t extent : shape) n *= extent;
  return n;
}

template <Element T>
Result<void> write_bytes(const std::vector<T>& values, Writer& writer) {
  return writer.write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
}

template <Element T>
Result<void> write_values(const Array& array, const std::vector<T>& values, Format format,
                          Writer& writer, bool show_progress) {
  switch (format) {
    case Format::npy: {
      const bool keeps_shape = array.shaped && product(array.shape) == values.size();
      const auto shape = keeps_shape ? array.shape : std::vector<std::uint64_t>{values.size()};
      if (auto written = writer.write(make_npy_header(npy_type<T>(), shape)); !written)
        return written;
      return write_bytes(values, writer);
    }
    case Format::csv:
    case Format::tsv:
      if (!array.column.empty()) {
        const std::string header = quoted(array.column, format == Format::csv ? ',' : '\t') + "\n";
        if (auto written = writer.write(header); !written) return written;
      }
      break;
    case Format::bin:
    case Format::raw: return write_bytes(values, writer);
    case Format::txt: break;
  }
  return write_lines(values, writer, show_progress);
}

}  // namespace

Result<void> write_array(const Array& array, Format format, Writer& writer, bool show_progress) {
  auto written = std::visit(
      [&](const auto& values) {
        return write_values(array, values, format, writer, show_progress);
      },
      array.values);
  return written ? writer.flush() : written;
}

}  // namespace cumulo::app
