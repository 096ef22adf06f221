# cumulo_embed_kernels(OUTPUT DIR): writes OUTPUT, a C++ source that holds every .wgsl file below
# DIR by its relative path. The files are listed at configure time and re-read when they change.
set(CUMULO_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_kernels.cmake)

function(cumulo_embed_kernels output dir)
  file(GLOB_RECURSE kernels CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*.wgsl)
  list(TRANSFORM kernels PREPEND ${dir}/ OUTPUT_VARIABLE kernel_paths)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DDIR=${dir} "-DKERNELS=${kernels}" -P ${CUMULO_EMBED_SCRIPT}
    DEPENDS ${kernel_paths} ${CUMULO_EMBED_SCRIPT}
    VERBATIM)
endfunction()
