/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control plane: /sys/kernel/memsuite and /sys/kernel/debug/memsuite.
 *
 * Every file of the suite is made and parsed through these helpers, so that
 * all of them refuse the same mistakes with the same errno.
 */
#ifndef MEMSUITE_CONTROL_H
#define MEMSUITE_CONTROL_H

#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/percpu.h>
#include <linux/sysfs.h>
#include <linux/types.h>

#include <memsuite/parse.h>

/**
 * memsuite_control_add() - make the directory /sys/kernel/memsuite/NAME
 * @name: directory name
 * @groups: attribute groups (struct kobj_attribute), or NULL
 *
 * Context: may sleep.
 * Return: the directory, or ERR_PTR(-ENOMEM, -EEXIST).
 */
struct kobject *memsuite_control_add(const char *name,
				     const struct attribute_group **groups);

/*
 * Of all directories of the suite. Writing asks for CAP_SYS_ADMIN in the initial user
 * namespace, or fails with -EPERM: the files' owner is the user 0, who need not have it.
 */
extern const struct sysfs_ops memsuite_sysfs_ops;

/**
 * memsuite_control_del() - remove a directory made by memsuite_control_add()
 * @dir: the directory; NULL is ignored
 *
 * Waits for open reads and writes of its files to end, so hold no lock that
 * a store function takes. Context: may sleep.
 */
void memsuite_control_del(struct kobject *dir);

/**
 * memsuite_debugfs_add() - make the directory /sys/kernel/debug/memsuite/NAME
 * @name: directory name
 *
 * Remove it with debugfs_remove_recursive().
 *
 * Return: the directory; as everywhere in debugfs, errors need no check.
 */
struct dentry *memsuite_debugfs_add(const char *name);

/**
 * memsuite_attr_admin() - the mode of a file that only the administrator reads
 * @kobj: its directory
 * @attr: the file
 * @index: of the file in its group
 *
 * The is_visible function of a group whose files tell physical addresses, banks, or
 * what other users' processes do.
 *
 * Return: the mode, without access for group and others.
 */
umode_t memsuite_attr_admin(struct kobject *kobj, struct attribute *attr, int index);

/**
 * MEMSUITE_ATTR_RO() - define NAME_attr, a file with one value to read
 * @name: of the file
 * @format: how it is printed, without the newline
 * @...: expressions of what it says; @kobj in them is the file's directory
 */
#define MEMSUITE_ATTR_RO(name, format, ...)				\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, format "\n", __VA_ARGS__);		\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

/**
 * MEMSUITE_ATTR_NUMBER_RO() - define NAME_attr, a file with one number to read
 * @name: of the file
 * @value: an expression of what it says, as for MEMSUITE_ATTR_RO()
 */
#define MEMSUITE_ATTR_NUMBER_RO(name, value)				\
	MEMSUITE_ATTR_RO(name, "%llu", (u64)(value))

/**
 * MEMSUITE_ATTR_NUMBER() - define NAME_attr, a file with one number that can be set
 * @name: of the file
 * @variable: the number: an unsigned int or u64, read and written by itself
 * @min: smallest value allowed
 * @max: largest value allowed
 */
#define MEMSUITE_ATTR_NUMBER(name, variable, min, max)			\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%llu\n", (u64)READ_ONCE(variable));	\
}									\
									\
static ssize_t name##_store(struct kobject *kobj,			\
			    struct kobj_attribute *attr,		\
			    const char *buf, size_t count)		\
{									\
	u64 value;							\
	int err = memsuite_parse_u64(buf, count, min, max, &value);	\
									\
	if (err)							\
		return err;						\
	WRITE_ONCE(variable, value);					\
	return count;							\
}									\
static struct kobj_attribute name##_attr = __ATTR_RW(name)

/**
 * MEMSUITE_ATTR_NUMBER_SET() - define NAME_attr, a file with one number that a function sets
 * @name: of the file
 * @value: an expression of what it says
 * @set: int set(number) changes it; returns 0 or an error
 * @min: smallest number allowed
 * @max: largest number allowed
 */
#define MEMSUITE_ATTR_NUMBER_SET(name, value, set, min, max)		\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%llu\n", (u64)(value));			\
}									\
									\
static ssize_t name##_store(struct kobject *kobj,			\
			    struct kobj_attribute *attr,		\
			    const char *buf, size_t count)		\
{									\
	u64 number;							\
	int err = memsuite_parse_u64(buf, count, min, max, &number);	\
									\
	if (!err)							\
		err = set(number);					\
	return err ?: count;						\
}									\
static struct kobj_attribute name##_attr = __ATTR_RW(name)

/**
 * MEMSUITE_ATTR_CHOICE() - define NAME_attr, a file with one word out of a list
 * @name: of the file
 * @words: the list, an array of const char *
 * @value: an expression of the index of the word that it says
 * @choose: int choose(index) makes it another; returns 0 or an error
 *
 * A word that is not in the list is refused with -EINVAL.
 */
#define MEMSUITE_ATTR_CHOICE(name, words, value, choose)		\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%s\n", (words)[value]);			\
}									\
									\
static ssize_t name##_store(struct kobject *kobj,			\
			    struct kobj_attribute *attr,		\
			    const char *buf, size_t count)		\
{									\
	int index = sysfs_match_string(words, buf);			\
	int err = index < 0 ? index : choose(index);			\
									\
	return err ?: count;						\
}									\
static struct kobj_attribute name##_attr = __ATTR_RW(name)

/**
 * MEMSUITE_ATTR_SWITCH() - define NAME_attr, a file with 0 or 1
 * @name: of the file
 * @is_on: an expression of its state
 * @turn: int turn(bool on) changes it; returns 0 or an error
 */
#define MEMSUITE_ATTR_SWITCH(name, is_on, turn)				\
static ssize_t name##_show(struct kobject *kobj,			\
			   struct kobj_attribute *attr, char *buf)	\
{									\
	return sysfs_emit(buf, "%d\n", is_on);				\
}									\
									\
static ssize_t name##_store(struct kobject *kobj,			\
			    struct kobj_attribute *attr,		\
			    const char *buf, size_t count)		\
{									\
	bool on;							\
	int err = memsuite_parse_bool(buf, count, &on);			\
									\
	if (!err)							\
		err = turn(on);						\
	return err ?: count;						\
}									\
static struct kobj_attribute name##_attr = __ATTR_RW(name)

/**
 * MEMSUITE_ATTR_COMMAND() - define NAME_attr, a file that takes a number and acts
 * @name: of the file
 * @act: int act(number) acts; returns 0 or an error
 * @min: smallest number allowed
 * @max: largest number allowed
 */
#define MEMSUITE_ATTR_COMMAND(name, act, min, max)			\
static ssize_t name##_store(struct kobject *kobj,			\
			    struct kobj_attribute *attr,		\
			    const char *buf, size_t count)		\
{									\
	u64 value;							\
	int err = memsuite_parse_u64(buf, count, min, max, &value);	\
									\
	if (!err)							\
		err = act(value);					\
	return err ?: count;						\
}									\
static struct kobj_attribute name##_attr = __ATTR_WO(name)

/* Statistics are per-CPU structures of u64; a reader sums one field. */
#define memsuite_stat_sum(pcp, field) ({				\
	u64 __sum = 0;							\
	int __cpu;							\
									\
	for_each_possible_cpu(__cpu)					\
		__sum += READ_ONCE(per_cpu_ptr(pcp, __cpu)->field);	\
	__sum;								\
})

#endif
