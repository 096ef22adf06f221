// How much memory there is, so that a file or a size too large for it is refused with a sentence
// instead of being killed by the system half-way.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>

#include "formats/file.hpp"

namespace cumulo::app {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t meminfo_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::string unit;
  std::uint64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return unknown;
}

// The container's own limit; "max" where it has none.
std::uint64_t container_limit() {
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    if (file >> bytes) return bytes;
  }
  return unknown;
}

std::string in_gib(std::uint64_t bytes) {
  char text[32];
  const double gib = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << 30);
  const auto end = std::to_chars(text, text + sizeof text, gib, std::chars_format::fixed, 1).ptr;
  return std::string(text, end) + " GiB";
}

}  // namespace

std::uint64_t available_memory() { return std::min(meminfo_available(), container_limit()); }

Result<void> require_memory(std::uint64_t bytes, std::string_view what) {
  // Small requests are not worth a look at the system.
  if (bytes < (std::uint64_t{64} << 20)) return {};
  const std::uint64_t available = available_memory();
  if (bytes <= available) return {};
  return std::unexpected{Error{ErrorKind::bad_argument, std::string(what) + " takes " +
                                                            in_gib(bytes) + " of memory; " +
                                                            in_gib(available) + " are free"}};
}

}  // namespace cumulo::app
