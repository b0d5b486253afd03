import type {
  Broker,
  ErrorGroup,
  ErrorGroupName,
  GroupPage,
  GroupsQuery,
  Run,
  Settlement,
} from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import type { CaseScene } from '../case-scene.ts';
import { figuresOf } from '../insight/figures-of.ts';
import { settlementOf } from '../settlement-of.ts';

/** A group by a short id. */
export const group = (id: string): ErrorGroupName => ({ id, title: `Error: ${id}` });

/** The settlement that makes a dead letter of a run, in a group. */
export function deadBy(
  run: Run,
  id: string,
  event: RunEvent = { type: 'fail', at: run.startedAt ?? 0 },
): Settlement {
  return { ...settlementOf(run, event), group: group(id) };
}

/** Submits runs to lane `l`, claims them and makes dead letters of them, each in a group. */
export async function die(
  scene: Pick<CaseScene, 'submit' | 'claim' | 'settle'>,
  groups: Readonly<Record<string, string>>,
  lane = 'l',
): Promise<readonly Run[]> {
  await scene.submit(...Object.keys(groups).map((id) => ({ id, lane })));
  const claimed = await scene.claim({ lanes: [lane] });
  await scene.settle(...claimed.map(({ run }) => deadBy(run, groups[run.id] ?? '')));
  return claimed.map(({ run }) => run);
}

/** Returns a page of groups. @throws when the broker has none */
export function pageOf(broker: Broker, query: Partial<GroupsQuery> = {}): Promise<GroupPage> {
  return figuresOf({ broker }).groups({ limit: 100, ...query });
}

/** Returns all groups, read by small pages. */
export async function groupsOf(
  broker: Broker,
  query: Partial<GroupsQuery> = {},
): Promise<readonly ErrorGroup[]> {
  const found: ErrorGroup[] = [];
  for (let after: string | undefined; ; ) {
    const page = await pageOf(broker, after === undefined ? query : { ...query, after });
    found.push(...page.groups);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** Returns the number of dead letters by lane and group, as `l/oops`. */
export async function countsOf(broker: Broker): Promise<Readonly<Record<string, number>>> {
  const groups = await groupsOf(broker);
  return Object.fromEntries(groups.map(({ lane, id, count }) => [`${lane}/${id}`, count]));
}
