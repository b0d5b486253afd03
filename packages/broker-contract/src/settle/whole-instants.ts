import type { Run } from '@retry/core/broker';
import type { RunEvent } from '@retry/core/lifecycle';
import { above, atLeast, below, equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Instants are whole milliseconds, though the clock of a worker has fractions. */
export const wholeInstantsCases: CasesByName = {
  'instants are whole milliseconds after a settlement with fractions': /* @__PURE__ */ each(
    () => ['complete', 'fail', 'retry', 'release', 'cancel', 'drop', 'limit', 'stall'] as const,
    async (scene, type) => {
      const run = await scene.start('a');
      const at = (await scene.now()) + 0.25;
      const errors = [{ epoch: 1, at, startedAt: at, name: 'Error', message: 'no', stack: 'at a' }];

      await scene.settle(settlementOf(run, eventOf(type, at), { errors }));

      const { runs } = await scene.broker.list({ state: (await scene.read('a')).state, limit: 1 });
      equal([await scene.read('a'), ...runs].flatMap(fractionsOf), []);
      const [error] = (await scene.read('a')).errors;
      above(error?.at, at - 1);
      below(error?.at, at + 1);
    },
  ),

  'instants are whole milliseconds after a first completion with fractions': async (scene) => {
    const run = await scene.start('a');
    const at = (await scene.now()) + 0.75;

    await scene.settle(settlementOf(run, { type: 'complete', at }));

    const ended = await scene.read('a');
    equal(fractionsOf(ended), []);
    above(ended.endedAt, at - 1);
    below(ended.endedAt, at + 1);
  },

  'instants are whole milliseconds where a run is due later, which is never early': async (scene) => {
    const run = await scene.start('a');
    const at = (await scene.now()) + 0.25;

    await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at + LONG_MS }));

    const scheduled = await scene.read('a');
    equal(fractionsOf(scheduled), []);
    atLeast(scheduled.runAt, at + LONG_MS);
    below(scheduled.runAt, at + LONG_MS + 1);
  },

  'instants are whole milliseconds in a claim whose lease has fractions': async (scene) => {
    await scene.submit({ id: 'a', runAt: (await scene.now()) - 0.5 }, { id: 'b', delayMs: LONG_MS + 0.5 });
    const lanes = new Map([['l', 2]]);
    const claim = { worker: 'w', requestId: 'r', limit: 2, lanes, leaseMs: LONG_MS + 0.5 };

    const { claimed, nextRunAt, now } = await scene.broker.exchange({ claim });

    const instants = [now, nextRunAt, ...claimed.map(({ leaseUntil }) => leaseUntil)];
    equal(instants.map(Number.isInteger), [true, true, true]);
    equal([...claimed.map(({ run }) => run), await scene.read('b')].flatMap(fractionsOf), []);
  },
};

type SettlingType = 'complete' | 'fail' | 'retry' | 'release' | 'cancel' | 'drop' | 'limit' | 'stall';

/** The retry starts again now. */
function eventOf(type: SettlingType, at: number): RunEvent {
  return type === 'retry' ? { type, at, runAt: at } : { type, at };
}

/** The instants of a run, and of its errors, that are no whole milliseconds. */
function fractionsOf(run: Run): readonly (readonly [key: string, at: unknown])[] {
  const errors = run.errors.flatMap(({ at, startedAt }) => [
    ['at', at] as const,
    ['startedAt', startedAt] as const,
  ]);
  const instants = Object.entries(run).filter(([key]) => key.endsWith('At'));
  return [...instants, ...errors].filter(([, at]) => at !== undefined && !Number.isInteger(at));
}
