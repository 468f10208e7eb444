// SPDX-License-Identifier: GPL-2.0-only
/* What a hooked function calls directly; hook_direct.h. */

#include <linux/linkage.h>
#include <linux/mm_types.h>
#include <linux/sched.h>

#include <compat/direct.h>

#include "hook/hook_clear.h"
#include "hook/hook_direct.h"

/* To ask(), below, with a struct memsuite_hook_call on the stack; to the caller with its answer. */
#define ASK(ask)							\
	"	pushq $0\n"		/* .finish */			\
	"	pushq %%rax\n"		/* .answer */			\
	"	pushq %%r9\n"		/* .args, from the last */	\
	"	pushq %%r8\n"						\
	"	pushq %%rcx\n"						\
	"	pushq %%rdx\n"						\
	"	pushq %%rsi\n"						\
	"	pushq %%rdi\n"						\
	"	movq %%rsp, %%rdi\n"					\
	"	call " ask "\n"						\
	"	testb %%al, %%al\n"					\
	"	jnz 3f\n"						\
	"	popq %%rdi\n"						\
	"	popq %%rsi\n"						\
	"	popq %%rdx\n"						\
	"	popq %%rcx\n"						\
	"	popq %%r8\n"						\
	"	popq %%r9\n"						\
	"	popq %%rax\n"						\
	"	popq %%r11\n"						\
	"	" ASM_RET						\
	/* Not into the function: to its caller. */			\
	"3:	movq %c[answer](%%rsp), %%rax\n"			\
	"	addq %[size], %%rsp\n"					\
	"	movq $direct_return, (%%rsp)\n"				\
	"	" ASM_RET

/* Is the address space in %rax watched, or not known yet, as in exec? Then on to 2; else to 1. */
#define IS_WATCHED							\
	"	testq %%rax, %%rax\n"					\
	"	je 1f\n"						\
	"	cmpq $0, %c[start_code](%%rax)\n"			\
	"	je 2f\n"						\
	"	shrl %[shift], %%eax\n"					\
	"	andl %[mask], %%eax\n"					\
	"	cmpb $0, memsuite_hook_watched(%%rax)\n"		\
	"	jne 2f\n"						\
	"1:	" ASM_RET

/* The same of the task's own address space. */
#define IS_CURRENT_WATCHED						\
	"	movq %%gs:%P[task], %%rax\n"				\
	"	movq %c[mm](%%rax), %%rax\n"				\
	IS_WATCHED

/* Then on to 2: whose page it is, C tells. */
#define IS_ANY_FILE_WATCHED(point)					\
	"	cmpb $0, memsuite_hook_watched_files + %c[" point "](%%rip)\n" \
	"	jne 2f\n"

#ifdef CONFIG_X86_KERNEL_IBT
#define ENTRY_MARK	"	endbr64\n"	/* its address is taken */
#else
#define ENTRY_MARK
#endif

#define ENTRY(name)							\
	"	.p2align 4\n"						\
	"	.type " #name ", @function\n"				\
	#name ":\n"							\
	ENTRY_MARK
#define END(name)							\
	"	.size " #name ", . - " #name "\n"

/* Not called: functions of their own, whose operands the compiler knows. */
static void __used direct_calls(void)
{
	asm volatile("	.pushsection .text.direct, \"ax\"\n"

	/* The area of the fault has the address space. */
	ENTRY(direct_fault_alloc)
	"	testq %%rdx, %%rdx\n"
	"	je 1f\n"
	"	movq %c[vm_mm](%%rdx), %%rax\n"
	IS_WATCHED
	"2:\n"
	ASK("memsuite_hook_ask_fault_alloc")
	END(direct_fault_alloc)

	/*
	 * The page cache's pages are for who reads, writes or maps the file; but of files that
	 * are watched themselves, whoever does;
	 */
	ENTRY(direct_cache_alloc)
	IS_ANY_FILE_WATCHED("cache")
	IS_CURRENT_WATCHED
	"2:\n"
	ASK("memsuite_hook_ask_cache_alloc")
	END(direct_cache_alloc)

	/* and so are those of shared memory. */
	ENTRY(direct_shmem_alloc)
	IS_ANY_FILE_WATCHED("shmem")
	IS_CURRENT_WATCHED
	"2:\n"
	ASK("memsuite_hook_ask_shmem_alloc")
	END(direct_shmem_alloc)

	ENTRY(direct_alloc_entry)
	"	cmpw $0, %%gs:%P[entry]\n"
	"	jne 2f\n"
	"	" ASM_RET
	"2:\n"
	ASK("memsuite_hook_ask_alloc_entry")
	END(direct_alloc_entry)

	/* Only what has the mark is a pool's. */
	ENTRY(direct_fault_clear)
	"	cmpq $memsuite_hook_clear_mark, %c[private](%%rdi)\n"
	"	je 2f\n"
	"	" ASM_RET
	"2:\n"
	ASK("memsuite_hook_ask_fault_clear")
	END(direct_fault_clear)

	/*
	 * The answer is in %rax already. Behind another: who unwinds a stack looks one
	 * byte before where a function returns to.
	 */
	ENTRY(direct_return)
	"	" ASM_RET
	END(direct_return)

	"	.popsection\n"
	: :
	[task] "i" (&memsuite_current_task),
	[entry] "i" (&memsuite_hook_entry_watch),
	[answer] "i" (offsetof(struct memsuite_hook_call, answer)),
	[size] "i" (sizeof(struct memsuite_hook_call)),
	[cache] "i" (MEMSUITE_HOOK_POINT_CACHE_ALLOC),
	[shmem] "i" (MEMSUITE_HOOK_POINT_SHMEM_ALLOC),
	[private] "i" (offsetof(struct page, private)),
	[mm] "i" (offsetof(struct task_struct, mm)),
	[vm_mm] "i" (offsetof(struct vm_area_struct, vm_mm)),
	[start_code] "i" (offsetof(struct mm_struct, start_code)),
	[shift] "i" (MEMSUITE_HOOK_WATCH_SHIFT),
	[mask] "i" (MEMSUITE_HOOK_WATCH_SIZE - 1));
}

/* direct_fault_alloc() and what it asks look at no table. */
static bool takes_first_four(const struct memsuite_hook_state *point)
{
	int i;

	for (i = 0; i < MEMSUITE_HOOK_POINT_ARGS; i++)
		if (!point->has_arg[i] || point->arg[i] != i)
			return false;
	return true;
}

unsigned long memsuite_hook_direct_to(enum memsuite_hook_point_id id)
{
	switch (id) {
	case MEMSUITE_HOOK_POINT_FAULT_ALLOC:
		return takes_first_four(&memsuite_hook_states[id]) ?
			(unsigned long)direct_fault_alloc : 0;
	case MEMSUITE_HOOK_POINT_CACHE_ALLOC:
		return (unsigned long)direct_cache_alloc;
	case MEMSUITE_HOOK_POINT_SHMEM_ALLOC:
		return (unsigned long)direct_shmem_alloc;
	case MEMSUITE_HOOK_POINT_ALLOC_ENTRY:
		return (unsigned long)direct_alloc_entry;
	case MEMSUITE_HOOK_POINT_FAULT_CLEAR:
		return memsuite_hook_states[id].arg[0] ? 0 : (unsigned long)direct_fault_clear;
	default:
		return 0;
	}
}
