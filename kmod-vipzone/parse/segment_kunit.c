// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of what a page is for. */

#include <kunit/test.h>
#include <linux/mm.h>

#include "parse/segment.c"

/* A program as it is loaded: code, constants, data, bss, heap; far above, the rest. */
#define CODE	0x400000UL
#define CONST	0x402000UL
#define DATA	0x404800UL
#define BSS	0x406000UL
#define HEAP	0x500000UL
#define STACK	0x7ff000UL

static struct mm_struct *program_mm(struct kunit *test)
{
	struct mm_struct *mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);

	if (!mm)
		return NULL;
	mm->start_code = CODE;
	mm->end_code = CONST - 8;
	mm->start_data = DATA;
	mm->end_data = BSS - 8;
	mm->start_brk = HEAP;
	mm->brk = HEAP + 0x1800;
	mm->start_stack = STACK - 0x800;
	return mm;
}

static int segment_at(struct kunit *test, unsigned long start, unsigned long end,
		      unsigned long flags, bool file, unsigned long address)
{
	struct vm_area_struct *vma = kunit_kzalloc(test, sizeof(*vma),
						   GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vma);
	vma->vm_mm = program_mm(test);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, vma->vm_mm);
	vma->vm_start = start;
	vma->vm_end = end;
	*(unsigned long *)&vma->vm_flags = flags;
	vma->vm_file = file ? (void *)1 : NULL;
	return vipzone_segment_of(vma, address);
}

static void tells_the_program_s_file_apart(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, segment_at(test, CODE, CONST, 0, true, CODE),
			(int)VIPZONE_SEGMENT_TEXT);
	KUNIT_EXPECT_EQ(test, segment_at(test, CONST, 0x404000, 0, true, CONST + 8),
			(int)VIPZONE_SEGMENT_TEXT);
	/* The page that data begins in, and the last one. */
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x404000, BSS, 0, true, 0x404000),
			(int)VIPZONE_SEGMENT_DATA);
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x404000, BSS, 0, true, BSS - 1),
			(int)VIPZONE_SEGMENT_DATA);
	KUNIT_EXPECT_EQ(test, segment_at(test, CODE - 0x1000, CODE, 0, true,
					 CODE - 1), (int)VIPZONE_SEGMENT_FILE);
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x700000, 0x701000, 0, true, 0x700000),
			(int)VIPZONE_SEGMENT_FILE);
}

static void tells_anonymous_memory_apart(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, segment_at(test, BSS, BSS + 0x4000, 0, false, BSS),
			(int)VIPZONE_SEGMENT_BSS);
	KUNIT_EXPECT_EQ(test, segment_at(test, HEAP, HEAP + 0x2000, 0, false,
					 HEAP + 0x1fff), (int)VIPZONE_SEGMENT_BRK);
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x600000, 0x601000, 0, false, 0x600000),
			(int)VIPZONE_SEGMENT_MMAP);
	KUNIT_EXPECT_EQ(test, segment_at(test, STACK - 0x3000, STACK, 0, false,
					 STACK - 0x2000), (int)VIPZONE_SEGMENT_STACK);
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x600000, 0x601000, VM_GROWSDOWN, false,
					 0x600000), (int)VIPZONE_SEGMENT_STACK);
}

/* Where addresses are not randomised, the heap goes on where bss ends. */
static void parts_bss_and_heap_in_one_area(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, segment_at(test, BSS, HEAP + 0x2000, 0, false, BSS + 1),
			(int)VIPZONE_SEGMENT_BSS);
	KUNIT_EXPECT_EQ(test, segment_at(test, BSS, HEAP + 0x2000, 0, false, HEAP),
			(int)VIPZONE_SEGMENT_BRK);
}

/* Each area of hugetlbfs has a file. */
static void tells_hugetlbfs_apart(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x600000, 0x800000, VM_HUGETLB | VM_MAYSHARE, true,
					 0x600000), (int)VIPZONE_SEGMENT_SHARED);
	KUNIT_EXPECT_EQ(test, segment_at(test, 0x600000, 0x800000, VM_HUGETLB, true, 0x600000),
			(int)VIPZONE_SEGMENT_MMAP);
}

static struct kunit_case segment_cases[] = {
	KUNIT_CASE(tells_the_program_s_file_apart),
	KUNIT_CASE(tells_anonymous_memory_apart),
	KUNIT_CASE(parts_bss_and_heap_in_one_area),
	KUNIT_CASE(tells_hugetlbfs_apart),
	{}
};

static struct kunit_suite segment_suite = {
	.name = "vipzone_segment",
	.test_cases = segment_cases,
};

kunit_test_suite(segment_suite);
