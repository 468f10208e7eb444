// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry FUNCTION - have the kernel call a BPF program at the entry of a function, as bpftrace does with fentry, until
 * standard input ends. Prints "attached", or why not. Exit status: 0; 1: refused; 2: no such function.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BTF_SIZE_MAX	(64 << 20)

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Bytes that follow a type of that kind. */
static size_t type_tail(const struct btf_type *type)
{
	size_t nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17:	/* a declaration's tag */
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return 8 * nr;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19:	/* an enum of 64 bits */
		return 12 * nr;
	default:
		return 0;
	}
}

static int function_id(const char *btf, const char *name)
{
	const struct btf_header *header = (const void *)btf;
	const char *types = btf + header->hdr_len + header->type_off, *end = types + header->type_len;
	const char *strings = btf + header->hdr_len + header->str_off;
	const struct btf_type *type;
	int id = 1;

	for (; types < end; types += sizeof(*type) + type_tail(type), id++) {
		type = (const void *)types;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && !strcmp(strings + type->name_off, name))
			return id;
	}
	return 0;
}

static char *btf_read(void)
{
	char *btf = malloc(BTF_SIZE_MAX);
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	ssize_t size = 0, got;

	while (btf && fd >= 0 && (got = read(fd, btf + size, BTF_SIZE_MAX - size)) > 0)
		size += got;
	return size ? btf : NULL;
}

static int attach(int id)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.insns = (uintptr_t)program,
		.insn_cnt = 2,
		.license = (uintptr_t)"GPL",
		.expected_attach_type = BPF_TRACE_FENTRY,
		.attach_btf_id = id,
	}, open = { .raw_tracepoint.prog_fd = bpf(BPF_PROG_LOAD, &load) };

	return (int)open.raw_tracepoint.prog_fd < 0 ? -1 : bpf(BPF_RAW_TRACEPOINT_OPEN, &open);
}

int main(int argc, char **argv)
{
	char *btf = btf_read();
	int id = argc == 2 && btf ? function_id(btf, argv[1]) : 0;

	if (!id) {
		fprintf(stderr, "fentry: no such function\n");
		return 2;
	}
	if (attach(id) < 0) {
		printf("%s\n", strerror(errno));
		return 1;
	}
	printf("attached\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
