# bindings/typescript: the client of `anima serve` for Node and browsers. Nothing is built here: its tests, and ./dev release, make the
# package with the TypeScript of build/page (bindings/typescript/build.mjs).

# bindings/typescript/tests/<name>.test.mjs -> typescript.<name>. Without the packages of npm they are skipped, and say so.
function(anima_typescript_tests)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(room ${CMAKE_SOURCE_DIR}/bindings/typescript/tests)
  file(GLOB tests CONFIGURE_DEPENDS ${room}/*.test.mjs)
  foreach(test ${tests})
    get_filename_component(name ${test} NAME_WE)
    add_test(NAME typescript.${name} COMMAND ${Python3_EXECUTABLE} ${room}/run.py ${CMAKE_BINARY_DIR} ${test})
    set_tests_properties(typescript.${name} PROPERTIES TIMEOUT ${ANIMA_PROGRAM_TEST_SECONDS} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
