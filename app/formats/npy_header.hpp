// The header of an .npy file (versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cumulo/error.hpp"

namespace cumulo::app {

// A field of a record.
struct NpyField {
  std::string name;
  char kind = 0;
  std::size_t bytes = 0;
  std::size_t offset = 0;  // in the record, in bytes
  bool big_endian = false;
};

struct NpyHeader {
  char kind = 0;                      // 'u', 'i', 'f' or 'b' (one byte, 0 is false); 0 of records
  std::size_t bytes = 0;              // of one element
  std::vector<NpyField> record = {};  // empty for plain numbers
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 0;  // product of the shape; 1 for ()
  std::size_t data = 0;     // where the elements begin
};

// Checks all that the header says against the bytes there are.
Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& source);

// Version 1.0, C order, little endian; descr as in "<u4".
std::string make_npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape);
// Of records: pairs of a name and e.g. "<u4".
std::string make_npy_record_header(std::span<const std::pair<std::string, std::string>> record,
                                   const std::vector<std::uint64_t>& shape);

}  // namespace cumulo::app
