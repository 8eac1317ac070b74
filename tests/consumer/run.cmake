# Installs the build into a fresh prefix, builds the consumer project against it and runs it.
# -D BUILD=… -D SOURCE=… -D WORK=… -D GENERATOR=… -D COMPILER=… -D FLAGS=… -D OWN_ISSUER=…
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)

# Nothing lies where another package may put a file.
file(GLOB folders RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
if(NOT folders STREQUAL "smem;smemsim")
  message(FATAL_ERROR "include/ holds more than smem and smemsim: ${folders}")
endif()

file(GLOB installed_headers ${WORK}/prefix/include/smem/*.hpp)
if(NOT installed_headers)
  message(FATAL_ERROR "no header was installed")
endif()
foreach(header ${installed_headers})
  file(STRINGS ${header} includes REGEX "#include")
  foreach(line ${includes})
    if(NOT line MATCHES "^#include <smem/[a-z_]+\\.hpp>$" AND NOT line MATCHES "^#include <[a-z_]+>$")
      message(FATAL_ERROR "${header} includes more than the standard library: ${line}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DSMEMSIM_EXAMPLE=${SOURCE}/examples/static_assert_layout.cpp
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror ${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
run(${WORK}/build/static_assert_layout)
run(${WORK}/build/batch_consumer)

# The package says nothing of the folders it was built in.
file(GLOB_RECURSE package_files ${WORK}/prefix/*.cmake)
foreach(file ${package_files})
  file(READ ${file} content)
  foreach(folder ${SOURCE} ${BUILD})
    string(FIND "${content}" "${folder}" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

# A project that needs the clock: the example, built outside, prints what it prints inside.
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer/clock -B ${WORK}/clock_build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DSMEMSIM_EXAMPLE=${SOURCE}/examples/own_issuer.cpp
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror ${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/clock_build)
execute_process(COMMAND ${OWN_ISSUER} OUTPUT_VARIABLE inside COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/clock_build/own_issuer OUTPUT_VARIABLE outside
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT inside MATCHES "total_cycles" OR NOT inside STREQUAL outside)
  message(FATAL_ERROR "the example prints\n${outside}instead of\n${inside}")
endif()

# The installed command finds the descriptions it was installed with.
file(COPY_FILE ${WORK}/prefix/share/smemsim/configs/h200.yaml
     ${WORK}/prefix/share/smemsim/configs/only_here.yaml)
run(${WORK}/prefix/bin/smemsim run stride:words=2 --fast --gpu only_here)

# And the description of the measuring kernel it was installed with: read, and so refused when wrong.
file(WRITE ${WORK}/programs.json
     [=[[{"id": 0, "name": "one", "ops": [{"op": "ld", "bytes": 4, "ways": 1, "after": -1}]}]]=])
run(${WORK}/prefix/bin/smemsim run ${WORK}/programs.json)
file(WRITE ${WORK}/prefix/share/smemsim/measuring_kernels/h200.yaml "launch_cycles: none\n")
execute_process(COMMAND ${WORK}/prefix/bin/smemsim run ${WORK}/programs.json
                RESULT_VARIABLE code ERROR_VARIABLE message OUTPUT_QUIET)
if(code EQUAL 0 OR NOT message MATCHES "measuring_kernels/h200.yaml:1:16: launch_cycles: expected")
  message(FATAL_ERROR "the installed measuring kernel was not read: ${message}")
endif()
