// What calls refuse: for the layers of src.
#pragma once

#include <string>
#include <utility>

#include "cumulo/error.hpp"

namespace cumulo {

inline Error bad_argument(std::string message) {
  return {ErrorKind::bad_argument, std::move(message)};
}

}  // namespace cumulo
