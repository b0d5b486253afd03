import type { GroupNotice } from '../../insight/group-notice.ts';

/**
 * Returns whether a group is to be noticed.
 *
 * @param count - how many dead letters it has
 * @param noticed - the count of its latest notice since it was last empty: a high-water mark, which stays when dead letters leave.
 *   `undefined`: it has had none
 */
export function noticeKind(count: number, noticed: number | undefined): GroupNotice['kind'] | undefined {
  if (count < 1) return undefined;
  if (noticed === undefined) return 'new';
  return count >= 2 * noticed ? 'doubled' : undefined;
}
