/* SPDX-License-Identifier: GPL-2.0-only */
/* Room on a node whose memory is full of page cache. */
#ifndef MEMSUITE_NODE_RECLAIM_H
#define MEMSUITE_NODE_RECLAIM_H

/**
 * memsuite_node_reclaim_cache() - have the kernel reclaim on a node, up to the high watermark
 * @nid: the node
 *
 * Wakes the node's kswapd, if it sleeps and there is less free. Only while much of the node is page
 * cache that was not used lately: the kernel then takes nothing else. Where pages are asked for on
 * a node but may come from others, it would not reclaim before all of them are short.
 *
 * Context: any.
 */
void memsuite_node_reclaim_cache(int nid);

#endif
