import type { PolicyInput } from '@retry/core';
import type { GroupRow } from '../../../api.ts';
import type { Client } from '../../api/client.ts';
import { count } from '../../charts/figures.ts';
import type { FailureSet, FailureSource } from '../../studio/replay/failure-source.ts';

/** The id of all dead letters. */
const ALL = 'all';

const MAX_TITLE = 80;

/** Returns the id of the failures of an error group, which links to the studio have. */
export function failuresOf({ lane, id }: Pick<GroupRow, 'lane' | 'id'>): string {
  return `${lane} ${id}`;
}

/** The dead letters of the queue as failures for the studio: all of them, and the largest error groups. */
export function createFailureSource(client: Client): FailureSource {
  return {
    list: async (wanted) => {
      const { groups, deadLetters } = await client.get('groups');
      const sets = groups.map((group) => ({ id: failuresOf(group), title: titleOf(group) }));
      const isListed = wanted === undefined || [ALL, ...sets.map(({ id }) => id)].includes(wanted);
      const linked: readonly FailureSet[] = isListed
        ? []
        : [{ id: wanted, title: `the error group ${wanted}` }];
      return [{ id: ALL, title: `all ${count(deadLetters)} dead letters` }, ...sets, ...linked];
    },
    replay: (policy, set) =>
      client.post('replay', { policy: JSON.parse(policy) as PolicyInput, ...selectionOf(set) }), // the server checks it
  };
}

function titleOf({ title, task, version, count: letters }: GroupRow): string {
  const cut = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title;
  return `${count(letters)} of ${task} ${version}: ${cut || 'without a title'}`;
}

function selectionOf(set: string): { readonly lane?: string; readonly group?: string } {
  if (set === ALL) return {};
  const at = set.lastIndexOf(' ');
  return { lane: set.slice(0, at), group: set.slice(at + 1) };
}
