# libanima.so: the library with all rooms in it, for C (bindings/c) and C++ (include/anima). It shows what its headers declare and nothing
# else (bindings/c/anima.map).
function(anima_c)
  if(NOT TARGET anima_library OR SKBUILD)
    return()
  endif()
  set(room ${CMAKE_SOURCE_DIR}/bindings/c)
  file(GLOB sources CONFIGURE_DEPENDS ${room}/src/*.cc)
  if(ANIMA_UNITY)
    anima_units(c ${room}/src ${ANIMA_UNITY} sources)
  endif()
  add_library(anima_c SHARED ${sources})
  target_include_directories(anima_c PRIVATE ${room}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(anima_c PRIVATE anima_library)
  anima_fold_functions(anima_c)
  target_link_options(anima_c PRIVATE -Wl,--version-script=${room}/anima.map)
  set_target_properties(anima_c PROPERTIES OUTPUT_NAME anima VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                        LINK_DEPENDS ${room}/anima.map)
  # As who has it installed sees it.
  set_target_properties(anima_c PROPERTIES EXPORT_NAME anima INTERFACE_COMPILE_FEATURES cxx_std_20)
  target_include_directories(anima_c INTERFACE $<INSTALL_INTERFACE:include>)
endfunction()

# bindings/c/tests/test_<name>.py -> c.<name>.
function(anima_c_tests)
  if(NOT TARGET anima_c OR ANIMA_SANITIZE)
    return()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bindings/c/tests/test_*.py)
  foreach(test ${tests})
    get_filename_component(name ${test} NAME_WE)
    string(REPLACE "test_" "" name ${name})
    add_test(NAME c.${name} COMMAND ${Python3_EXECUTABLE} ${test})
    set_tests_properties(c.${name} PROPERTIES TIMEOUT ${ANIMA_PROGRAM_TEST_SECONDS}
                         ENVIRONMENT "LIBANIMA=$<TARGET_FILE:anima_c>;CXX=${CMAKE_CXX_COMPILER}")
  endforeach()
endfunction()
