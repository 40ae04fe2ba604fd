# SPDX-License-Identifier: GPL-2.0-or-later
# Targets that the plugin needs in Wireshark's own build, which finds GLib, zlib and the compiler.
set(QUAKESHARK_IN_WIRESHARK ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(quakeshark_libraries INTERFACE)
target_link_libraries(quakeshark_libraries INTERFACE ${GLIB2_LIBRARIES} ${ZLIB_LIBRARIES})
target_include_directories(quakeshark_libraries SYSTEM INTERFACE
  ${GLIB2_INCLUDE_DIRS} ${ZLIB_INCLUDE_DIRS})

add_library(quakeshark_settings INTERFACE)
target_include_directories(quakeshark_settings INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(quakeshark_settings INTERFACE QUAKESHARK_IN_WIRESHARK)
if(NOT MSVC)
  target_compile_definitions(quakeshark_settings INTERFACE _GNU_SOURCE)
  target_compile_options(quakeshark_settings INTERFACE -fvisibility=hidden)
endif()

# Whether to optimize across files is Wireshark's decision.
add_library(quakeshark_whole_program INTERFACE)
add_library(quakeshark_link_whole_program INTERFACE)

add_subdirectory(common)
add_subdirectory(plugin)
