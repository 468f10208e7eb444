/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual machine of one processor, which reads a byte of each of some pages
 * and stops: the program's own page tables do not see it.
 */
#ifndef VCPU_H
#define VCPU_H

#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define VCPU_MEMORY	0x10000		/* where its memory begins */
#define BYTES(word)	(word) & 0xff, (word) >> 8 & 0xff, (word) >> 16 & 0xff, (word) >> 24

static struct kvm_run *vcpu_run;
static int vcpu_fd;

static void vcpu_has(int vm, uint32_t slot, uint64_t at, void *memory, size_t size)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = at,
		.memory_size = size,
		.userspace_addr = (uintptr_t)memory,
	};

	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		err(5, "KVM_SET_USER_MEMORY_REGION");
}

static void vcpu_open(void *memory, size_t pages)
{
	uint32_t end = VCPU_MEMORY + pages * 4096;
	const uint8_t code[] = {
		0xb8, BYTES(VCPU_MEMORY),	/* mov $memory, %eax */
		0x8a, 0x18,			/* 1: mov (%eax), %bl */
		0x05, BYTES(4096),		/* add $4096, %eax */
		0x3d, BYTES(end),		/* cmp $end, %eax */
		0x75, 0xf2,			/* jne 1b */
		0xe6, 0x10,			/* out %al, $0x10 */
		0xeb, 0xe9,			/* jmp to the first */
	};
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	void *text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_regs regs = { .rflags = 2 };
	struct kvm_sregs sregs;

	if (kvm < 0 || vm < 0 || text == MAP_FAILED)
		err(5, "no virtual machine");
	memcpy(text, code, sizeof(code));
	vcpu_has(vm, 0, 0, text, 4096);
	vcpu_has(vm, 1, VCPU_MEMORY, memory, pages * 4096);
	vcpu_fd = ioctl(vm, KVM_CREATE_VCPU, 0);
	vcpu_run = mmap(NULL, ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0), PROT_READ | PROT_WRITE, MAP_SHARED, vcpu_fd, 0);
	if (vcpu_fd < 0 || vcpu_run == MAP_FAILED || ioctl(vcpu_fd, KVM_GET_SREGS, &sregs))
		err(5, "no virtual processor");
	/* Protected mode, with all memory in each segment. */
	sregs.cr0 |= 1;
	sregs.cs = (struct kvm_segment){ .limit = ~0U, .selector = 8, .type = 11, .present = 1, .db = 1, .s = 1, .g = 1 };
	sregs.ds = sregs.es = sregs.ss =
		(struct kvm_segment){ .limit = ~0U, .selector = 16, .type = 3, .present = 1, .db = 1, .s = 1, .g = 1 };
	if (ioctl(vcpu_fd, KVM_SET_SREGS, &sregs) || ioctl(vcpu_fd, KVM_SET_REGS, &regs))
		err(5, "its registers");
}

/* Has it read each page once. */
static void vcpu_round(void)
{
	if (ioctl(vcpu_fd, KVM_RUN, 0) || vcpu_run->exit_reason != KVM_EXIT_IO)
		errx(5, "the virtual machine ended, %u", vcpu_run->exit_reason);
}

#endif
