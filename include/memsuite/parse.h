/* SPDX-License-Identifier: GPL-2.0-only */
/* The words of a line, as administrators write them. Also built in user space. */
#ifndef MEMSUITE_WORD_H
#define MEMSUITE_WORD_H

#include <linux/string.h>

/**
 * memsuite_next_word() - cut the next word off a line
 * @line: what is left of the line, is overwritten; NULL after the last word
 *
 * Words lie between blanks and tabs, any number of them. May be called in any
 * context.
 *
 * Return: the word, or NULL at the end of the line.
 */
static inline char *memsuite_next_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " \t");
	} while (word && !*word);
	return word;
}

#endif
