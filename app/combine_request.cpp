#include "combine_request.hpp"

#include <fmt/format.h>

#include <utility>

#include "formats/file.hpp"

namespace cumulo::app {
namespace {

std::unexpected<Error> refused(const std::string& what) {
  return std::unexpected{Error{ErrorKind::bad_argument, "with an operator from a file, " + what}};
}

}  // namespace

Result<void> check_file_options(const CombineRequest& r) {
  if (!r.description.monoid) return {};
  if (r.dtype || r.column) {
    return refused("its fields say the types and columns: --dtype and --column are not for it");
  }
  if (r.scan.wide) return refused("there are no wide sums");
  if (r.picture) return refused("there is no picture");
  if (r.check || r.break_word) {
    return refused("there is no --check: the command has no C++ function of it to compute with");
  }
  return {};
}

Result<void> check_compiler(const CombineRequest& r, const DeviceInfo& device) {
  if (!r.description.monoid || device.backend != Backend::cpu) return {};
  return std::unexpected{
      Error{ErrorKind::unsupported,
            fmt::format("the operator of {} is WGSL, which a GPU compiles, and {} has no compiler "
                        "for it; choose a GPU with --device ('cumulo devices' lists them)",
                        source_name(r.scan.op), device.name)}};
}

}  // namespace cumulo::app
