# One object library a layer: only gpu and api link, and so may include, webgpu.h. All layers see one
# src/; tests/headers/test_includes.py keeps them from including what ARCHITECTURE.md does not allow.
set(CUMULO_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
function(cumulo_layer name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC ${CUMULO_ROOT}/include ${CUMULO_ROOT}/src)
  target_link_libraries(${name} PRIVATE cumulo_build)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
