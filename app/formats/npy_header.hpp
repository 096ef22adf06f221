// The header of an .npy file (versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"

namespace cumulo::app {

struct NpyHeader {
  char kind = 0;          // 'u', 'i', 'f' or 'b' (one byte, 0 is false)
  std::size_t bytes = 0;  // of one element
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

}  // namespace cumulo::app
