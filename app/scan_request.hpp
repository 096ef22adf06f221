// What `cumulo scan` was asked for.
#pragma once

#include "cumulo/scan.hpp"
#include "report.hpp"
#include "request.hpp"

namespace cumulo::app {

struct ScanRequest : Request {
  ScanArguments scan;
  ScanDescription description = {};  // what the words mean
};

// Does it where the operator comes from a file. Returns the exit status.
int scan_records(ScanRequest& request);

}  // namespace cumulo::app
