# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for bash. The options and their values are those that --help names.

# Prints the values of an option, a|b in the help, one a line.
_pcap2demo_values() {
    "$1" --help 2>/dev/null | sed -n "s/^ *\(-[A-Za-z], \)\{0,1\}$2=\[\{0,1\}\([a-z0-9.|-]*|[a-z0-9.|-]*\).*/\2/p" | tr '|' '\n'
}

_pcap2demo_options() {
    "$1" --help 2>/dev/null | sed -n 's/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
}

_pcap2demo() {
    local word=$2 before=$3

    # Readline takes "--split=level" for three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if [[ $before == --* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_pcap2demo_values "$1" "$before")" -- "$word")
    elif [[ $before == -i ]]; then
        mapfile -t COMPREPLY < <(cd /sys/class/net 2>/dev/null && compgen -f -- "$word")
    fi
    if [[ ${#COMPREPLY[@]} -eq 0 && $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_pcap2demo_options "$1")" -- "$word")
    fi
}

complete -o default -F _pcap2demo pcap2demo
