// SPDX-License-Identifier: GPL-2.0-only
/* Accounts of regions, /sys/kernel/memsuite/vipzone/ledger. */

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "energy/region_energy.h"

static struct kobject *dir;
static LIST_HEAD(accounts);
static DEFINE_MUTEX(accounts_lock);

static struct account *to_account(struct kobject *kobj)
{
	return container_of(kobj, struct account, kobj);
}

static u64 now_ms(void)
{
	return ktime_to_ms(ktime_get_boottime());
}

/* Under the account's lock. A milliwatt for a millisecond is a microjoule. */
static void count_idle(struct account *account)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(account->region);
	u64 now = now_ms();

	account->idle_uj += (now - account->since_ms) *
			    READ_ONCE(spec->idle_power_mw);
	account->since_ms = now;
}

#define account_attr(name, value)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	struct account *account = to_account(kobj);			\
	u64 number;							\
									\
	spin_lock(&account->lock);					\
	count_idle(account);						\
	number = value;							\
	spin_unlock(&account->lock);					\
	return sysfs_emit(buf, "%llu\n", number);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

account_attr(idle_energy_uj, account->idle_uj);
account_attr(access_energy_nj, account->accesses.energy_nj);
account_attr(access_latency_ns, account->accesses.latency_ns);
account_attr(access_error_nj, account->accesses.error_nj);
account_attr(sampled_reads, account->accesses.touched[LEDGER_READ]);
account_attr(sampled_writes, account->accesses.touched[LEDGER_WRITE]);
account_attr(counted_reads, account->accesses.counted[LEDGER_READ]);
account_attr(counted_writes, account->accesses.counted[LEDGER_WRITE]);
account_attr(written_kib, account->written_kib);
account_attr(over_budget, account->wear.over);

static struct attribute *account_attrs[] = {
	&idle_energy_uj_attr.attr, &access_energy_nj_attr.attr,
	&access_error_nj_attr.attr, &access_latency_ns_attr.attr,
	&sampled_reads_attr.attr, &sampled_writes_attr.attr,
	&counted_reads_attr.attr, &counted_writes_attr.attr,
	&written_kib_attr.attr, &over_budget_attr.attr, NULL
};
ATTRIBUTE_GROUPS(account);

static void account_release(struct kobject *kobj)
{
	kfree(to_account(kobj));
}

static struct kobj_type account_type = {
	.sysfs_ops = &kobj_sysfs_ops,
	.release = account_release,
	.default_groups = account_groups,
};

static struct account *account_create(struct memsuite_region *region)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);
	struct account *account = kzalloc(sizeof(*account), GFP_KERNEL);
	int err;

	if (!account)
		return ERR_PTR(-ENOMEM);
	account->region = region;
	account->since_ms = now_ms();
	spin_lock_init(&account->lock);
	kobject_init(&account->kobj, &account_type);
	err = kobject_add(&account->kobj, dir, "%s", spec->name);
	if (err) {
		kobject_put(&account->kobj);
		return ERR_PTR(err);
	}
	memsuite_region_hold(region);
	list_add(&account->link, &accounts);
	return account;
}

static void account_del(struct account *account)
{
	list_del(&account->link);
	kobject_del(&account->kobj);
	memsuite_region_let_go(account->region);
	kobject_put(&account->kobj);
}

/* Under accounts_lock. Their names may be other regions' by now. */
static void forget_gone(void)
{
	struct account *account, *next;

	list_for_each_entry_safe(account, next, &accounts, link)
		if (memsuite_region_is_gone(account->region))
			account_del(account);
}

static struct account *find(const struct memsuite_region *region)
{
	struct account *account;

	list_for_each_entry(account, &accounts, link)
		if (account->region == region)
			return account;
	return NULL;
}

struct account *account_of(struct memsuite_region *region)
{
	struct account *account;

	mutex_lock(&accounts_lock);
	forget_gone();
	account = find(region) ?: account_create(region);
	mutex_unlock(&accounts_lock);
	return account;
}

void account_touches(struct account *account, const u64 *touched, bool counted)
{
	spin_lock(&account->lock);
	ledger_touch(&account->accesses, memsuite_region_spec(account->region),
		     touched, counted);
	spin_unlock(&account->lock);
}

void account_counted(struct account *account, const struct ledger_place *place)
{
	spin_lock(&account->lock);
	ledger_count(&account->accesses, memsuite_region_spec(account->region),
		     place);
	spin_unlock(&account->lock);
}

void account_wear(struct account *account, u64 pages)
{
	u64 kib = pages << (PAGE_SHIFT - 10);

	spin_lock(&account->lock);
	account->written_kib += kib;
	account->unspent_kib += kib;
	spin_unlock(&account->lock);
}

static void settle(struct account *account)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(account->region);

	spin_lock(&account->lock);
	count_idle(account);
	wear_spend(&account->wear, READ_ONCE(spec->wear_budget_kib_per_day),
		   account->since_ms, account->unspent_kib);
	account->unspent_kib = 0;
	spin_unlock(&account->lock);
}

void accounts_settle(void)
{
	struct account *account;

	mutex_lock(&accounts_lock);
	forget_gone();
	list_for_each_entry(account, &accounts, link)
		settle(account);
	mutex_unlock(&accounts_lock);
}

/* What was written is not forgotten: another audit goes on from there. */
void accounts_spare_none(void)
{
	struct account *account;

	mutex_lock(&accounts_lock);
	list_for_each_entry(account, &accounts, link) {
		spin_lock(&account->lock);
		account->wear.over = false;
		spin_unlock(&account->lock);
	}
	mutex_unlock(&accounts_lock);
}

int accounts_init(struct kobject *parent)
{
	dir = kobject_create_and_add("ledger", parent);
	return dir ? 0 : -ENOMEM;
}

/* All policies are gone by now. */
void accounts_exit(void)
{
	struct account *account, *next;

	list_for_each_entry_safe(account, next, &accounts, link)
		account_del(account);
	kobject_put(dir);
}
