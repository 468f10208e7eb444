/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MEMSUITE_HOOK_SOFT_OFFLINE_H
#define MEMSUITE_HOOK_SOFT_OFFLINE_H

/**
 * memsuite_soft_offline_get() - from here on, a page that is to go offline is given back first
 * @give_back: gives a frame back to the kernel, if somebody here holds it; may sleep
 *
 * For as long as anybody is in it, soft_offline_page() is preceded by @give_back. Every call needs
 * a memsuite_soft_offline_put(). If it cannot be hooked, the kernel's log tells, and
 * pages that are held do not go offline. Context: may sleep.
 */
void memsuite_soft_offline_get(void (*give_back)(unsigned long pfn));

/* Waits for calls under way. May sleep. */
void memsuite_soft_offline_put(void);

#endif
