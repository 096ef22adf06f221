// .bin and .raw: elements of a given type, little endian, one after the other.
#include <bit>
#include <cstring>

#include "formats/readers.hpp"

namespace cumulo::app {

static_assert(std::endian::native == std::endian::little, "raw files are copied as they are");

Result<Array> read_raw(std::string_view bytes, const std::string& source,
                       const ReadOptions& options) {
  const auto refused = [&](const std::string& what) {
    return std::unexpected{Error{ErrorKind::bad_argument, source + what}};
  };
  if (!options.type)
    return refused(
        " holds raw bytes; say their type with --dtype u32, i32, f32, u64, i64, f64 or f16");
  const std::size_t size = size_of(*options.type);
  if (bytes.size() % size != 0) {
    return refused(" has " + std::to_string(bytes.size()) + " bytes, not a multiple of the " +
                   std::to_string(size) + " of " + std::string(name(*options.type)));
  }
  Array array;
  with_type(*options.type, [&]<class T>() {
    auto& values = array.values.emplace<std::vector<T>>(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  });
  return array;
}

}  // namespace cumulo::app
