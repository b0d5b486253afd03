import type { Broker, GroupPage } from '@retry/core/broker';
import { listWorkers } from '@retry/core/broker/kit';
import { createQueue } from '@retry/worker';
import { sourcesOf } from '../../../packages/broker-contract/src/insight/figures-of.ts';
import type { Sizes } from './fill.ts';
import { DEAD, SCHEDULED, TEMPLATES, WAITING } from './fill.ts';

/** One call that an operator makes. */
export interface Figure {
  readonly name: string;
  readonly take: () => Promise<unknown>;
  /** What is said beside the times. */
  readonly note?: (answer: unknown) => string;
}

const PAGE = 100;

/** Every figure of ours. @throws when the groups of dead letters are not exactly those of the templates */
export async function figuresOf(broker: Broker, sizes: Sizes): Promise<readonly Figure[]> {
  if (broker.figures === undefined) throw new Error('the broker has no figures');
  const figures = sourcesOf(broker.figures);
  const queue = createQueue({ broker });
  const groups = await figures.groups({ limit: PAGE });
  checkGroups(groups, sizes);
  const [{ id: group } = { id: '' }] = groups.groups;
  const from = Date.now();
  const page = (state: 'submitted' | 'scheduled' | 'failed', more: object = {}) => ({
    name: `list: 100 ${state}${Object.keys(more)
      .map((key) => `, ${key}`)
      .join('')}`,
    take: () => broker.list({ state, limit: PAGE, payloads: 'omit', ...more }),
  });
  return [
    { name: 'lanes: all', take: () => figures.lanes({}), note: noteLanes },
    { name: 'lanes: one', take: () => figures.lanes({ lanes: [WAITING] }), note: noteLanes },
    { name: 'attempts', take: () => figures.attempts({}), note: noteSearched },
    {
      name: 'dueTimes: 120 spans of a minute',
      take: () => figures.dueTimes({ from, bucketMs: 60_000, buckets: 120 }),
    },
    {
      name: 'dueTimes: 1 000 spans, one lane',
      take: () => figures.dueTimes({ from, bucketMs: 8_000, buckets: 1_000, lanes: [SCHEDULED] }),
    },
    { name: 'workers', take: () => listWorkers(broker) },
    { name: 'groups', take: () => figures.groups({ limit: PAGE }), note: noteGroups },
    { name: 'queue.deadLetters.list of a group', take: () => queue.deadLetters.list({ group, limit: PAGE }) },
    {
      name: 'queue.deadLetters.plan of a group',
      take: () => queue.deadLetters.plan({ group }),
      note: notePlan,
    },
    { name: 'queue.search: text', take: () => queue.search({ text: 'reason B' }), note: noteSearched },
    { name: 'queue.health', take: () => queue.health() },
    page('submitted'),
    page('submitted', { lane: WAITING }),
    page('scheduled', { lane: SCHEDULED }),
    page('failed'),
    page('failed', { lane: DEAD, endedBefore: from + 1e9 }),
    page('failed', { lane: WAITING }),
  ];
}

/** A million dead letters of twelve causes are twelve groups, to the last run. */
function checkGroups({ groups, deadLetters }: GroupPage, { dead }: Sizes): void {
  const counts = groups.map(({ count }) => count);
  const isExact = counts.every((count) => Math.abs(count - dead / TEMPLATES) < 1);
  if (groups.length !== TEMPLATES || deadLetters !== dead || !isExact)
    throw new Error(`${dead} dead letters of ${TEMPLATES} causes are in groups of ${counts.join(', ')}`);
}

function noteGroups(answer: unknown): string {
  const { groups, deadLetters } = answer as GroupPage; // of figures.groups
  return `${groups.length} of ${deadLetters} dead letters`;
}

function notePlan(answer: unknown): string {
  const { count, isComplete } = answer as { readonly count: number; readonly isComplete: boolean }; // of deadLetters.plan
  return `${isComplete ? '' : 'at least '}${count} runs`;
}

interface Reported {
  readonly lanes: readonly { readonly waiting: { readonly count: number; readonly isComplete: boolean } }[];
}

function noteLanes(answer: unknown): string {
  const { lanes } = answer as Reported; // what figures.lanes returns
  const most = lanes.reduce((max, { waiting }) => (waiting.count > max.count ? waiting : max), {
    count: 0,
    isComplete: true,
  });
  return `${most.isComplete ? '' : 'at least '}${most.count} waiting`;
}

function noteSearched(answer: unknown): string {
  const { searched, isComplete } = answer as { readonly searched: number; readonly isComplete: boolean }; // of figures.attempts
  return isComplete ? 'all' : `of the first ${searched}`;
}
