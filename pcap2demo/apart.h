/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inputs that are read apart from each other, by a process each, and taken in their order: all that
 * is printed and written is what one process would have printed and written.
 *
 * Where inputs have sessions of their own in any case (options->separate_inputs), each is taken as
 * soon as it is its turn. Otherwise what inputs have in common is looked at when all are read
 * (ties.h): those that are tied are read once more, by this process and one after the other.
 */
#ifndef PCAP2DEMO_APART_H
#define PCAP2DEMO_APART_H

#include "pcap2demo/reading.h"

/* Reads all inputs. False: they have to be read one after the other, and nothing was done. */
bool apart_read(struct reading *reading);

#endif
