# What is built. Tests and the command are for this project's own tree; a program that takes cumulo
# in by add_subdirectory gets the library alone.
option(CUMULO_BUILD_APP "build the cumulo command" ${PROJECT_IS_TOP_LEVEL})
option(CUMULO_BUILD_TESTS "build the tests" ${PROJECT_IS_TOP_LEVEL})
option(CUMULO_INSTALL "generate the install rules" ${PROJECT_IS_TOP_LEVEL})
option(CUMULO_WERROR "treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})
option(BUILD_SHARED_LIBS "build cumulo as a shared library" ON)

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# How every target of this project is compiled.
add_library(cumulo_build INTERFACE)
target_compile_features(cumulo_build INTERFACE cxx_std_23)
# No contraction: a fused multiply-add would change the bits of a scan with *.
target_compile_options(cumulo_build INTERFACE -ffp-contract=off)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(cumulo_build INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
  # g++ 12 sees overlapping copies in "text" + string where there are none (GCC bug 105651), and
  # uninitialised members in aggregates with all members given.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(cumulo_build INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
  endif()
endif()
if(CUMULO_WERROR)
  target_compile_options(cumulo_build INTERFACE -Werror)
endif()
