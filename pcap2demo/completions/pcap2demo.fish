# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish. The options and their values are those that --help names.
for line in (pcap2demo --help 2>/dev/null)
    string match -rq '^ +(-(?<short>[A-Za-z]), )?--(?<long>[a-z0-9-]+)(=\[?(?<value>[^ \]]+)\]?)? *(?<about>.*)$' -- $line
    or continue
    set -l arguments -l $long
    test -n "$short"; and set -a arguments -s $short
    test -n "$about"; and set -a arguments -d $about
    if string match -rq '^[a-z0-9.|-]+$' -- $value
        set -a arguments -x -a (string replace -a '|' ' ' -- $value)
    else if test -n "$value"
        set -a arguments -r
    end
    complete -c pcap2demo $arguments
end
