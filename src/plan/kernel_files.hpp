// The kernels' sources, embedded at build time.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace cumulo::plan {

struct KernelFile {
  std::string_view path;  // relative to src/kernels
  std::string_view text;
};

extern const KernelFile kernel_files[];
extern const std::size_t kernel_file_count;

}  // namespace cumulo::plan
