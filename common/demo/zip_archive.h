/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Zip archive after the last block of a QWD or MVD demo. ezQuake opens the demo's file as a zip
 * archive, and executes the file autoexec.cfg in it when the demo begins; engines read only the
 * blocks. Source: ezquake demo_extension.c, DemoExtension_Load(); common/quakeworld/PROTOCOL.md,
 * section 7. Format: PKWARE, APPNOTE.TXT 4.3.
 *
 * To readers of demos the archive is one more block, the last.
 */
#ifndef QS_DEMO_ZIP_ARCHIVE_H
#define QS_DEMO_ZIP_ARCHIVE_H

#include "common/core/decode.h"
#include "common/demo/format.h"

/* True if an archive begins here, complete or cut. Checks only its signature. */
bool qs_zip_begins(struct qs_view rest);
/* True if the rest of the file is a whole archive: it begins here and ends with a directory. */
bool qs_zip_is_whole(struct qs_view rest);

/* Moves past an archive that begins here. Returns QS_DEMO_CUT if it is incomplete. */
enum qs_demo_status qs_zip_skip(struct qs_reader *in);

void qs_zip_decode(struct qs_decoder *d);

/*
 * Watches the written bytes of a demo for an archive that its packets may contain. ezQuake searches
 * the last bytes of the file for the archive's end record, ignores what follows it, and counts
 * offsets from it backwards. Source: minizip unzip.c, unz64local_SearchCentralDir,
 * unz64local_SearchCentralDir64.
 */
struct qs_zip_watch {
    uint32_t last;   /* latest four bytes */
    uint64_t behind; /* bytes since the last signature of an archive's end */
    bool seen;       /* such a signature was written */
};

/* Adds bytes that were written to the demo. */
void qs_zip_watch_add(struct qs_zip_watch *watch, struct qs_view bytes);
/* True if ezQuake would still find an archive's end in the last bytes written. */
bool qs_zip_watch_is_near(const struct qs_zip_watch *watch);

#endif
