/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enough of KUnit to run a suite of pure logic as a program: kunit_test_suite()
 * makes main(), which prints KTAP and exits with 1 if a case failed.
 */
#ifndef HOST_KUNIT_TEST_H
#define HOST_KUNIT_TEST_H

#include <setjmp.h>

#include <linux/kernel.h>

struct kunit_block {
	struct kunit_block *next;
	max_align_t data[];
};

struct kunit {
	void *priv;
	const char *name;
	bool failed;
	bool skipped;
	jmp_buf out;
	struct kunit_block *blocks;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char name[256];
	int (*suite_init)(struct kunit_suite *suite);
	void (*suite_exit)(struct kunit_suite *suite);
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(f)		{ .run_case = (f), .name = #f }
#define KUNIT_CASE_SLOW(f)	KUNIT_CASE(f)

static inline void *kunit_kzalloc(struct kunit *test, size_t size, gfp_t gfp)
{
	struct kunit_block *b = calloc(1, sizeof(*b) + size);

	(void)gfp;
	if (!b)
		abort();
	b->next = test->blocks;
	test->blocks = b;
	return b->data;
}

#define kunit_kmalloc(test, size, gfp)		kunit_kzalloc(test, size, gfp)
#define kunit_kcalloc(test, n, size, gfp)	kunit_kzalloc(test, (n) * (size), gfp)
#define kunit_kmalloc_array(test, n, size, gfp)	kunit_kzalloc(test, (n) * (size), gfp)

#define kunit_info(test, ...)	printf("    # " __VA_ARGS__)
#define kunit_err(test, ...)	kunit_info(test, __VA_ARGS__)

#define kunit_skip(test, ...) do {					\
	(test)->skipped = true;						\
	longjmp((test)->out, 1);					\
} while (0)

#define KUNIT_CHECK_(test, ok, fatal, text, ...) do {			\
	if (!(ok)) {							\
		(test)->failed = true;					\
		printf("    # %s: EXPECTATION FAILED at %s:%d\n    # ",	\
		       (test)->name, __FILE__, __LINE__);		\
		fputs(text, stdout);					\
		printf(" " __VA_ARGS__);				\
		putchar('\n');						\
		if (fatal)						\
			longjmp((test)->out, 1);			\
	}								\
} while (0)

#define KUNIT_COMPARE_(test, a, op, b, fatal, ...) do {			\
	typeof(a) left_ = (a);						\
	typeof(b) right_ = (b);						\
									\
	if (!(left_ op right_))						\
		printf("    # left %lld, right %lld\n",			\
		       (long long)left_, (long long)right_);		\
	KUNIT_CHECK_(test, left_ op right_, fatal, #a " " #op " " #b,	\
		     __VA_ARGS__);					\
} while (0)

#define KUNIT_POINTERS_(test, a, op, b, fatal, ...)			\
	KUNIT_CHECK_(test, (const void *)(a) op (const void *)(b), fatal, \
		     #a " " #op " " #b, __VA_ARGS__)

#define KUNIT_FAIL(test, ...)	KUNIT_CHECK_(test, false, false, "fail", __VA_ARGS__)
#define KUNIT_SUCCEED(test)	((void)(test))

#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_COMPARE_(test, a, ==, b, false, "")
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, ==, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_NE(test, a, b)	KUNIT_COMPARE_(test, a, !=, b, false, "")
#define KUNIT_EXPECT_NE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, !=, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_LT(test, a, b)	KUNIT_COMPARE_(test, a, <, b, false, "")
#define KUNIT_EXPECT_LT_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, <, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_COMPARE_(test, a, <=, b, false, "")
#define KUNIT_EXPECT_LE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, <=, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_GT(test, a, b)	KUNIT_COMPARE_(test, a, >, b, false, "")
#define KUNIT_EXPECT_GT_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, >, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_GE(test, a, b)	KUNIT_COMPARE_(test, a, >=, b, false, "")
#define KUNIT_EXPECT_GE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, >=, b, false, __VA_ARGS__)
#define KUNIT_ASSERT_EQ(test, a, b)	KUNIT_COMPARE_(test, a, ==, b, true, "")
#define KUNIT_ASSERT_EQ_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, ==, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_NE(test, a, b)	KUNIT_COMPARE_(test, a, !=, b, true, "")
#define KUNIT_ASSERT_NE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, !=, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_LT(test, a, b)	KUNIT_COMPARE_(test, a, <, b, true, "")
#define KUNIT_ASSERT_LT_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, <, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_LE(test, a, b)	KUNIT_COMPARE_(test, a, <=, b, true, "")
#define KUNIT_ASSERT_LE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, <=, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_GT(test, a, b)	KUNIT_COMPARE_(test, a, >, b, true, "")
#define KUNIT_ASSERT_GT_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, >, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_GE(test, a, b)	KUNIT_COMPARE_(test, a, >=, b, true, "")
#define KUNIT_ASSERT_GE_MSG(test, a, b, ...)	KUNIT_COMPARE_(test, a, >=, b, true, __VA_ARGS__)
#define KUNIT_EXPECT_PTR_EQ(test, a, b)	KUNIT_POINTERS_(test, a, ==, b, false, "")
#define KUNIT_EXPECT_PTR_NE(test, a, b)	KUNIT_POINTERS_(test, a, !=, b, false, "")
#define KUNIT_ASSERT_PTR_EQ(test, a, b)	KUNIT_POINTERS_(test, a, ==, b, true, "")
#define KUNIT_ASSERT_PTR_NE(test, a, b)	KUNIT_POINTERS_(test, a, !=, b, true, "")
#define KUNIT_EXPECT_TRUE(test, a)	KUNIT_CHECK_(test, (a), false, #a, "")
#define KUNIT_EXPECT_TRUE_MSG(test, a, ...)	KUNIT_CHECK_(test, (a), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(test, a)	KUNIT_CHECK_(test, !(a), false, "not " #a, "")
#define KUNIT_EXPECT_FALSE_MSG(test, a, ...)	KUNIT_CHECK_(test, !(a), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_NULL(test, p)	KUNIT_CHECK_(test, !(p), false, #p " is NULL", "")
#define KUNIT_EXPECT_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, !(p), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_NOT_NULL(test, p)	KUNIT_CHECK_(test, (p), false, #p " is not NULL", "")
#define KUNIT_EXPECT_NOT_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, (p), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_NOT_ERR_OR_NULL(test, p)	KUNIT_CHECK_(test, (p) && !IS_ERR(p), false, #p " is a pointer", "")
#define KUNIT_EXPECT_NOT_ERR_OR_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, (p) && !IS_ERR(p), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_STREQ(test, a, b)	KUNIT_CHECK_(test, !strcmp(a, b), false, #a " is " #b, "")
#define KUNIT_EXPECT_STREQ_MSG(test, a, b, ...)	KUNIT_CHECK_(test, !strcmp(a, b), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_STRNEQ(test, a, b)	KUNIT_CHECK_(test, strcmp(a, b), false, #a " is not " #b, "")
#define KUNIT_EXPECT_STRNEQ_MSG(test, a, b, ...)	KUNIT_CHECK_(test, strcmp(a, b), false, "", __VA_ARGS__)
#define KUNIT_EXPECT_MEMEQ(test, a, b, n)	KUNIT_CHECK_(test, !memcmp(a, b, n), false, #a " is " #b, "")
#define KUNIT_EXPECT_MEMEQ_MSG(test, a, b, n, ...)	KUNIT_CHECK_(test, !memcmp(a, b, n), false, "", __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(test, a)	KUNIT_CHECK_(test, (a), true, #a, "")
#define KUNIT_ASSERT_TRUE_MSG(test, a, ...)	KUNIT_CHECK_(test, (a), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_FALSE(test, a)	KUNIT_CHECK_(test, !(a), true, "not " #a, "")
#define KUNIT_ASSERT_FALSE_MSG(test, a, ...)	KUNIT_CHECK_(test, !(a), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_NULL(test, p)	KUNIT_CHECK_(test, !(p), true, #p " is NULL", "")
#define KUNIT_ASSERT_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, !(p), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_NOT_NULL(test, p)	KUNIT_CHECK_(test, (p), true, #p " is not NULL", "")
#define KUNIT_ASSERT_NOT_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, (p), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p)	KUNIT_CHECK_(test, (p) && !IS_ERR(p), true, #p " is a pointer", "")
#define KUNIT_ASSERT_NOT_ERR_OR_NULL_MSG(test, p, ...)	KUNIT_CHECK_(test, (p) && !IS_ERR(p), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_STREQ(test, a, b)	KUNIT_CHECK_(test, !strcmp(a, b), true, #a " is " #b, "")
#define KUNIT_ASSERT_STREQ_MSG(test, a, b, ...)	KUNIT_CHECK_(test, !strcmp(a, b), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_STRNEQ(test, a, b)	KUNIT_CHECK_(test, strcmp(a, b), true, #a " is not " #b, "")
#define KUNIT_ASSERT_STRNEQ_MSG(test, a, b, ...)	KUNIT_CHECK_(test, strcmp(a, b), true, "", __VA_ARGS__)
#define KUNIT_ASSERT_MEMEQ(test, a, b, n)	KUNIT_CHECK_(test, !memcmp(a, b, n), true, #a " is " #b, "")
#define KUNIT_ASSERT_MEMEQ_MSG(test, a, b, n, ...)	KUNIT_CHECK_(test, !memcmp(a, b, n), true, "", __VA_ARGS__)

static inline bool kunit_run_case(struct kunit_suite *suite, struct kunit_case *c,
				  unsigned int n)
{
	struct kunit test = { .name = c->name };

	if (!setjmp(test.out)) {
		if (suite->init && suite->init(&test))
			test.failed = true;
		else
			c->run_case(&test);
	}
	if (suite->exit)
		suite->exit(&test);
	while (test.blocks) {
		struct kunit_block *b = test.blocks;

		test.blocks = b->next;
		free(b);
	}
	printf("    %sok %u %s%s\n", test.failed ? "not " : "", n, c->name,
	       test.skipped ? " # SKIP" : "");
	fflush(stdout);
	return !test.failed;
}

static inline int kunit_run_suites(struct kunit_suite **suites, unsigned int count)
{
	bool passed = true;
	unsigned int i;

	printf("KTAP version 1\n1..%u\n", count);
	for (i = 0; i < count; i++) {
		struct kunit_suite *s = suites[i];
		struct kunit_case *c;
		unsigned int n = 0;
		bool ok = true;

		for (c = s->test_cases; c->run_case; c++)
			n++;
		printf("    KTAP version 1\n    # Subtest: %s\n    1..%u\n",
		       s->name, n);
		if (s->suite_init && s->suite_init(s))
			ok = false;
		for (c = s->test_cases, n = 1; ok && c->run_case; c++, n++)
			if (!kunit_run_case(s, c, n))
				passed = false;
		if (s->suite_exit)
			s->suite_exit(s);
		passed = passed && ok;
		printf("%sok %u %s\n", passed ? "" : "not ", i + 1, s->name);
	}
	return !passed;
}

#define kunit_test_suites(...)						\
int main(void)								\
{									\
	struct kunit_suite *suites[] = { __VA_ARGS__ };			\
									\
	return kunit_run_suites(suites, ARRAY_SIZE(suites));		\
}
#define kunit_test_suite(suite)	kunit_test_suites(&(suite))

#endif
