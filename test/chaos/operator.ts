import { setTimeout as rest } from 'node:timers/promises';
import type { Queue } from '@retry/worker';
import { HOLD_MS, UNIQUE_KEYS } from './plan.ts';
import type { chaosTasks } from './tasks.ts';

/** A time in which no run of the plain task may have been claimed, in epoch milliseconds. */
export interface HeldTime {
  readonly from: number;
  readonly until: number;
}

/** What the operator did. */
export interface Operations {
  readonly held: readonly HeldTime[];
  /** The ids of the unique runs that were submitted, by key. */
  readonly uniques: ReadonlyMap<string, readonly string[]>;
  /** How many calls moved a waiting run. */
  readonly rescheduled: number;
}

interface Operator {
  /** Ends the operations, after the one under way. */
  readonly stop: () => Promise<Operations>;
}

/** While workers are killed, an operator holds and resumes their lane and reschedules runs; unique ones are submitted. */
export function startOperator(
  queue: Queue,
  tasks: ReturnType<typeof chaosTasks>,
  ids: readonly string[],
): Operator {
  let isStopping = false;
  const held: HeldTime[] = [];
  const uniques = new Map<string, string[]>();
  let rescheduled = 0;
  const repeat = async (everyMs: number, act: () => Promise<void>): Promise<void> => {
    while (!isStopping) {
      await act();
      await rest(everyMs * 2 * Math.random());
    }
  };
  const someId = (): string => ids[Math.floor(Math.random() * ids.length)] ?? '';
  const acts = [
    repeat(1_500, async () => {
      await queue.hold(tasks.plain, { for: '1m', reason: 'chaos' });
      const from = Date.now();
      await rest(HOLD_MS);
      held.push({ from, until: Date.now() });
      await queue.resume(tasks.plain);
    }),
    repeat(5, async () => {
      const answer = await queue.reschedule(someId(), { delay: Math.random() * 1_000 });
      if (answer === 'rescheduled') rescheduled += 1;
    }),
    repeat(5, async () => {
      await queue.runNow(someId());
    }),
    repeat(2, async () => {
      const key = `key ${Math.floor(Math.random() * UNIQUE_KEYS)}`;
      const { id, isNew } = await queue.submit(tasks.unique, key, { unique: { key, until: 'ended' } });
      if (isNew) uniques.set(key, [...(uniques.get(key) ?? []), id]);
    }),
  ];
  return {
    stop: async () => {
      isStopping = true;
      await Promise.all(acts);
      return { held, uniques, rescheduled };
    },
  };
}
