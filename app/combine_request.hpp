// What `cumulo scan` or `cumulo reduce` was asked for.
#pragma once

#include "cumulo/scan.hpp"
#include "report.hpp"
#include "request.hpp"

namespace cumulo::app {

struct CombineRequest : Request {
  ScanArguments scan;
  ScanDescription description = {};  // what the words mean
};

// What the results are written as: of wide sums of f32 the value of their pairs.
inline Type result_type(const ScanDescription& d) {
  return d.wide && d.type == Type::f32 ? Type::f64 : init_type(d);
}

// bad_argument: an option that is for numbers only, with an operator from a file.
Result<void> check_file_options(const CombineRequest& request);

// unsupported: the device cannot compile the operator from a file.
Result<void> check_compiler(const CombineRequest& request, const DeviceInfo& device);

// Scans where the operator comes from a file. Returns the exit status.
int scan_records(CombineRequest& request);

}  // namespace cumulo::app
