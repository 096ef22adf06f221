# Packages of the distribution, and the pinned wgpu-native that script/setup fetches.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
find_package(nlohmann_json 3.11 REQUIRED)

set(CUMULO_WGPU_NATIVE_DIR ${PROJECT_SOURCE_DIR}/build/deps/wgpu-native
    CACHE PATH "folder with lib/libwgpu_native.so and include/webgpu/webgpu.h")
if(NOT EXISTS ${CUMULO_WGPU_NATIVE_DIR}/include/webgpu/webgpu.h)
  message(FATAL_ERROR
    "wgpu-native is not at ${CUMULO_WGPU_NATIVE_DIR}: run script/setup once, or set CUMULO_WGPU_NATIVE_DIR")
endif()
add_library(cumulo_wgpu_native SHARED IMPORTED)
set_target_properties(cumulo_wgpu_native PROPERTIES
  IMPORTED_LOCATION ${CUMULO_WGPU_NATIVE_DIR}/lib/libwgpu_native.so
  IMPORTED_NO_SONAME ON
  INTERFACE_INCLUDE_DIRECTORIES ${CUMULO_WGPU_NATIVE_DIR}/include)
