/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which frames a player of a demo still has. */
#include "common/demo/dm2/dm2.h"
#include "tests/quake2/unit.h"

static void add_frames(struct dm2_backup *backup, int32_t first, int32_t last, uint32_t entities)
{
    for (int32_t number = first; number <= last; number++)
        dm2_backup_add(backup, number, entities);
}

TEST(test_frames)
{
    struct dm2_backup backup = {0};

    assert_false(dm2_backup_has(&backup, 0));
    assert_false(dm2_backup_has(&backup, -1));
    add_frames(&backup, 1, 20, 3);
    assert_int_equal(backup.last, 20);
    assert_true(dm2_backup_has(&backup, 20));
    assert_true(dm2_backup_has(&backup, 5));
    assert_false(dm2_backup_has(&backup, 4));
    assert_false(dm2_backup_has(&backup, 21));
}

/* 12 frames of 80 entities are more than players keep, though the frame is there. */
TEST(test_entities)
{
    struct dm2_backup backup = {0};

    add_frames(&backup, 1, 12, 80);
    assert_false(dm2_backup_has(&backup, 1));
    assert_true(dm2_backup_has(&backup, 2)); /* 880 entities up to 896 */
    add_frames(&backup, 13, 13, 897);
    assert_false(dm2_backup_has(&backup, 13));
}
