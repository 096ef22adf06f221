#include "serial_tbb.hpp"
