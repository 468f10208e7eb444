/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests that are no march tests, and how often they access a word, of a block of 4 MiB. */
#ifndef MEMDIAG_MARCH_NONMARCH_H
#define MEMDIAG_MARCH_NONMARCH_H

#define DECODER_OPS	(4 * 16)	/* an element's, for each bit */
#define MODULO_OPS	(20 * 2 * 2)	/* two, for each offset and value */

struct run;

/* Both may sleep. */
void run_decoder(struct run *run);
void run_modulo(struct run *run);

#endif
