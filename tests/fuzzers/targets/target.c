// SPDX-License-Identifier: GPL-2.0-only
/* What mrc is to track, and rates of accesses: kmod-mrc/target/target_parse.c. */
#include "kernel/parse.c"
#include "target/target_parse.c"

#include "input.h"

static void target_check(const struct mrc_target_spec *who)
{
	char text[MRC_TARGET_TEXT], again_text[MRC_TARGET_TEXT];
	struct mrc_target_spec again;

	mrc_target_format(who, text);
	memcpy(again_text, text, sizeof(text));
	/* A path may have blanks, and then has no text form in a line. */
	if (!strchr(who->cgroup, ' ') && !strchr(who->cgroup, '\t'))
		MUST(!mrc_target_parse_line(again_text, &again) && mrc_target_same(who, &again) &&
		     who->children == again.children);
	mrc_target_dirname(who, text);
	MUST(*text && !strchr(text, '/') && strlen(text) <= 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = input_line(data, size, size + 1), *rate_line = line ? strdup(line) : NULL;
	struct mrc_target_spec who;
	u64 rate;

	if (line && !mrc_target_parse_line(line, &who))
		target_check(&who);
	if (rate_line && !mrc_target_parse_rate(rate_line, &who, &rate)) {
		target_check(&who);
		MUST(rate <= RATE_LAST);
	}
	free(line);
	free(rate_line);
	return 0;
}
