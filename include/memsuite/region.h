/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regions: named ranges of physical memory, found in the firmware's tables or
 * defined by the administrator, each with a directory in
 * /sys/kernel/memsuite/regions.
 */
#ifndef MEMSUITE_REGION_H
#define MEMSUITE_REGION_H

#include <linux/bitops.h>
#include <linux/types.h>

struct memsuite_bank_set;
struct memsuite_pool;
struct page;

#define MEMSUITE_REGION_NAME	32
#define MEMSUITE_REGION_TEXT	64
#define MEMSUITE_MAX_BANKS	1024

/**
 * enum memsuite_region_source - where a region comes from
 * @MEMSUITE_REGION_NODE: a NUMA node
 * @MEMSUITE_REGION_DIMM: a memory device of the DMI tables
 * @MEMSUITE_REGION_NVDIMM: a persistent memory range
 * @MEMSUITE_REGION_ADMIN: written to regions/add
 */
enum memsuite_region_source {
	MEMSUITE_REGION_NODE,
	MEMSUITE_REGION_DIMM,
	MEMSUITE_REGION_NVDIMM,
	MEMSUITE_REGION_ADMIN,
};

/**
 * enum memsuite_interleaved - whether its pages are spread over several DIMMs
 * @MEMSUITE_INTERLEAVED_NO: each lies in one DIMM
 * @MEMSUITE_INTERLEAVED_YES: each lies in several, which cannot be told apart
 * @MEMSUITE_INTERLEAVED_UNKNOWN: the firmware does not tell
 */
enum memsuite_interleaved {
	MEMSUITE_INTERLEAVED_NO,
	MEMSUITE_INTERLEAVED_YES,
	MEMSUITE_INTERLEAVED_UNKNOWN,
};

/**
 * struct memsuite_region_spec - what describes a region
 * @name: letters, digits, '_', '-', '.'
 * @start: first physical byte, a multiple of the page size
 * @end: first byte behind it; of a node, both may reach farther later
 * @nid: node that it is, or -1 if it is less or more than one
 * @source: where it comes from
 * @locator: DIMM locators, or empty
 * @interleaved: whether its DIMMs are, among themselves
 * @technology: as the firmware or the administrator calls it, or empty; may be set
 *	at any time: only memsuite_regions_each() and memsuite_region_at() tell it
 * @tier: memory tier of its node, lower is faster; -1 if not known
 * @map: name of the bank map that @banks are of, or empty: all frames
 * @banks: bitmap of the banks that its frames lie in
 * @read_latency_ns: of one access; this and all that follow are 0 if not known,
 *	and may be set at any time: read them by READ_ONCE()
 * @write_latency_ns: of one access
 * @idle_power_mw: of the whole region, when nobody uses it
 * @read_power_mw: of the whole region while it is read all the time, idle power
 *	included
 * @write_power_mw: likewise while it is written
 * @read_energy_fj_per_bit: what reading takes beyond idle power
 * @write_energy_fj_per_bit: what writing takes beyond idle power
 * @wear_budget_kib_per_day: what may be written to it in a day
 * @endurance_writes: how often a cell can be written
 */
struct memsuite_region_spec {
	char name[MEMSUITE_REGION_NAME];
	u64 start;
	u64 end;
	int nid;
	enum memsuite_region_source source;
	char locator[MEMSUITE_REGION_TEXT];
	enum memsuite_interleaved interleaved;
	char technology[MEMSUITE_REGION_TEXT];
	int tier;
	char map[MEMSUITE_REGION_NAME];
	DECLARE_BITMAP(banks, MEMSUITE_MAX_BANKS);
	u64 read_latency_ns;
	u64 write_latency_ns;
	u64 idle_power_mw;
	u64 read_power_mw;
	u64 write_power_mw;
	u64 read_energy_fj_per_bit;
	u64 write_energy_fj_per_bit;
	u64 wear_budget_kib_per_day;
	u64 endurance_writes;
};

struct memsuite_region;

/**
 * memsuite_region_get() - find a region and keep it
 * @name: its name
 *
 * Context: may sleep.
 * Return: the region, to be put with memsuite_region_put(); ERR_PTR(-ENOENT).
 */
struct memsuite_region *memsuite_region_get(const char *name);

/**
 * memsuite_region_put() - let go of a region
 * @region: from memsuite_region_get()
 *
 * Context: may sleep.
 */
void memsuite_region_put(struct memsuite_region *region);

/**
 * memsuite_region_hold() - remember a region that may be removed
 * @region: from memsuite_region_get(), and not put yet
 *
 * Only memsuite_region_spec() and memsuite_region_is_gone() may be asked of a region that is
 * not kept, until memsuite_region_let_go().
 *
 * Context: any.
 */
void memsuite_region_hold(struct memsuite_region *region);

/**
 * memsuite_region_let_go() - undo memsuite_region_hold()
 * @region: the region
 *
 * Context: may sleep.
 */
void memsuite_region_let_go(struct memsuite_region *region);

/**
 * memsuite_region_is_gone() - whether a region that is held was removed
 * @region: the region
 *
 * Context: any.
 * Return: true, from then on; one of that name is another one.
 */
bool memsuite_region_is_gone(const struct memsuite_region *region);

/**
 * memsuite_region_spec() - what describes a region
 * @region: the region
 *
 * Latencies, powers, energies and wear may be set at any time: read them by
 * READ_ONCE(). The rest does not change, but that a node can grow.
 *
 * Return: its own, for as long as the region is kept or held.
 */
const struct memsuite_region_spec *memsuite_region_spec(const struct memsuite_region *region);

/**
 * memsuite_region_at() - the smallest region that an address lies in
 * @address: physical, in bytes
 * @sources: bit mask of 1 << MEMSUITE_REGION_*
 * @spec: a copy of what describes the region, untouched if there is none
 *
 * Context: may sleep.
 * Return: whether there is one.
 */
bool memsuite_region_at(u64 address, unsigned int sources,
			struct memsuite_region_spec *spec);

/**
 * memsuite_region_has() - whether a frame lies in a region
 * @region: the region
 * @page: a page of an online frame
 *
 * Context: any.
 * Return: true if it does.
 */
bool memsuite_region_has(const struct memsuite_region *region, struct page *page);

/**
 * memsuite_region_banks() - the banks that a region is a set of
 * @region: the region
 *
 * Return: banks, for as long as the region is kept; NULL: all its frames.
 */
const struct memsuite_bank_set *memsuite_region_banks(const struct memsuite_region *region);

/* What a technology is like, as far as policies care. */
enum memsuite_technology {
	MEMSUITE_TECHNOLOGY_UNKNOWN,
	MEMSUITE_TECHNOLOGY_DRAM,	/* volatile, written and read alike */
	MEMSUITE_TECHNOLOGY_PRAM,	/* dear to write: phase change and other NVM */
};

/**
 * memsuite_technology_of() - what kind of technology a name is that of
 * @name: as in struct memsuite_region_spec
 *
 * Pure.
 *
 * Return: the kind; MEMSUITE_TECHNOLOGY_UNKNOWN if the name tells nothing.
 */
enum memsuite_technology memsuite_technology_of(const char *name);

/**
 * memsuite_regions_each() - look at all regions
 * @see: called for each, in the order in which they came to be; may not sleep for
 *	long, nor look for regions
 * @context: for it
 *
 * Context: may sleep.
 */
void memsuite_regions_each(void (*see)(const struct memsuite_region_spec *spec,
				       void *context), void *context);

/**
 * memsuite_region_bounds() - how far around a frame the same regions reach
 * @pfn: the frame
 * @start: first frame that lies in the same regions as all up to @pfn
 * @end: first frame behind those that do
 *
 * Without regions around it a frame has bounds all the same: the next ones.
 * Regions come and go: what is told is true only when asked.
 *
 * Context: may sleep.
 * Return: false if frames between the bounds belong to different regions all
 * the same, since one of these is a set of banks.
 */
bool memsuite_region_bounds(unsigned long pfn, unsigned long *start,
			    unsigned long *end);

/**
 * memsuite_region_pool_open() - have the region's pool filled
 * @region: the region
 *
 * May be called more than once; each call needs a memsuite_region_pool_close().
 *
 * Context: may sleep.
 * Return: the pool, or ERR_PTR(-ENOMEM).
 */
struct memsuite_pool *memsuite_region_pool_open(struct memsuite_region *region);

/**
 * memsuite_region_pool_close() - undo memsuite_region_pool_open()
 * @region: the region
 *
 * With the last call all pages go back. Nobody may pop from the pool any more.
 *
 * Context: may sleep.
 */
void memsuite_region_pool_close(struct memsuite_region *region);

/**
 * struct memsuite_occupancy - frames of a region
 * @pages: online
 * @free_pages: of these, free, or in its pool
 */
struct memsuite_occupancy {
	unsigned long pages;
	unsigned long free_pages;
};

/**
 * memsuite_region_occupancy() - estimate how many frames a region has free
 * @region: the region
 * @occupancy: result; of a node it is the kernel's own count, of other regions a
 *	sample, of a twentieth of a second ago at most
 *
 * Takes less than a millisecond. Context: may sleep.
 */
void memsuite_region_occupancy(struct memsuite_region *region,
			       struct memsuite_occupancy *occupancy);

#endif
