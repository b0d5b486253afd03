import type { GroupNotice } from '@retry/core/broker';
import type { GroupsByName } from '../verbs/insight/group-notices.ts';
import { claimNotices } from '../verbs/insight/group-notices.ts';
import { joinGroups } from './groups.ts';
import type { Parts } from './operations.ts';

/**
 * Returns the groups that are new or have doubled, counted over all partitions. The first one keeps what was noticed. A group that has
 * changed in one partition is read in all of them.
 */
export async function claimNoticesOfParts(parts: Parts): Promise<readonly GroupNotice[]> {
  const all = parts.map(({ ownNotices }) => ownNotices);
  const whole = async (changed: GroupsByName): Promise<GroupsByName> => {
    const names = [...changed.keys()];
    if (names.length === 0) return changed;
    const lists = await Promise.all(all.map((part) => part.read(names)));
    return new Map(names.map((name, index) => [name, lists.map((list) => list[index]).reduce(joinFound)]));
  };
  return claimNotices(all, parts[0].ownNotices, whole);
}

type Found = GroupsByName extends ReadonlyMap<string, infer Group> ? Group : never;

function joinFound(one: Found, other: Found): Found {
  return one === undefined || other === undefined ? (one ?? other) : joinGroups(one, other);
}
