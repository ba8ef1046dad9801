# bindings/python: the extension anima._anima and, in BUILD/python, the package as the tests import it (PYTHONPATH). A wheel
# (pyproject.toml) takes the component "python" of the installation. Nothing else of the build needs Python.
#
# ANIMA_PYTHON: OFF; AUTO, where the Python of build/python_bindings (./dev setup test) has nanobind; ON, or it is an error.
set(ANIMA_PYTHON OFF CACHE STRING "Build the package for Python: OFF, AUTO (where nanobind is found) or ON")

# The headers of Python and nanobind, or what is missing in `missing_variable`.
macro(anima_find_nanobind missing_variable)
  set(${missing_variable})
  set(own_python ${CMAKE_SOURCE_DIR}/build/python_bindings/bin/python)
  if(NOT Python_EXECUTABLE AND EXISTS ${own_python})
    set(Python_EXECUTABLE ${own_python})
  endif()
  # The stable interface is that of Python 3.12; a wheel of an older one is for that alone.
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
  if(NOT Python_FOUND)
    set(${missing_variable} "Python 3.10 with its headers (apt-get install python3-dev)")
  else()
    execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                    OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE outcome ERROR_QUIET)
    if(NOT outcome EQUAL 0)
      set(${missing_variable} "nanobind in ${Python_EXECUTABLE} (./dev setup test)")
    else()
      find_package(nanobind CONFIG REQUIRED)
    endif()
  endif()
endmacro()

function(anima_python)
  if(NOT ANIMA_PYTHON OR ANIMA_SANITIZE)
    return()
  endif()
  anima_find_nanobind(missing)
  if(missing)
    if(ANIMA_PYTHON STREQUAL AUTO)
      message(STATUS "Without the package for Python: there is no ${missing}")
      return()
    endif()
    message(FATAL_ERROR "The package for Python needs ${missing}")
  endif()
  set(room ${CMAKE_SOURCE_DIR}/bindings/python)
  file(GLOB sources CONFIGURE_DEPENDS ${room}/src/*.cc)
  if(ANIMA_UNITY)
    anima_units(python ${room}/src ${ANIMA_UNITY} sources)
  endif()
  nanobind_add_module(anima_python NB_STATIC STABLE_ABI NB_SUPPRESS_WARNINGS ${sources})
  target_include_directories(anima_python PRIVATE ${room}/src)
  target_compile_definitions(anima_python PRIVATE ANIMA_VERSION="${PROJECT_VERSION}")
  target_link_libraries(anima_python PRIVATE anima_library)
  anima_fold_functions(anima_python)
  # What the module says to others is its one function; our own copy of a library is no other module's.
  target_link_options(anima_python PRIVATE -Wl,--version-script=${room}/src/module.map)
  set_target_properties(anima_python PROPERTIES LINK_DEPENDS ${room}/src/module.map)
  set(package ${CMAKE_BINARY_DIR}/python/anima)
  set_target_properties(anima_python PROPERTIES OUTPUT_NAME _anima LIBRARY_OUTPUT_DIRECTORY ${package})
  file(MAKE_DIRECTORY ${package})
  file(GLOB modules CONFIGURE_DEPENDS ${room}/anima/*.py ${room}/anima/*.pyi ${room}/anima/py.typed)
  foreach(module ${modules})
    get_filename_component(name ${module} NAME)
    file(CREATE_LINK ${module} ${package}/${name} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ${room}/anima/adapters ${package}/adapters SYMBOLIC)
  file(CREATE_LINK ${CMAKE_BINARY_DIR} ${package}/bin SYMBOLIC)
  install(TARGETS anima_python LIBRARY DESTINATION anima COMPONENT python EXCLUDE_FROM_ALL)
  install(TARGETS anima anima-fetch anima-inspect anima-machine RUNTIME DESTINATION anima/bin COMPONENT python
          EXCLUDE_FROM_ALL)
  # Written by ./dev release, whose wheel holds the libraries that the notices are of.
  install(FILES ${CMAKE_SOURCE_DIR}/build/release/notices.txt RENAME NOTICES.txt DESTINATION anima COMPONENT python
          EXCLUDE_FROM_ALL OPTIONAL)
endfunction()

# bindings/python/tests/test_<name>.py -> python.<name>, adapters/test_<name>.py -> python.adapters_<name>. Without
# the packages of PyPI they are skipped, and say so.
function(anima_python_tests)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(room ${CMAKE_SOURCE_DIR}/bindings/python/tests)
  file(GLOB tests CONFIGURE_DEPENDS ${room}/test_*.py ${room}/adapters/test_*.py)
  foreach(test ${tests})
    file(RELATIVE_PATH name ${room} ${test})
    string(REGEX REPLACE "test_(.*)\\.py$" "\\1" name ${name})
    string(REPLACE "/" "_" name ${name})
    add_test(NAME python.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/bindings/python/tests/run.py
                                         ${CMAKE_BINARY_DIR} ${test})
    set_tests_properties(python.${name} PROPERTIES TIMEOUT ${ANIMA_PROGRAM_TEST_SECONDS} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
