# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds protobuf-c (pprof's format) and defines ProtobufC::ProtobufC, and ProtobufC_COMPILER, which makes C of .proto
# files; only building needs that.
find_path(ProtobufC_INCLUDE_DIR protobuf-c/protobuf-c.h)
find_library(ProtobufC_LIBRARY protobuf-c)
find_program(ProtobufC_COMPILER protoc-c)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ProtobufC DEFAULT_MSG ProtobufC_LIBRARY ProtobufC_INCLUDE_DIR)
if(ProtobufC_FOUND AND NOT TARGET ProtobufC::ProtobufC)
    add_library(ProtobufC::ProtobufC UNKNOWN IMPORTED)
    set_target_properties(ProtobufC::ProtobufC PROPERTIES
        IMPORTED_LOCATION "${ProtobufC_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${ProtobufC_INCLUDE_DIR}")
endif()
mark_as_advanced(ProtobufC_INCLUDE_DIR ProtobufC_LIBRARY ProtobufC_COMPILER)
