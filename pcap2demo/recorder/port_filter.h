/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter that the kernel can apply where the user says on which ports the servers listen. */
#ifndef PCAP2DEMO_PORT_FILTER_H
#define PCAP2DEMO_PORT_FILTER_H

/*
 * `ports` are the texts of --port ("qw=27500,27510-27519"), ending with NULL, or NULL. Returns a
 * new filter expression, or NULL where ports alone do not tell: none are given, or Quake's are,
 * whose servers go on from other ports. Fragments, which have no ports, pass.
 */
char *port_filter(char *const *ports);

#endif
