import type { ErrorGroup, GroupPage, GroupsQuery } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { pageOfGroups } from '@retry/core/broker/kit';

/** How many groups are read in one call. */
const PAGE = 1_000;

/** Returns a page of the groups of several partitions: those of one lane and id are one. */
export async function groupsOfParts(parts: readonly FigureSources[], query: GroupsQuery): Promise<GroupPage> {
  const lists = await Promise.all(parts.map((part) => allGroups(part, query)));
  const joined = new Map<string, ErrorGroup>();
  for (const group of lists.flat()) {
    const key = JSON.stringify([group.lane, group.id]);
    const known = joined.get(key);
    joined.set(key, known === undefined ? group : joinGroups(known, group));
  }
  return pageOfGroups('redis partitions', query, [...joined.values()]);
}

async function allGroups(
  part: FigureSources,
  { lane }: Pick<GroupsQuery, 'lane'>,
): Promise<readonly ErrorGroup[]> {
  const found: ErrorGroup[] = [];
  const query = { limit: PAGE, ...(lane !== undefined && { lane }) };
  for (let after: string | undefined; ; ) {
    const page = await part.groups(after === undefined ? query : { ...query, after });
    found.push(...page.groups);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** Returns a group of two partitions as one. */
export function joinGroups(one: ErrorGroup, other: ErrorGroup): ErrorGroup {
  const later = other.lastSeenAt > one.lastSeenAt ? other : one;
  return {
    ...later,
    count: one.count + other.count,
    attempts: one.attempts + other.attempts,
    firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
  };
}
