#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the fields that the plugin has registered as the C that the checkers in Wireshark's tools/ read:

    WIRESHARK_PLUGIN_DIR=build/plugin/wireshark print_hf.py FOLDER
    cd WIRESHARK && tools/checkAPIs.pl FOLDER/packet-qw.c
"""

import json
import pathlib
import re
import subprocess
import sys


def report(name):
    output = subprocess.run(["tshark", "-G", name], capture_output=True, encoding="utf-8", check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def string(text):
    """As C; the checkers take two slashes for a comment."""
    return json.dumps(text, ensure_ascii=False).replace("//", "/\\x2f")


def strings_of(values):
    """By field, the value_string or true_false_string arrays, as text."""
    arrays = {}
    for kind, name, *words in (line for line in values if len(line) == 4):
        if kind == "V":
            arrays.setdefault(name, []).append(f"    {{ {words[0]}, {string(words[1])} }},")
        elif kind == "T":
            arrays[name] = f"{string(words[0])}, {string(words[1])}"
    return arrays


def padded(mask, kind, base):
    """With a digit for every four bits of the field, as people write it."""
    bits = base if kind == "FT_BOOLEAN" else kind.lstrip("FT_UIN")
    return f"0x{int(mask, 16):0{int(bits) // 4}x}" if int(mask or "0", 16) else "0x0"


def write(path, protocol, fields, arrays):
    lines = [f'proto_{protocol} = proto_register_protocol("{protocol}", "{protocol}", "{protocol}");']
    header, calls = [], []
    for _, title, name, kind, _, base, mask, *blurb in fields:
        word = re.sub(r"[-.]", lambda match: {".": "_", "-": "_minus_"}[match[0]], name.replace("_", "__"))
        strings = "NULL"
        if isinstance(arrays.get(name), list):
            strings = f"VALS(names_{word})"
            lines += [f"static const value_string names_{word}[] = {{", *arrays[name], "    { 0, NULL }", "};"]
        elif name in arrays:
            strings = f"TFS(&tfs_{word})"
            lines.append(f"static const true_false_string tfs_{word} = {{ {arrays[name]} }};")
        lines.append(f"static int hf_{word} = -1;")
        header.append(f'    {{ &hf_{word}, {{ {string(title)}, "{name}", {kind}, {base or "BASE_NONE"}, {strings}, '
                      f'{padded(mask, kind, base)}, {string(blurb[0]) if blurb and blurb[0] else "NULL"}, HFILL }} }},')
        calls.append(f"proto_tree_add_item(tree, hf_{word}, tvb, 0, 1, ENC_NA);")
    path.write_text("\n".join([*lines, "static hf_register_info hf[] = {", *header, "};", *calls]) + "\n")


def main(folder):
    fields, arrays = {}, strings_of(report("values"))
    for field in report("fields"):
        if field[0] == "F" and field[4] in ("qw", "q2", "nq", "acknex"):
            fields.setdefault(field[4], []).append(field)
    for protocol, rows in fields.items():
        write(pathlib.Path(folder) / f"packet-{protocol}.c", protocol, rows, arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
