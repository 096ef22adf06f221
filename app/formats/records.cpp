#include "formats/records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "formats/npy_header.hpp"

namespace cumulo::app {
namespace {

constexpr std::size_t word = 4;

std::unexpected<Error> refused(const std::string& what) {
  return std::unexpected{Error{ErrorKind::bad_argument, what}};
}

std::optional<Type> one_type(std::span<const MonoidField> fields) {
  const Type first = fields.front().type;
  const bool same = std::ranges::all_of(fields, [&](const auto& f) { return f.type == first; });
  return same ? std::optional{first} : std::nullopt;
}

// Element after element, from a column of values for each field.
class Interleaver {
 public:
  explicit Interleaver(std::size_t fields) : fields_(fields) {}

  // All columns have one length.
  void add(const Values& column) {
    const std::size_t n = count(column);
    if (added_ == 0) bytes.resize(n * fields_ * word);
    std::visit(
        [&]<class T>(const std::vector<T>& values) {
          if constexpr (sizeof(T) == word) {
            for (std::size_t i = 0; i < n; ++i) {
              std::memcpy(&bytes[(i * fields_ + added_) * word], &values[i], word);
            }
          }
        },
        column);
    ++added_;
  }

  std::vector<std::byte> bytes;

 private:
  std::size_t fields_;
  std::size_t added_ = 0;
};

Result<Records> from_columns(std::string_view bytes, char separator, const std::string& source,
                             std::span<const MonoidField> fields, bool show_progress) {
  auto columns = read_columns(bytes, separator, source);
  if (!columns) return std::unexpected{std::move(columns.error())};
  if (!columns->named && columns->count != fields.size() && columns->count != 0) {
    return refused(source + " has " + std::to_string(columns->count) +
                   " columns without names, and an element has " + std::to_string(fields.size()) +
                   " fields");
  }
  Interleaver records(fields.size());
  for (std::size_t f = 0; f < fields.size() && columns->count > 0; ++f) {
    auto array = read_delimited(bytes, separator, source,
                                {.type = fields[f].type,
                                 .column = columns->named ? fields[f].name : std::to_string(f),
                                 .show_progress = show_progress});
    if (!array) return std::unexpected{std::move(array.error())};
    records.add(array->values);
  }
  return Records{.bytes = std::move(records.bytes)};
}

// Values of one type, those of an element together.
Result<Records> from_values(const Values& values, const std::string& source,
                            std::span<const MonoidField> fields) {
  const std::size_t n = count(values);
  if (n % fields.size() != 0) {
    return refused(source + " has " + std::to_string(n) + " numbers, not a multiple of the " +
                   std::to_string(fields.size()) + " fields of an element");
  }
  Records records;
  std::visit(
      [&](const auto& v) {
        const auto bytes = std::as_bytes(std::span{v});
        records.bytes.assign(bytes.begin(), bytes.end());
      },
      values);
  return records;
}

std::string npy_type(const MonoidField& field) {
  return std::string("<") + name(field.type)[0] + std::to_string(word);
}

Result<Records> from_record_array(std::string_view bytes, const std::string& source,
                                  const NpyHeader& header, std::span<const MonoidField> fields) {
  Records records{.bytes = {}, .structured = true};
  std::vector<const NpyField*> columns;
  for (const MonoidField& field : fields) {
    const auto found = std::ranges::find(header.record, field.name, &NpyField::name);
    if (found == header.record.end()) {
      return refused(source + " holds records without a field '" + field.name + "'");
    }
    if (found->kind != name(field.type)[0] || found->bytes != word) {
      return refused(source + " has a field '" + field.name + "' of type " + found->kind +
                     std::to_string(found->bytes) + ", not " + std::string(name(field.type)));
    }
    columns.push_back(&*found);
  }
  records.bytes.resize(header.count * fields.size() * word);
  std::byte* to = records.bytes.data();
  for (std::uint64_t i = 0; i < header.count; ++i) {
    for (const NpyField* column : columns) {
      std::memcpy(to, bytes.data() + header.data + i * header.bytes + column->offset, word);
      if (column->big_endian) std::reverse(to, to + word);
      to += word;
    }
  }
  return records;
}

Result<Records> from_npy(std::string_view bytes, const std::string& source,
                         std::span<const MonoidField> fields) {
  auto header = parse_npy_header(bytes, source);
  if (!header) return std::unexpected{std::move(header.error())};
  if (!header->record.empty()) return from_record_array(bytes, source, *header, fields);
  const std::size_t columns = header->shape.size() > 1 ? header->shape.back() : 1;
  if (columns != fields.size()) {
    return refused(source + " has " + std::to_string(columns) +
                   " numbers a row, and an element has " + std::to_string(fields.size()) +
                   " fields");
  }
  const auto type = one_type(fields);
  if (!type) {
    return refused(source +
                   " holds numbers of one type, and an element's fields are of several: "
                   "it must hold records");
  }
  auto array = read_npy(bytes, source, {.type = *type});
  if (!array) return std::unexpected{std::move(array.error())};
  auto records = from_values(array->values, source, fields);
  if (records) records->flat = header->shape.size() < 2;
  return records;
}

std::string npy_header(const Records& records, std::span<const MonoidField> fields,
                       std::uint64_t n) {
  if (!records.structured && one_type(fields)) {
    const std::vector<std::uint64_t> table{n, fields.size()};
    return make_npy_header(npy_type(fields.front()),
                           records.flat ? std::vector<std::uint64_t>{n} : table);
  }
  std::vector<std::pair<std::string, std::string>> record;
  for (const MonoidField& field : fields) record.emplace_back(field.name, npy_type(field));
  return make_npy_record_header(record, {n});
}

}  // namespace

Result<Records> read_records(const std::string& path, std::optional<Format> format,
                             std::span<const MonoidField> fields, bool show_progress) {
  auto known = format_to_read(path, format);
  if (!known) return std::unexpected{std::move(known.error())};
  const std::string source = source_name(path);
  auto bytes = read_whole(path, show_progress);
  if (!bytes) return std::unexpected{std::move(bytes.error())};
  const std::size_t element = fields.size() * word;
  switch (*known) {
    case Format::npy: return from_npy(*bytes, source, fields);
    case Format::csv: return from_columns(*bytes, ',', source, fields, show_progress);
    case Format::tsv: return from_columns(*bytes, '\t', source, fields, show_progress);
    case Format::bin:
    case Format::raw: {
      if (bytes->size() % element != 0) {
        return refused(source + " has " + std::to_string(bytes->size()) +
                       " bytes, not a multiple of the " + std::to_string(element) +
                       " of an element");
      }
      const auto raw = std::as_bytes(std::span{*bytes});
      return Records{.bytes = {raw.begin(), raw.end()}};
    }
    case Format::txt: break;
  }
  const auto type = one_type(fields);
  if (!type) {
    return refused(source +
                   " is read as text, which holds numbers of one type, and an element's "
                   "fields are of several: give .csv, .tsv or .npy");
  }
  auto array = read_text(*bytes, source, {.type = *type, .show_progress = show_progress});
  if (!array) return std::unexpected{std::move(array.error())};
  return from_values(array->values, source, fields);
}

Scalar value_at(std::span<const std::byte> bytes, std::span<const MonoidField> fields,
                std::size_t i, std::size_t field) {
  return with_type(fields[field].type, [&]<class T>() -> Scalar {
    T value{};
    if constexpr (sizeof(T) == word) {
      std::memcpy(&value, &bytes[(i * fields.size() + field) * word], word);
    }
    return value;
  });
}

Result<void> write_records(const Records& records, std::span<const MonoidField> fields,
                           Format format, Writer& writer) {
  const std::uint64_t n = records.bytes.size() / (fields.size() * word);
  const std::string_view raw(reinterpret_cast<const char*>(records.bytes.data()),
                             records.bytes.size());
  if (format == Format::npy) {
    if (auto ok = writer.write(npy_header(records, fields, n)); !ok) return ok;
  }
  if (format == Format::npy || format == Format::bin || format == Format::raw) {
    if (auto ok = writer.write(raw); !ok) return ok;
    return writer.flush();
  }
  const char separator = format == Format::csv ? ',' : format == Format::tsv ? '\t' : ' ';
  if (format != Format::txt) {
    std::string header;
    for (const MonoidField& field : fields) {
      if (!header.empty()) header += separator;
      header += field.name;
    }
    if (auto ok = writer.write(header + "\n"); !ok) return ok;
  }
  for (std::uint64_t i = 0; i < n && !writer.closed(); ++i) {
    std::string line;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (f > 0) line += separator;
      line += to_string(value_at(records.bytes, fields, i, f));
    }
    line += '\n';
    if (auto ok = writer.write(line); !ok) return ok;
  }
  return writer.flush();
}

}  // namespace cumulo::app
