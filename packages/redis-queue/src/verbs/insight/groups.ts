import type { ErrorGroup, GroupPage, GroupsQuery } from '@retry/core/broker';
import { OTHER_GROUP, pageOfGroups } from '@retry/core/broker/kit';
import type { FieldRange } from '../../record/layout.ts';
import { GROUP } from '../../record/layout.ts';
import { groupsScript, samplesScript } from '../../scripts/lua-code.ts';
import { fromTag, toTag } from '../../store/keys.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { runListScript } from '../../store/store.ts';

/** A group as it is kept: its sample may have left it. */
export type KeptGroup = Omit<ErrorGroup, 'isOther'>;

/** Returns a page of error groups. All of them are read for it: a lane has no more than some of them. */
export async function listGroups(store: Store, query: GroupsQuery): Promise<GroupPage> {
  const flat = (await runListScript(store, groupsScript, [])) as readonly string[]; // what our own script returns
  const all: KeptGroup[] = [];
  for (let index = 0; index < flat.length; index += 2)
    all.push(decodeGroup(flat[index] ?? '', flat[index + 1] ?? ''));
  const page = pageOfGroups(store.keys.of.groups, query, all);
  const samples = await readSamples(store, page.groups);
  const groups = page.groups.map((group, index) => ({
    ...group,
    sampleId: samples[index] ?? group.sampleId,
    isOther: group.id === OTHER_GROUP.id,
  }));
  return { ...page, groups };
}

async function readSamples(store: Store, groups: readonly KeptGroup[]): Promise<readonly string[]> {
  if (groups.length === 0) return [];
  const asked = groups.map(({ lane, id, sampleId }) => [toTag(lane), id, sampleId]);
  return (await runListScript(store, samplesScript, [pack(asked)])) as readonly string[]; // one for each
}

/** Returns what is kept of a group. */
export function decodeGroup(name: string, text: string): KeptGroup {
  const [tag = '', id = ''] = name.split('\0');
  const { count, attempts, firstSeenAt, lastSeenAt } = GROUP.fields;
  const [sampleId = '', title = ''] = text.slice(GROUP.length).split('\0');
  return {
    ...{ id, title, lane: fromTag(tag), sampleId },
    count: numberIn(text, count),
    attempts: numberIn(text, attempts),
    firstSeenAt: numberIn(text, firstSeenAt),
    lastSeenAt: numberIn(text, lastSeenAt),
  };
}

function numberIn(text: string, { from, end }: FieldRange): number {
  return Number(text.slice(from, end));
}
