#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the field tables as the C that Wireshark's tools/checkhf.pl and checkfiltername.pl read:

    print_hf.py PCAP2DEMO FOLDER && cd WIRESHARK && tools/checkfiltername.pl FOLDER/packet-qw.c
"""

import json
import pathlib
import subprocess
import sys


def write(path, protocol, fields):
    lines = [f'proto_{protocol} = proto_register_protocol("{protocol}", "{protocol}", "{protocol}");']
    names = {field["name"]: "hf_" + field["name"].replace(".", "_") for field in fields}
    lines += [f"static int {name} = -1;" for name in names.values()]
    lines.append("static hf_register_info hf[] = {")
    for field in fields:
        kind = {"group": "NONE", "note": "NONE"}.get(field["type"], field["type"].upper())
        title, blurb = json.dumps(field["title"]), json.dumps(field["blurb"]) if field.get("blurb") else "NULL"
        lines.append(f'    {{ &{names[field["name"]]}, {{ {title}, "{field["name"]}", FT_{kind}, BASE_NONE, '
                     f'NULL, {field.get("mask", 0):#x}, {blurb}, HFILL }} }},')
    lines.append("};")
    lines += [f"proto_tree_add_item(tree, {name}, tvb, 0, 1, ENC_NA);" for name in names.values()]
    path.write_text("\n".join(lines) + "\n")


def main(tool, folder):
    output = subprocess.run([tool, "--fields", "--json"], capture_output=True, encoding="utf-8", check=True).stdout
    fields = {}
    for field in map(json.loads, output.splitlines()):
        fields.setdefault(field["name"].partition(".")[0], []).append(field)
    for protocol, rows in fields.items():
        write(pathlib.Path(folder) / f"packet-{protocol}.c", protocol, rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
