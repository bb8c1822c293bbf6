# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs when anyprof is installed: sets apf_python_dir to the directory of the packages of the interpreter apf_python
# below the prefix.
execute_process(COMMAND "${apf_python}" ${CMAKE_CURRENT_LIST_DIR}/install_dir.py "${CMAKE_INSTALL_PREFIX}"
    OUTPUT_VARIABLE apf_python_found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE apf_python_result)
if(NOT apf_python_result EQUAL 0)
    message(FATAL_ERROR "${apf_python} does not say where its packages are: set ANYPROF_PYTHON_DIR")
endif()
string(REPLACE "\n" ";" apf_python_found "${apf_python_found}")
list(GET apf_python_found 0 apf_python_dir)
list(GET apf_python_found 1 apf_python_looks)
if(apf_python_looks STREQUAL "no")
    message(STATUS "${apf_python} does not look for packages in ${CMAKE_INSTALL_PREFIX} by itself; to import anyprof, "
        "set PYTHONPATH=${CMAKE_INSTALL_PREFIX}/${apf_python_dir}")
endif()
