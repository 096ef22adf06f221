# One object library a layer. What a layer may include is what it links: predicate, plan and cpu get
# no webgpu.h, and plan and cpu not each other; gpu alone sees webgpu.h; api joins the backends behind
# the public headers.
set(CUMULO_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
function(cumulo_layer name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC ${CUMULO_ROOT}/include ${CUMULO_ROOT}/src)
  target_link_libraries(${name} PRIVATE cumulo_build)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
