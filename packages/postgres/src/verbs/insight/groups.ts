import type { ErrorGroup, GroupPage, GroupsQuery } from '@retry/core/broker';
import { readCursor, writeCursor } from '@retry/core/broker/kit';
import type { Database } from '../../driver/database.ts';

/** What `list_groups` replies. */
interface Reply {
  readonly groups: readonly ErrorGroup[];
  readonly deadLetters: number;
  readonly isLast: boolean;
}

/** Returns a page of error groups. */
export async function listGroups(
  database: Database,
  schema: string,
  { lane, limit, after }: GroupsQuery,
): Promise<GroupPage> {
  const broker = `postgres ${schema}`;
  const query = { state: 'groups', lane, after } as const;
  const [, afterCount = null, afterLane = null, afterId = null] = (readCursor(broker, query) ??
    []) as readonly [string?, number?, string?, string?]; // as written below
  const reply = await database.call('list_groups', {
    lane: lane ?? null,
    limit,
    afterCount,
    afterLane,
    afterId,
  });
  const { groups, deadLetters, isLast } = JSON.parse(reply ?? '') as Reply; // what our own function builds
  const last = groups.at(-1);
  if (isLast || last === undefined) return { groups, deadLetters };
  const next = writeCursor(broker, query, ['groups', last.count, last.lane, last.id]);
  return { groups, deadLetters, next };
}
