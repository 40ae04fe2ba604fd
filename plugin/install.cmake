# SPDX-License-Identifier: GPL-2.0-or-later
# Wireshark looks for plugins and profiles in its own prefix and in the user's folders, nowhere else.
# So the prefix that is given when installing decides: ~/.local means this user's folders, any other
# Wireshark's. Variables with a backslash are those of that time. A profile that the user has already
# may have been changed, and is kept: then ours goes beside the rules.
install(CODE "
  set(quakeshark_prefix \"\${CMAKE_INSTALL_PREFIX}\")
  if(\"\${CMAKE_INSTALL_PREFIX}\" STREQUAL \"\$ENV{HOME}/.local\")
    set(quakeshark_plugin_dir \"lib/wireshark/plugins/${wireshark_minor}\")
    set(quakeshark_profile_dir \"../.config/wireshark/profiles/Quake\")
    if(EXISTS \"\$ENV{HOME}/.config/wireshark/profiles/Quake\")
      message(STATUS \"Kept: \$ENV{HOME}/.config/wireshark/profiles/Quake\")
      set(quakeshark_profile_dir \"share/quakeshark/profile\")
    endif()
  else()
    set(CMAKE_INSTALL_PREFIX \"${wireshark_prefix}\")
    set(quakeshark_plugin_dir \"${wireshark_plugin_dir}\")
    set(quakeshark_profile_dir \"share/wireshark/profiles/Quake\")
  endif()"
  COMPONENT plugin)
install(TARGETS quakeshark LIBRARY DESTINATION "\${quakeshark_plugin_dir}/epan" COMPONENT plugin)

# A profile with columns, coloring rules, filter buttons and I/O graphs.
install(FILES profile/preferences profile/dfilter_buttons profile/io_graphs profile/recent
  DESTINATION "\${quakeshark_profile_dir}" COMPONENT plugin)
install(FILES profile/quakeshark-colorfilters DESTINATION "\${quakeshark_profile_dir}"
  RENAME colorfilters COMPONENT plugin)
install(CODE "set(CMAKE_INSTALL_PREFIX \"\${quakeshark_prefix}\")" COMPONENT plugin)

# The rules alone, and the manual.
install(FILES profile/quakeshark-colorfilters DESTINATION ${CMAKE_INSTALL_DATADIR}/quakeshark
  COMPONENT plugin)
install_manual(${CMAKE_CURRENT_SOURCE_DIR}/quakeshark.7 plugin)
