#include "formats/npy_header.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "formats/number.hpp"

namespace cumulo::app {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_dimensions = 64;                   // NumPy's own limit
constexpr std::size_t longest_header = std::size_t{1} << 20;  // far more than 64 dimensions take
constexpr std::size_t alignment = 64;                         // of the data, as NumPy writes it

// The little of Python's literals that a header is made of. Every method answers false where the
// text goes on differently.
class Literal {
 public:
  explicit Literal(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool peek(std::string_view token) {
    skip_blanks();
    return rest_.starts_with(token);
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  bool string(std::string& out) {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool& out) {
    if (take("True")) return out = true;
    out = false;
    return take("False");
  }
  bool tuple(std::vector<std::uint64_t>& out) {
    if (!take("(")) return false;
    while (!take(")")) {
      skip_blanks();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc{} || out.size() == most_dimensions) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take("L");  // Python 2 wrote long integers so
      out.push_back(number);
      if (!take(",") && !peek(")")) return false;
    }
    return true;
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\n\r")));
  }

  std::string_view rest_;
};

struct Fields {
  std::string descr;
  bool structured = false;
  std::vector<std::pair<std::string, std::string>> record;  // names and descrs
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

// [('a', '<f4'), ('b', '<u4')]; false for records in records, and for arrays in them.
bool parse_record(Literal& literal, Fields& fields) {
  fields.structured = true;
  if (!literal.take("[")) return false;
  while (!literal.take("]")) {
    auto& [field, descr] = fields.record.emplace_back();
    if (!literal.take("(") || !literal.string(field) || !literal.take(",") ||
        !literal.string(descr) || !literal.take(")")) {
      return false;
    }
    if (!literal.take(",") && !literal.peek("]")) return false;
  }
  return !fields.record.empty();
}

// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
bool parse_fields(std::string_view text, Fields& fields) {
  Literal literal(text);
  if (!literal.take("{")) return false;
  while (!literal.take("}")) {
    std::string key;
    if (!literal.string(key) || !literal.take(":")) return false;
    if (key == "descr") {
      if (literal.peek("[") || literal.peek("(")) {
        if (!parse_record(literal, fields)) {
          fields.record.clear();  // there is no need to read further
          return true;
        }
      } else if (!literal.string(fields.descr)) {
        return false;
      }
    } else if (key == "fortran_order") {
      if (!literal.boolean(fields.fortran_order.emplace())) return false;
    } else if (key == "shape") {
      if (!literal.tuple(fields.shape.emplace())) return false;
    } else {
      return false;
    }
    if (!literal.take(",") && !literal.peek("}")) return false;
  }
  return literal.at_end() && (fields.structured || !fields.descr.empty()) && fields.fortran_order &&
         fields.shape;
}

std::string_view kind_words(char kind) {
  switch (kind) {
    case 'O': return "Python objects";
    case 'S':
    case 'a':
    case 'U': return "strings";
    case 'V': return "records";
    case 'c': return "complex numbers";
    case 'M':
    case 'm': return "dates or times";
    default: return "an element type that cumulo does not read";
  }
}

// Writes kind, size and byte order of e.g. "<f4"; else says what the elements are.
std::optional<std::string> parse_descr(std::string_view descr, NpyHeader& header) {
  std::string_view rest = descr;
  char order = '=';
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  const char kind = rest.empty() ? '?' : rest[0];
  std::size_t size = 0;
  if (!rest.empty()) rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const bool whole = error == std::errc{} && end == rest.data() + rest.size();
  const bool power = size == 1 || size == 2 || size == 4 || size == 8;
  const bool known =
      whole && power &&
      (kind == 'u' || kind == 'i' || (kind == 'f' && size > 1) || (kind == 'b' && size == 1));
  if (!known) return std::string(kind_words(kind)) + " (" + shown(descr) + ")";
  header.kind = kind;
  header.bytes = size;
  const bool native_big = std::endian::native == std::endian::big;
  header.big_endian = size > 1 && (order == '>' || (order != '<' && native_big));
  return std::nullopt;
}

// The fields one after the other; what is no number of a known size but padding is left out.
std::optional<std::string> parse_record_fields(const Fields& fields, NpyHeader& header) {
  header.bytes = 0;
  for (const auto& [field, descr] : fields.record) {
    NpyHeader number;
    std::size_t padding = 0;
    if (descr.starts_with("|V")) {
      std::from_chars(descr.data() + 2, descr.data() + descr.size(), padding);
    } else if (auto other = parse_descr(descr, number)) {
      return "a field of " + *other;
    } else {
      header.record.push_back({field, number.kind, number.bytes, header.bytes, number.big_endian});
    }
    header.bytes += number.bytes + padding;
  }
  return header.record.empty() ? std::optional<std::string>("records without numbers")
                               : std::nullopt;
}

// False where the number of bytes does not fit in 64 bits.
bool count_elements(NpyHeader& header) {
  header.count = 1;
  if (std::ranges::find(header.shape, 0u) != header.shape.end()) {
    header.count = 0;
    return true;
  }
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / header.bytes;
  for (const std::uint64_t extent : header.shape) {
    if (header.count > most / extent) return false;
    header.count *= extent;
  }
  return true;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& source) {
  const auto refused = [&](const std::string& what) {
    return std::unexpected{Error{ErrorKind::bad_argument, source + what}};
  };
  if (bytes.empty()) return refused(" is empty; an .npy file begins with a header");
  if (!bytes.starts_with(magic))
    return refused(" is no .npy file: it does not begin with \\x93NUMPY");
  const std::size_t version_at = magic.size();
  if (bytes.size() < version_at + 2) return refused(" is cut off inside its .npy header");
  const int major = static_cast<unsigned char>(bytes[version_at]);
  const int minor = static_cast<unsigned char>(bytes[version_at + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    return refused(" has .npy version " + std::to_string(major) + "." + std::to_string(minor) +
                   "; 1.0, 2.0 and 3.0 are known");
  }
  const std::size_t length_at = version_at + 2;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t text_at = length_at + length_bytes;
  if (bytes.size() < text_at) return refused(" is cut off inside its .npy header");
  const std::uint64_t length = little_endian(bytes.substr(length_at, length_bytes));
  if (length > longest_header)
    return refused(" has an .npy header of " + std::to_string(length) + " bytes; at most " +
                   std::to_string(longest_header) + " are read");
  if (bytes.size() - text_at < length) return refused(" is cut off inside its .npy header");

  Fields fields;
  NpyHeader header;
  const std::string_view text = bytes.substr(text_at, length);
  if (!parse_fields(text, fields))
    return refused(" has an .npy header that cannot be read: " + shown(text));
  if (fields.structured && fields.record.empty()) {
    return refused(" holds records that have more than numbers as fields");
  }
  if (fields.structured) {
    if (const auto other = parse_record_fields(fields, header)) {
      return refused(" holds " + *other + "; fields of numbers are needed");
    }
  } else if (const auto other = parse_descr(fields.descr, header)) {
    return refused(" holds " + *other +
                   "; numbers of type u1, u2, u4, u8, i1, i2, i4, i8, f2, f4, f8 or b1 are needed");
  }
  header.fortran_order = *fields.fortran_order;
  header.shape = std::move(*fields.shape);
  header.data = text_at + length;
  if (!count_elements(header)) return refused(" has an .npy shape too large for any memory");
  const std::uint64_t needed = header.count * header.bytes;
  const std::uint64_t there = bytes.size() - header.data;
  if (needed != there) {
    return refused(" is " + std::string(there < needed ? "cut off" : "too long") +
                   ": its shape needs " + std::to_string(needed) + " bytes of data, and " +
                   std::to_string(there) + " are there");
  }
  return header;
}

namespace {

// `descr` as Python writes it.
std::string header_of(const std::string& descr, const std::vector<std::uint64_t>& shape) {
  std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i ? " " : "") + std::to_string(shape[i]);
    if (i + 1 < shape.size() || i == 0) text += ",";
  }
  text += "), }";
  constexpr std::size_t before = magic.size() + 2 + 2;
  text.append(alignment - (before + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header(magic);
  header +=
      {'\x01', '\x00', static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace

std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape) {
  return header_of("'" + std::string(descr) + "'", shape);
}

std::string make_npy_record_header(std::span<const std::pair<std::string, std::string>> record,
                                   const std::vector<std::uint64_t>& shape) {
  std::string descr;
  for (const auto& [field, type] : record) {
    descr += (descr.empty() ? "('" : ", ('") + field + "', '" + type + "')";
  }
  return header_of("[" + descr + "]", shape);
}

}  // namespace cumulo::app
