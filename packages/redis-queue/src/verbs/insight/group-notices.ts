import type { ErrorGroup, GroupNotice } from '@retry/core/broker';
import { compareText, OTHER_GROUP } from '@retry/core/broker/kit';
import {
  MAX_TAKEN,
  markGroupsScript,
  readGroupsScript,
  takeGroupsScript,
} from '../../scripts/insight/group-notices.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { runListScript, runScript } from '../../store/store.ts';
import { decodeGroup } from './groups.ts';

/** Groups by their names in the store. */
export type GroupsByName = ReadonlyMap<string, ErrorGroup | undefined>;

/** What one partition has to do with notices of groups. */
export interface PartNotices {
  /** Returns some of the groups that have changed; from then on they count as unchanged. An empty group is `undefined`. */
  readonly take: () => Promise<GroupsByName>;
  /** Returns the groups of these names, in their order. */
  readonly read: (names: readonly string[]) => Promise<readonly (ErrorGroup | undefined)[]>;
  /** Keeps counts that are to be noticed, in the first partition, and returns why each is; empty where it is not. */
  readonly mark: (counts: ReadonlyMap<string, number>) => Promise<readonly (GroupNotice['kind'] | '')[]>;
}

/** Returns what a partition does for notices. */
export function createPartNotices(store: Store): PartNotices {
  return {
    take: async () => {
      const reply = await runListScript(store, takeGroupsScript, []);
      const [names, texts] = reply as readonly [readonly string[], readonly (string | null)[]]; // what our own script returns
      return new Map(names.map((name, index) => [name, groupOf(name, texts[index])]));
    },
    read: async (names) => {
      const texts = await runScript(store, readGroupsScript, [pack(names)]);
      return (texts as readonly (string | null)[]).map((text, index) => groupOf(names[index] ?? '', text)); // one for each
    },
    mark: async (counts) => {
      const kinds = await runScript(store, markGroupsScript, [
        pack([[...counts.keys()], [...counts.values()]]),
      ]);
      return kinds as readonly (GroupNotice['kind'] | '')[]; // one for each
    },
  };
}

/**
 * Returns the groups that are new or have doubled, over all partitions.
 *
 * @param home - that of the first partition
 * @param whole - returns the groups of some changed ones as they are in all partitions
 */
export async function claimNotices(
  parts: readonly PartNotices[],
  home: PartNotices,
  whole: (changed: GroupsByName) => Promise<GroupsByName> = async (changed) => changed,
): Promise<readonly GroupNotice[]> {
  const notices: GroupNotice[] = [];
  for (let isLast = false; !isLast; ) {
    const taken = await Promise.all(parts.map((part) => part.take()));
    isLast = taken.every(({ size }) => size < MAX_TAKEN);
    const groups = [...(await whole(new Map(taken.flatMap((some) => [...some]))))];
    if (groups.length === 0) break;
    const kinds = await home.mark(new Map(groups.map(([name, group]) => [name, group?.count ?? 0])));
    for (const [index, [, group]] of groups.entries()) {
      const kind = kinds[index];
      if (group !== undefined && kind !== undefined && kind !== '') notices.push({ kind, ...group });
    }
  }
  return notices.sort((left, right) => compareText(left.lane, right.lane) || compareText(left.id, right.id));
}

function groupOf(name: string, text: string | null | undefined): ErrorGroup | undefined {
  if (text === null || text === undefined) return undefined;
  const group = decodeGroup(name, text);
  return { ...group, isOther: group.id === OTHER_GROUP.id };
}
