// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of PRAM: which are free, which are used, which cannot be read, and which are lent
 * in units. All of this is in memory alone, but that a page has no data. Pure logic: also built in
 * user space.
 */

#include <linux/kernel.h>
#include <linux/list.h>

#include "store/map/checksum.h"
#include "store/map/pages.h"

/**
 * vstore_page_free() - give back a page that nothing leads to
 * @map: the map
 * @page: it
 *
 * A page that is bad is used no more. One whose unit is to be lent is away from then on.
 */
void vstore_page_free(struct vstore_map *map, u32 page)
{
	struct vstore_page *p = &map->pages[page];

	if (p->use == VSTORE_NODE) {
		map->nr_nodes--;
	} else {
		map->nr_data--;
		vstore_record_clear(map, page);
	}
	p->mark = 0;
	if (p->flags & VSTORE_BAD) {
		/* It remains one that its unit has in use: the unit is never lent. */
		map->nr_lost -= p->use == VSTORE_DATA;
		p->use = VSTORE_UNUSABLE;
		list_move_tail(&p->list, &map->bad);
		return;
	}
	if (map->used)
		map->used[vstore_unit_of(page)]--;
	if (map->leaving && vstore_unit_of(page) == map->leaving) {
		p->use = VSTORE_AWAY;
		map->nr_away++;
		list_del_init(&p->list);
		return;
	}
	p->use = VSTORE_FREE;
	map->nr_free++;
	list_move_tail(&p->list, &map->free);
}

/**
 * vstore_page_take() - take a free page
 * @map: the map
 * @use: %VSTORE_DATA or %VSTORE_NODE
 *
 * Nothing leads to it: the caller writes the contents, and then
 * vstore_map_commit() or vstore_page_free().
 *
 * Return: the page, or 0 if none is free.
 */
u32 vstore_page_take(struct vstore_map *map, enum vstore_use use)
{
	struct vstore_page *p;

	if (list_empty(&map->free))
		return 0;
	p = list_first_entry(&map->free, struct vstore_page, list);
	list_del_init(&p->list);
	map->nr_free--;
	if (use == VSTORE_NODE)
		map->nr_nodes++;
	else
		map->nr_data++;
	if (map->used)
		map->used[vstore_unit_of(p - map->pages)]++;
	p->use = use;
	p->block = VSTORE_NONE;
	p->live = 0;
	p->flags = 0;
	p->level = 0;
	p->mark = 0;
	return p - map->pages;
}

/**
 * vstore_page_mark_bad() - note that a page cannot be read
 * @map: the map
 * @page: it; an entry leads to it
 */
void vstore_page_mark_bad(struct vstore_map *map, u32 page)
{
	struct vstore_page *p = &map->pages[page];

	if (p->flags & VSTORE_BAD)
		return;
	p->flags |= VSTORE_BAD;
	map->nr_bad++;
	map->nr_lost += p->use == VSTORE_DATA;
	list_move_tail(&p->list, &map->bad);
}

/**
 * vstore_unit_count_used() - from now on, count what is used of each unit
 * @map: the map
 * @used: one for each unit, also one that is not whole
 */
void vstore_unit_count_used(struct vstore_map *map, u16 *used)
{
	u32 page;

	for (page = 0; page < map->nr_pages; page++) {
		if (!(page % VSTORE_UNIT))
			used[vstore_unit_of(page)] = 0;
		if (map->pages[page].use != VSTORE_FREE && map->pages[page].use != VSTORE_AWAY)
			used[vstore_unit_of(page)]++;
	}
	map->used = used;
}

/**
 * vstore_unit_withdraw() - use no more pages of a unit
 * @map: the map; it counts units
 * @unit: a whole one, from vstore_unit_first() on
 *
 * Its free pages are away; those that are used will be away when they are freed:
 * once none is used, which is durable then, others may write to the unit. Only
 * one unit at a time may be withdrawn that has pages in use.
 */
void vstore_unit_withdraw(struct vstore_map *map, u32 unit)
{
	struct vstore_page *p = &map->pages[(size_t)unit << VSTORE_UNIT_SHIFT];
	const struct vstore_page *end = p + VSTORE_UNIT;

	map->leaving = unit;
	for (; p < end; p++) {
		if (p->use != VSTORE_FREE)
			continue;
		p->use = VSTORE_AWAY;
		list_del_init(&p->list);
		map->nr_free--;
		map->nr_away++;
	}
}

/**
 * vstore_unit_restore() - what is away of a unit is free again
 * @map: the map
 * @unit: it; nobody else writes to it any more
 */
void vstore_unit_restore(struct vstore_map *map, u32 unit)
{
	struct vstore_page *p = &map->pages[(size_t)unit << VSTORE_UNIT_SHIFT];
	const struct vstore_page *end = p + VSTORE_UNIT;

	if (map->leaving == unit)
		map->leaving = 0;
	for (; p < end; p++) {
		if (p->use != VSTORE_AWAY)
			continue;
		p->use = VSTORE_FREE;
		list_add_tail(&p->list, &map->free);
		map->nr_free++;
		map->nr_away--;
	}
}

/**
 * vstore_unit_has_bad() - whether a unit has a page that cannot be read
 * @map: the map
 * @unit: it
 *
 * Return: true if it has any.
 */
bool vstore_unit_has_bad(const struct vstore_map *map, u32 unit)
{
	const struct vstore_page *p;

	list_for_each_entry(p, &map->bad, list)
		if (vstore_unit_of(p - map->pages) == unit)
			return true;
	return false;
}
