// SPDX-License-Identifier: GPL-2.0-only
/* /dev/vipzone: what programs tell about their memory; uapi memsuite/vipzone.h. */

#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <memsuite/vipzone.h>

#include "admin/chardev.h"
#include "admin/policy_set.h"
#include "steer/task_events.h"
#include "tags/tags.h"

static bool is_range(const struct vipzone_range *range)
{
	return range->length && !range->reserved &&
	       PAGE_ALIGNED(range->start) && PAGE_ALIGNED(range->length) &&
	       range->start < TASK_SIZE &&
	       range->length <= TASK_SIZE - range->start;
}

static long ioctl_tag(void __user *argument)
{
	struct vipzone_range range;
	int err;

	if (copy_from_user(&range, argument, sizeof(range)))
		return -EFAULT;
	if (!is_range(&range) || (range.flags & ~_VIP_MASK))
		return -EINVAL;
	err = vipzone_task_events_start();
	return err ?: vipzone_tags_tag(&range);
}

static long ioctl_untag(void __user *argument)
{
	struct vipzone_range range;

	if (copy_from_user(&range, argument, sizeof(range)))
		return -EFAULT;
	if (!is_range(&range) || range.flags)
		return -EINVAL;
	return vipzone_tags_untag(&range);
}

static long ioctl_query(void __user *argument)
{
	struct vipzone_range range;
	int err;

	if (copy_from_user(&range, argument, sizeof(range)))
		return -EFAULT;
	if (range.length || range.flags || range.reserved ||
	    range.start >= TASK_SIZE)
		return -EINVAL;
	err = vipzone_tags_query(&range);
	if (!err && copy_to_user(argument, &range, sizeof(range)))
		err = -EFAULT;
	return err;
}

static long ioctl_set_default(void __user *argument)
{
	struct vipzone_default others;
	int err = 0;

	if (copy_from_user(&others, argument, sizeof(others)))
		return -EFAULT;
	if (others.reserved || (others.flags & ~_VIP_MASK))
		return -EINVAL;
	if (others.flags)
		err = vipzone_task_events_start();
	return err ?: vipzone_tags_set_default(others.flags);
}

static long ioctl_get_default(void __user *argument)
{
	struct vipzone_default others = { .flags = vipzone_tags_default() };

	return copy_to_user(argument, &others, sizeof(others)) ? -EFAULT : 0;
}

static long ioctl_choose(void __user *argument)
{
	struct vipzone_choice choice;
	size_t length;

	if (copy_from_user(&choice, argument, sizeof(choice)))
		return -EFAULT;
	length = strnlen(choice.policy, sizeof(choice.policy));
	if (memchr_inv(choice.policy + length, 0,
		       sizeof(choice.policy) - length) ||
	    length == sizeof(choice.policy))
		return -EINVAL;
	return vipzone_policy_choose(length ? choice.policy : NULL);
}

static long chardev_ioctl(struct file *file, unsigned int command,
			  unsigned long argument)
{
	void __user *pointer = (void __user *)argument;

	/* A thread of the kernel's has nothing to tell. */
	if (!current->mm)
		return -EINVAL;
	switch (command) {
	case VIPZONE_TAG:
		return ioctl_tag(pointer);
	case VIPZONE_UNTAG:
		return ioctl_untag(pointer);
	case VIPZONE_QUERY:
		return ioctl_query(pointer);
	case VIPZONE_SET_DEFAULT:
		return ioctl_set_default(pointer);
	case VIPZONE_GET_DEFAULT:
		return ioctl_get_default(pointer);
	case VIPZONE_CHOOSE:
		return ioctl_choose(pointer);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice chardev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vipzone",
	.fops = &chardev_fops,
	.mode = 0666,
};

int vipzone_chardev_init(void)
{
	return misc_register(&chardev);
}

void vipzone_chardev_exit(void)
{
	misc_deregister(&chardev);
}
