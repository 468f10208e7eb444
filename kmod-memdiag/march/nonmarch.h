/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests that are no march tests, and how often they access a word, of a block of 4 MiB. */
#ifndef MEMDIAG_MARCH_NONMARCH_H
#define MEMDIAG_MARCH_NONMARCH_H

#define MEMDIAG_DECODER_OPS	(4 * 16)	/* an element's, for each bit */
#define MEMDIAG_MODULO_OPS	(20 * 2 * 2)	/* two, for each offset and value */

struct memdiag_test_run;

/* Both may sleep. */
void memdiag_decoder_run(struct memdiag_test_run *run);
void memdiag_modulo_run(struct memdiag_test_run *run);

#endif
