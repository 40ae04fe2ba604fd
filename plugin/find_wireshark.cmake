# SPDX-License-Identifier: GPL-2.0-or-later
# Wireshark's development files, by its pkg-config module. Afterwards there are
#
#   epan                   a target with Wireshark's libraries and headers
#   wireshark_minor        "4.0": a plugin works with the one minor version it was built for, and
#                          Wireshark looks for it below a folder of that name
#   wireshark_prefix       where Wireshark is installed: /usr
#   wireshark_plugin_dir   where it looks for plugins, below that prefix
pkg_check_modules(WIRESHARK IMPORTED_TARGET wireshark)
if(NOT WIRESHARK_FOUND)
  message(FATAL_ERROR
    "Wireshark's plugin development files are missing: install the package libwireshark-dev (or "
    "wireshark-devel), 4.0 or later, or turn the plugin off with -DQUAKESHARK_PLUGIN=OFF.")
endif()
if(WIRESHARK_VERSION VERSION_LESS 4.0)
  message(FATAL_ERROR "Wireshark ${WIRESHARK_VERSION} is too old: the plugin needs 4.0 or later.")
endif()

add_library(epan INTERFACE)
target_link_libraries(epan INTERFACE PkgConfig::WIRESHARK)

string(REGEX MATCH "^[0-9]+\\.[0-9]+" wireshark_minor ${WIRESHARK_VERSION})
pkg_get_variable(wireshark_prefix wireshark prefix)
pkg_get_variable(wireshark_plugin_dir wireshark plugindir)
cmake_path(RELATIVE_PATH wireshark_plugin_dir BASE_DIRECTORY ${wireshark_prefix})
