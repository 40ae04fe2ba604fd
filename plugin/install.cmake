# SPDX-License-Identifier: GPL-2.0-or-later
# The prefix at installation decides. ~/.local: this user's folders; Wireshark's own prefix or CMake's default,
# /usr/local: Wireshark's folders; any other: folders below it. Variables with a backslash are evaluated then.
# An existing profile of the user is kept, and ours goes to share/quakeshark/profile.
install(CODE "
  get_filename_component(quakeshark_prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  set(quakeshark_plugin_dir \"lib/wireshark/plugins/${wireshark_minor}\")
  set(quakeshark_profile_dir \"share/wireshark/profiles/Quake\")
  if(quakeshark_prefix STREQUAL \"\$ENV{HOME}/.local\")
    set(quakeshark_profile_dir \"../.config/wireshark/profiles/Quake\")
    if(EXISTS \"\$ENV{HOME}/.config/wireshark/profiles/Quake\")
      message(STATUS \"Kept: \$ENV{HOME}/.config/wireshark/profiles/Quake\")
      set(quakeshark_profile_dir \"share/quakeshark/profile\")
    endif()
  elseif(quakeshark_prefix MATCHES \"^(/usr/local|${wireshark_prefix})$\")
    set(CMAKE_INSTALL_PREFIX \"${wireshark_prefix}\")
    set(quakeshark_plugin_dir \"${wireshark_plugin_dir}\")
  else()
    message(STATUS \"Wireshark looks for plugins in ${wireshark_prefix}/${wireshark_plugin_dir} and \"
      \"~/.local/lib/wireshark/plugins/${wireshark_minor}. For this one, run it as: \"
      \"WIRESHARK_PLUGIN_DIR=\${quakeshark_prefix}/lib/wireshark/plugins wireshark\")
  endif()"
  COMPONENT plugin)
install(TARGETS quakeshark LIBRARY DESTINATION "\${quakeshark_plugin_dir}/epan" COMPONENT plugin)

# A profile with columns, coloring rules, filter buttons and I/O graphs.
include(profile.cmake)
set(profile ${CMAKE_CURRENT_BINARY_DIR}/profile)
install(FILES ${profile}/preferences ${profile}/dfilter_buttons ${profile}/io_graphs ${profile}/recent
  DESTINATION "\${quakeshark_profile_dir}" COMPONENT plugin)
install(FILES ${profile}/quakeshark-colorfilters DESTINATION "\${quakeshark_profile_dir}"
  RENAME colorfilters COMPONENT plugin)
install(CODE "set(CMAKE_INSTALL_PREFIX \"\${quakeshark_prefix}\")" COMPONENT plugin)

# The rules alone, and the manual.
install(FILES ${profile}/quakeshark-colorfilters DESTINATION ${CMAKE_INSTALL_DATADIR}/quakeshark
  COMPONENT plugin)
install_manual(${CMAKE_CURRENT_SOURCE_DIR}/quakeshark.7 plugin)
