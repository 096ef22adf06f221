// The subcommands, and what they share: exit statuses and the reading of their arguments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cumulo/error.hpp"

namespace cumulo::app {

enum ExitStatus : int {
  done = 0,
  check_failed = 1,   // a result differs from the sequential one
  bad_request = 2,    // the request or the input is wrong
  no_device = 3,      // no device as asked
  device_failed = 4,  // the device failed while working
};

int exit_status(ErrorKind kind);

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);
};

std::span<const Command> all_commands();

int run_allocate(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_compact(const Arguments& arguments);
int run_demo(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_expand(const Arguments& arguments);
int run_help(const Arguments& arguments);
int run_partition(const Arguments& arguments);
int run_plan(const Arguments& arguments);
int run_reduce(const Arguments& arguments);
int run_runs(const Arguments& arguments);
int run_scan(const Arguments& arguments);
int run_unique(const Arguments& arguments);
int run_version(const Arguments& arguments);

// The error of an unknown option or a surplus argument names the nearest known one. An empty answer
// means: go on; else the status to end with (0 after --help).
std::optional<int> parse_arguments(CLI::App& app, const Arguments& arguments);

// Whether --json stands among the arguments: errors of parsing obey it too.
bool wants_json(const Arguments& arguments);

// An error for a word that is none of `known`: "--op 'ad' is unknown; known are add, mul; did you
// mean add?"
Error unknown_word(std::string_view what, std::string_view word, std::span<const std::string> known,
                   std::string_view fault = "is unknown");

}  // namespace cumulo::app
