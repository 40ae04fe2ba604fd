/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zip archive behind the last block of a QWD or MVD demo. ezQuake opens the demo's file as a zip
 * archive, and executes the file autoexec.cfg in it when the demo begins; players read only the
 * blocks. Source: ezquake demo_extension.c, DemoExtension_Load(); common/quakeworld/PROTOCOL.md,
 * section 7. PKWARE, APPNOTE.TXT 4.3 has the format.
 *
 * To readers of demos it is one more block, the last.
 */
#ifndef QS_DEMO_ZIP_ARCHIVE_H
#define QS_DEMO_ZIP_ARCHIVE_H

#include "common/core/decode.h"
#include "common/demo/format.h"

/* Whether an archive begins here, complete or cut: checks its signature. */
bool appendix_begins(struct qs_view rest);
/* Whether the rest of the file is a whole archive: it begins here, and has a directory at its end.
 */
bool appendix_is_whole(struct qs_view rest);

/* Moves behind an archive that begins here; QS_DEMO_CUT if it is incomplete. */
enum qs_demo_status appendix_take(struct qs_reader *in);

void appendix_decode(struct qs_decoder *d);

/*
 * What was written of a demo, and whether it could be opened as an archive: the archive's end is
 * searched for in the last bytes of a file, whatever follows it, and has offsets from itself
 * backwards. So packets can hold one. Source: minizip unzip.c, unz64local_SearchCentralDir,
 * unz64local_SearchCentralDir64.
 */
struct appendix_watch {
    uint32_t last;   /* four bytes */
    uint64_t behind; /* bytes since the last mark of an archive's end */
    bool seen;       /* there is one */
};

void appendix_watch_add(struct appendix_watch *watch, struct qs_view bytes);
bool appendix_watch_is_near(const struct appendix_watch *watch);

#endif
