// SPDX-License-Identifier: GPL-2.0-only
/* Diagnostic control policies; control_policy.h. Pure: also built in user space. */

#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sched/control_policy.h"

struct memdiag_burst memdiag_burst = { .factor_pct = 400, .pages = 1024 };

static bool config_keeps_up(const struct memdiag_load *load, unsigned int fidelity,
			    unsigned int threads)
{
	u64 work = load->request * fidelity;

	return work <= load->bandwidth * threads && work <= load->budget;
}

static struct memdiag_config
choose_fixed(const struct memdiag_limits *limits,
	     const struct memdiag_load *load)
{
	return limits->fixed;
}

/* Figure 30, "core preserving": few threads first, then high fidelity. */
static struct memdiag_config
choose_adaptive(const struct memdiag_limits *limits,
		const struct memdiag_load *load)
{
	struct memdiag_config config;

	for (config.threads = 1; config.threads <= limits->max_threads;
	     config.threads++)
		for (config.fidelity = limits->max_fidelity;
		     config.fidelity >= limits->min_fidelity; config.fidelity--)
			if (config_keeps_up(load, config.fidelity, config.threads))
				return config;
	return memdiag_policy_emergency(limits);
}

/* "Fidelity preserving" (section 6.2): high fidelity first, then few threads. */
static struct memdiag_config
choose_adaptive_fidelity(const struct memdiag_limits *limits,
			 const struct memdiag_load *load)
{
	struct memdiag_config config;

	for (config.fidelity = limits->max_fidelity;
	     config.fidelity >= limits->min_fidelity; config.fidelity--)
		for (config.threads = 1; config.threads <= limits->max_threads;
		     config.threads++)
			if (config_keeps_up(load, config.fidelity, config.threads))
				return config;
	return memdiag_policy_emergency(limits);
}

/* One thread that tests at the rate of the state machines below. */
static struct memdiag_config
choose_comet(const struct memdiag_limits *limits,
	     const struct memdiag_load *load)
{
	return (struct memdiag_config) {
		.fidelity = limits->min_fidelity, .threads = 1,
	};
}

/* The naive baseline (COMeT, section 3.2): every page when it is allocated. */
static struct memdiag_config
choose_ondemand(const struct memdiag_limits *limits,
		const struct memdiag_load *load)
{
	return (struct memdiag_config) { .fidelity = limits->min_fidelity };
}

/* A daemon that died is no reason to let tests expire. */
static struct memdiag_config
choose_user(const struct memdiag_limits *limits,
	    const struct memdiag_load *load)
{
	return limits->user_alive ? limits->user :
				    choose_adaptive(limits, load);
}

struct memdiag_policy memdiag_policies[] = {
	{ "adaptive", choose_adaptive, .alarm = true },
	{ "adaptive-fidelity", choose_adaptive_fidelity, .alarm = true },
	{ "comet", choose_comet, .replenish = true },
	{ "fixed", choose_fixed },
	{ "ondemand", choose_ondemand, .on_demand = true },
	{ "user", choose_user },
};

const unsigned int memdiag_nr_policies = ARRAY_SIZE(memdiag_policies);

/* Several times the last reading, and no trifle. */
static bool alarm_on_burst(const struct memdiag_demand *demand)
{
	return demand->allocated >= READ_ONCE(memdiag_burst.pages) &&
	       demand->allocated * 100 >=
	       demand->previous * READ_ONCE(memdiag_burst.factor_pct);
}

struct memdiag_alarm memdiag_alarms[] = {
	{ "burst", alarm_on_burst },
};

const unsigned int memdiag_nr_alarms = ARRAY_SIZE(memdiag_alarms);

struct memdiag_config memdiag_policy_bound(struct memdiag_config config)
{
	config.fidelity = clamp(config.fidelity, 1U, MEMDIAG_FIDELITY_MAX);
	return config;
}

struct memdiag_config memdiag_policy_emergency(const struct memdiag_limits *limits)
{
	return (struct memdiag_config) {
		.fidelity = limits->emergency.fidelity ?: limits->min_fidelity,
		.threads = min(limits->emergency.threads ?: limits->max_threads,
			       limits->max_threads),
	};
}
