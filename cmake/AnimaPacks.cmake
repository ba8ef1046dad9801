# packs/ is content shipped as data, web/dist the page of `anima serve` as it was built last; both are compiled into
# the library so that a lone program is complete.
function(anima_embed_packs target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/packs/* ${CMAKE_SOURCE_DIR}/web/dist/*)
  list(SORT files)
  set(output ${CMAKE_BINARY_DIR}/generated/packs_data.cc)
  set(absolute ${files})
  list(TRANSFORM absolute PREPEND ${CMAKE_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${CMAKE_SOURCE_DIR} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPacks.cmake
    DEPENDS ${absolute} ${CMAKE_SOURCE_DIR}/cmake/EmbedPacks.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
