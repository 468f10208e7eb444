/* SPDX-License-Identifier: GPL-2.0-only */
/* What a page is for: the segments of a process (hybrid PRAM, section 3.2). */
#ifndef VIPZONE_SEGMENT_H
#define VIPZONE_SEGMENT_H

struct mm_struct;
struct vm_area_struct;

/**
 * enum segment - what a page is for
 * @SEGMENT_TEXT: the program's code and constants
 * @SEGMENT_DATA: its initialised data
 * @SEGMENT_BSS: its other data
 * @SEGMENT_HEAP: between start_brk and brk
 * @SEGMENT_STACK: of its first thread, and what else grows down
 * @SEGMENT_MMAP: anonymous memory, other threads' stacks among it
 * @SEGMENT_FILE: other files' mappings: libraries and their data
 * @SEGMENT_CACHE: page cache of files that it reads and writes by system calls
 */
enum segment {
	SEGMENT_TEXT,
	SEGMENT_DATA,
	SEGMENT_BSS,
	SEGMENT_HEAP,
	SEGMENT_STACK,
	SEGMENT_MMAP,
	SEGMENT_FILE,
	SEGMENT_CACHE,
	NR_SEGMENTS,
};

/**
 * segment_of() - which segment an address belongs to
 * @vma: the area that it lies in; its vm_mm is set
 * @address: the address
 *
 * The kernel knows a program's code and data by the addresses that its file was
 * loaded to: what is mapped before its code, some headers, counts as a file.
 *
 * Context: any; the bounds that brk() moves are read without a lock.
 */
enum segment segment_of(const struct vm_area_struct *vma,
			unsigned long address);

/* The same of an address at which a file is mapped. */
enum segment segment_of_file(const struct mm_struct *mm, unsigned long address);

#endif
