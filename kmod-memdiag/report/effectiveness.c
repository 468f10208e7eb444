// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands between the tests and the memory cells, as far as it can be
 * told, and whether the tests' reads reach memory at all.
 */

#include <linux/dmi.h>
#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include <memsuite/control.h>

#include "report/dram_reach.h"
#include "report/effectiveness.h"

/* Larger than a strip, and than write queues. */
#define REACH_ORDER	get_order(1 << 20)

static struct memdiag_dram_reach reach;		/* under reach_lock; 0 at first */
static DEFINE_MUTEX(reach_lock);

static const char * const verdict_name[] = {
	[MEMDIAG_REACH_UNKNOWN] = "unknown",
	[MEMDIAG_REACH_YES] = "yes",
	[MEMDIAG_REACH_NO] = "no",
};

static int dram_reach_update(u64 unused)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, REACH_ORDER);
	struct memdiag_engine_block block = {
		.nr_lines = (PAGE_SIZE << REACH_ORDER) / MEMDIAG_LINE_BYTES,
	};

	if (!page)
		return -ENOMEM;
	block.words = page_address(page);
	block.address = PFN_PHYS(page_to_pfn(page));
	mutex_lock(&reach_lock);
	memdiag_dram_reach_measure(&block, MEMDIAG_ENGINE_AUTO, &reach);
	mutex_unlock(&reach_lock);
	__free_pages(page, REACH_ORDER);
	return 0;
}

static ssize_t reads_reach_memory_show(struct kobject *kobj,
				       struct kobj_attribute *attr, char *buf)
{
	enum memdiag_dram_reach_verdict verdict;

	mutex_lock(&reach_lock);
	verdict = memdiag_dram_reach_judge(&reach);
	mutex_unlock(&reach_lock);
	return sysfs_emit(buf, "%s\n", verdict_name[verdict]);
}

/* SMBIOS, type 16: a physical array of memory. */
struct dmi_array {
	struct dmi_header header;
	u8 location;
	u8 use;
	u8 correction;
} __packed;

#define DMI_ARRAY		16
#define DMI_USE_SYSTEM_MEMORY	3

static void dmi_see_array(const struct dmi_header *header, void *correction)
{
	const struct dmi_array *array = (const void *)header;

	if (header->type == DMI_ARRAY && header->length >= sizeof(*array) &&
	    array->use == DMI_USE_SYSTEM_MEMORY)
		*(u8 *)correction = array->correction;
}

static ssize_t ecc_show(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	static const char * const name[] = {
		[3] = "none", [4] = "parity", [5] = "single-bit",
		[6] = "multi-bit", [7] = "crc",
	};
	u8 correction = 0;

	dmi_walk(dmi_see_array, &correction);
	return sysfs_emit(buf, "%s\n", correction < ARRAY_SIZE(name) &&
				       name[correction] ? name[correction] :
				       "unknown");
}

static bool is_guest(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* Whether a bit of a model-specific register is set; false without the register. */
static bool msr_bit(u32 msr, unsigned int bit)
{
	u32 low, high;

	return !rdmsr_safe(msr, &low, &high) && low >> bit & 1;
}

#define MSR_TME_ACTIVATE	0x982		/* Intel */
#define TME_ENABLED		1
#define MSR_SYSCFG		0xc0010010	/* AMD */
#define SYSCFG_SME_ENABLED	23
#define MSR_SEV			0xc0010131	/* in a guest */
#define SEV_ENABLED		0

static const char *memory_encryption(void)
{
	switch (boot_cpu_data.x86_vendor) {
	case X86_VENDOR_INTEL:
		if (msr_bit(MSR_TME_ACTIVATE, TME_ENABLED))
			return "tme";
		break;
	case X86_VENDOR_AMD:
		if (is_guest() && msr_bit(MSR_SEV, SEV_ENABLED))
			return "sev";
		if (!is_guest() && msr_bit(MSR_SYSCFG, SYSCFG_SME_ENABLED))
			return "sme";
		break;
	}
	return is_guest() ? "unknown" : "none";
}

static ssize_t encryption_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", memory_encryption());
}

/* No register tells it on all machines, and on most the firmware chooses. */
static ssize_t scrambling_show(struct kobject *kobj,
			       struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", is_guest() ? "unknown" : "likely");
}

MEMSUITE_ATTR_COMMAND(self_test, dram_reach_update, 1, 1);
MEMSUITE_ATTR_NUMBER_RO(tested_read_cycles, READ_ONCE(reach.tested));
MEMSUITE_ATTR_NUMBER_RO(cached_read_cycles, READ_ONCE(reach.cached));
MEMSUITE_ATTR_NUMBER_RO(memory_read_cycles, READ_ONCE(reach.memory));
MEMSUITE_ATTR_NUMBER_RO(hypervisor, is_guest());

static struct kobj_attribute reads_reach_memory_attr =
	__ATTR_RO(reads_reach_memory);
static struct kobj_attribute ecc_attr = __ATTR_RO(ecc);
static struct kobj_attribute encryption_attr = __ATTR_RO(encryption);
static struct kobj_attribute scrambling_attr = __ATTR_RO(scrambling);

static struct attribute *effectiveness_attrs[] = {
	&self_test_attr.attr, &reads_reach_memory_attr.attr,
	&tested_read_cycles_attr.attr, &cached_read_cycles_attr.attr,
	&memory_read_cycles_attr.attr, &ecc_attr.attr, &encryption_attr.attr,
	&scrambling_attr.attr, &hypervisor_attr.attr, NULL
};

const struct attribute_group memdiag_effectiveness_group = {
	.name = "effectiveness",
	.attrs = effectiveness_attrs,
};

/* Without memory for it, the verdict is unknown. */
void memdiag_effectiveness_init(void)
{
	dram_reach_update(1);
}
