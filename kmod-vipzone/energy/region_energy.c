// SPDX-License-Identifier: GPL-2.0-only
/* The energy of regions, /sys/kernel/memsuite/vipzone/ledger; region_energy.h. */

#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <memsuite/control.h>

#include "energy/region_energy.h"

static struct kobject *dir;
static LIST_HEAD(energies);
static DEFINE_MUTEX(energies_lock);

static struct vipzone_region_energy *to_energy(struct kobject *kobj)
{
	return container_of(kobj, struct vipzone_region_energy, kobj);
}

static u64 now_ms(void)
{
	return ktime_to_ms(ktime_get_boottime());
}

/* Under @energy->lock. A milliwatt for a millisecond is a microjoule. */
static void count_idle(struct vipzone_region_energy *energy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(energy->region);
	u64 now = now_ms();

	energy->idle_uj += (now - energy->since_ms) *
			    READ_ONCE(spec->idle_power_mw);
	energy->since_ms = now;
}

#define energy_attr(name, value)					\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	struct vipzone_region_energy *energy = to_energy(kobj);		\
	u64 number;							\
									\
	spin_lock(&energy->lock);					\
	count_idle(energy);						\
	number = value;							\
	spin_unlock(&energy->lock);					\
	return sysfs_emit(buf, "%llu\n", number);			\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

energy_attr(idle_energy_uj, energy->idle_uj);
energy_attr(access_energy_nj, energy->accesses.energy_nj);
energy_attr(access_latency_ns, energy->accesses.latency_ns);
energy_attr(access_error_nj, energy->accesses.error_nj);
energy_attr(sampled_reads, energy->accesses.touched[VIPZONE_ACCESS_READ]);
energy_attr(sampled_writes, energy->accesses.touched[VIPZONE_ACCESS_WRITE]);
energy_attr(counted_reads, energy->accesses.counted[VIPZONE_ACCESS_READ]);
energy_attr(counted_writes, energy->accesses.counted[VIPZONE_ACCESS_WRITE]);
energy_attr(written_kib, energy->written_kib);
energy_attr(over_budget, energy->wear.over);

static struct attribute *energy_attrs[] = {
	&idle_energy_uj_attr.attr, &access_energy_nj_attr.attr,
	&access_error_nj_attr.attr, &access_latency_ns_attr.attr,
	&sampled_reads_attr.attr, &sampled_writes_attr.attr,
	&counted_reads_attr.attr, &counted_writes_attr.attr,
	&written_kib_attr.attr, &over_budget_attr.attr, NULL
};

static const struct attribute_group energy_group = {
	.attrs = energy_attrs,
	.is_visible = memsuite_attr_admin,
};

static const struct attribute_group *energy_groups[] = { &energy_group, NULL };

static void energy_release(struct kobject *kobj)
{
	kfree(to_energy(kobj));
}

static struct kobj_type energy_type = {
	.sysfs_ops = &memsuite_sysfs_ops,
	.release = energy_release,
	.default_groups = energy_groups,
};

static struct vipzone_region_energy *energy_create(struct memsuite_region *region)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(region);
	struct vipzone_region_energy *energy = kzalloc(sizeof(*energy), GFP_KERNEL);
	int err;

	if (!energy)
		return ERR_PTR(-ENOMEM);
	energy->region = region;
	energy->since_ms = now_ms();
	spin_lock_init(&energy->lock);
	kobject_init(&energy->kobj, &energy_type);
	err = kobject_add(&energy->kobj, dir, "%s", spec->name);
	if (err) {
		kobject_put(&energy->kobj);
		return ERR_PTR(err);
	}
	memsuite_region_hold(region);
	list_add(&energy->link, &energies);
	return energy;
}

static void energy_del(struct vipzone_region_energy *energy)
{
	list_del(&energy->link);
	kobject_del(&energy->kobj);
	memsuite_region_let_go(energy->region);
	kobject_put(&energy->kobj);
}

/* Under energies_lock. Other regions may have their names by now. */
static void forget_gone(void)
{
	struct vipzone_region_energy *energy, *next;

	list_for_each_entry_safe(energy, next, &energies, link)
		if (memsuite_region_is_gone(energy->region))
			energy_del(energy);
}

static struct vipzone_region_energy *energy_find(const struct memsuite_region *region)
{
	struct vipzone_region_energy *energy;

	list_for_each_entry(energy, &energies, link)
		if (energy->region == region)
			return energy;
	return NULL;
}

struct vipzone_region_energy *vipzone_region_energy_of(struct memsuite_region *region)
{
	struct vipzone_region_energy *energy;

	mutex_lock(&energies_lock);
	forget_gone();
	energy = energy_find(region) ?: energy_create(region);
	mutex_unlock(&energies_lock);
	return energy;
}

void vipzone_region_energy_touch(struct vipzone_region_energy *energy, const u64 *touched,
				 bool counted)
{
	spin_lock(&energy->lock);
	vipzone_energy_touch(&energy->accesses, memsuite_region_spec(energy->region),
			     touched, counted);
	spin_unlock(&energy->lock);
}

void vipzone_region_energy_count(struct vipzone_region_energy *energy,
				 const struct vipzone_energy_place *place)
{
	spin_lock(&energy->lock);
	vipzone_energy_count(&energy->accesses, memsuite_region_spec(energy->region),
			     place);
	spin_unlock(&energy->lock);
}

void vipzone_region_energy_wear(struct vipzone_region_energy *energy, u64 pages)
{
	u64 kib = pages << (PAGE_SHIFT - 10);

	spin_lock(&energy->lock);
	energy->written_kib += kib;
	energy->unspent_kib += kib;
	spin_unlock(&energy->lock);
}

static void energy_settle(struct vipzone_region_energy *energy)
{
	const struct memsuite_region_spec *spec = memsuite_region_spec(energy->region);

	spin_lock(&energy->lock);
	count_idle(energy);
	vipzone_wear_spend(&energy->wear, READ_ONCE(spec->wear_budget_kib_per_day),
			   energy->since_ms, energy->unspent_kib);
	energy->unspent_kib = 0;
	spin_unlock(&energy->lock);
}

void vipzone_region_energy_settle(void)
{
	struct vipzone_region_energy *energy;

	mutex_lock(&energies_lock);
	forget_gone();
	list_for_each_entry(energy, &energies, link)
		energy_settle(energy);
	mutex_unlock(&energies_lock);
}

/* What was written stays known: the next audit goes on from there. */
void vipzone_region_energy_spare_none(void)
{
	struct vipzone_region_energy *energy;

	mutex_lock(&energies_lock);
	list_for_each_entry(energy, &energies, link) {
		spin_lock(&energy->lock);
		energy->wear.over = false;
		spin_unlock(&energy->lock);
	}
	mutex_unlock(&energies_lock);
}

int vipzone_region_energy_init(struct kobject *parent)
{
	dir = kobject_create_and_add("ledger", parent);
	return dir ? 0 : -ENOMEM;
}

/* All policies are gone by now. */
void vipzone_region_energy_exit(void)
{
	struct vipzone_region_energy *energy, *next;

	list_for_each_entry_safe(energy, next, &energies, link)
		energy_del(energy);
	kobject_put(dir);
}
