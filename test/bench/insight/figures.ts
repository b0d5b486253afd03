import type { Broker } from '@retry/core/broker';
import { DEAD, SCHEDULED, WAITING } from './fill.ts';

/** One call that an operator makes. */
export interface Figure {
  readonly name: string;
  readonly take: () => Promise<unknown>;
  /** What is said beside the times. */
  readonly note?: (answer: unknown) => string;
}

const PAGE = 100;

/** Every figure of ours. */
export function figuresOf(broker: Broker): readonly Figure[] {
  const { insight } = broker;
  if (insight === undefined) throw new Error('the broker has no insight');
  const from = Date.now();
  const page = (state: 'submitted' | 'scheduled' | 'failed', more: object = {}) => ({
    name: `list: 100 ${state}${Object.keys(more)
      .map((key) => `, ${key}`)
      .join('')}`,
    take: () => broker.list({ state, limit: PAGE, payloads: 'omit', ...more }),
  });
  return [
    { name: 'lanes: all', take: () => insight.lanes(), note: noteLanes },
    { name: 'lanes: one', take: () => insight.lanes({ lanes: [WAITING] }), note: noteLanes },
    { name: 'attempts', take: () => insight.attempts(), note: noteSearched },
    {
      name: 'dueTimes: 120 spans of a minute',
      take: () => insight.dueTimes({ from, bucketMs: 60_000, buckets: 120 }),
    },
    {
      name: 'dueTimes: 1 000 spans, one lane',
      take: () => insight.dueTimes({ from, bucketMs: 8_000, buckets: 1_000, lanes: [SCHEDULED] }),
    },
    { name: 'workers', take: () => insight.workers() },
    page('submitted'),
    page('submitted', { lane: WAITING }),
    page('scheduled', { lane: SCHEDULED }),
    page('failed'),
    page('failed', { lane: DEAD, endedBefore: from + 1e9 }),
    page('failed', { lane: WAITING }),
  ];
}

interface Reported {
  readonly lanes: readonly { readonly waiting: { readonly count: number; readonly isComplete: boolean } }[];
}

function noteLanes(answer: unknown): string {
  const { lanes } = answer as Reported; // what insight.lanes returns
  const most = lanes.reduce((max, { waiting }) => (waiting.count > max.count ? waiting : max), {
    count: 0,
    isComplete: true,
  });
  return `${most.isComplete ? '' : 'at least '}${most.count} waiting`;
}

function noteSearched(answer: unknown): string {
  const { searched, isComplete } = answer as { readonly searched: number; readonly isComplete: boolean }; // of insight.attempts
  return isComplete ? 'all' : `of the first ${searched}`;
}
