// Elements of several fields, each of 4 bytes, as files hold them: a column for each field.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cumulo/monoid.hpp"
#include "formats/format.hpp"

namespace cumulo::app {

struct Records {
  std::vector<std::byte> bytes;  // element after element
  bool structured = false;       // came from an .npy file of records
  bool flat = false;             // came from one row of numbers: an element is one of them
};

// .npy: records with the fields' names and types, or an array n x fields of one type. .csv, .tsv:
// the columns with the fields' names; without a header, as many columns as fields. Text: the values
// of one element after the other, of one type. .bin, .raw: elements as they lie in memory.
Result<Records> read_records(const std::string& path, std::optional<Format> format,
                             std::span<const MonoidField> fields, bool show_progress);

// The same forms; text has an element a line, its values apart by blanks.
Result<void> write_records(const Records& records, std::span<const MonoidField> fields,
                           Format format, Writer& writer);

// Value `field` of element `i`.
Scalar value_at(std::span<const std::byte> bytes, std::span<const MonoidField> fields,
                std::size_t i, std::size_t field);

}  // namespace cumulo::app
