import type { Run } from '@retry/core/broker';
import { endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { equal, keptOf, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const RETRY = '{"maxAttempts":7}';
const EXTRAS = { retry: RETRY, origin: 'first', context: '00-ü-01' };

/** Policy and origin of a run: kept as submitted, and returned wherever its run is. */
export const extrasCases: CasesByName = {
  'submit keeps policy and origin, and every read returns them': async (scene) => {
    await scene.submit({ id: 'a', ...EXTRAS });
    const waiting = await scene.read('a');
    const [listed] = (await scene.broker.list({ state: 'submitted', limit: 10 })).runs;
    const [claimed] = await scene.claim({ requestId: 'r', leaseMs: SHORT_MS });
    const [again] = await scene.claim({ requestId: 'r', leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const [expired] = await scene.broker.findExpired(10);
    const query = { state: 'started', limit: 10, payloads: 'omit' } as const;
    const [bare] = (await scene.broker.list(query)).runs;

    for (const run of [waiting, listed, claimed?.run, again?.run, expired, bare]) matches(run, EXTRAS);
  },

  'submit keeps one of them without the other: %s': /* @__PURE__ */ each(
    () => ['retry', 'origin', 'context'] as const,
    async (scene, key) => {
      await scene.submit({ id: 'a', [key]: EXTRAS[key] }, 'plain');

      equal(extrasOf(await scene.read('a')), { [key]: EXTRAS[key] });
      equal(extrasOf(await scene.read('plain')), {});
      equal(
        (await scene.claim()).map(({ run }) => extrasOf(run)),
        [{ [key]: EXTRAS[key] }, {}],
      );
    },
  ),

  'submit keeps policy and origin beside a concurrency key, a long payload and a delay': async (scene) => {
    const payload = JSON.stringify('é'.repeat(200_000));
    await scene.submit({ id: 'long', payload, ...EXTRAS }, { id: 'key', concurrency, ...EXTRAS });
    await scene.submit({ id: 'later', delayMs: LONG_MS, keyed: true, keepResultMs: LONG_MS, ...EXTRAS });

    const claimed = await scene.claim();

    equal(
      claimed.map(({ run }) => [run.id, run.payload.length, extrasOf(run)]),
      [
        ['long', payload.length, EXTRAS],
        ['key', 2, EXTRAS],
      ],
    );
    matches(await scene.read('later'), { state: 'scheduled', ...EXTRAS });
  },

  'submit leaves policy and origin of a known id as they are': async (scene) => {
    await scene.submit({ id: 'a', ...EXTRAS }, 'plain');

    await scene.submit({ id: 'a', retry: '{}', origin: 'other' }, { id: 'plain', ...EXTRAS });

    equal(extrasOf(await scene.read('a')), EXTRAS);
    equal(extrasOf(await scene.read('plain')), {});
  },

  'policy and origin do not change by release, retry, reschedule, failure, redrive and end': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', ...EXTRAS });

    for (const move of MOVES) {
      await move(scene);
      equal(extrasOf(await scene.read('a')), EXTRAS, move.name);
    }
    strictEqual((await scene.read('a')).state, 'failed');
  },

  'policy and origin do not change by a settlement that has others, or none': async (scene) => {
    await scene.submit({ id: 'a', ...EXTRAS }, { id: 'b', ...EXTRAS }, 'c');
    const claimed = await scene.claim();
    const at = await scene.now();

    await scene.settle(
      ...claimed.map(({ run }) => {
        const settlement = settlementOf(run, { type: 'retry', at, runAt: at });
        const { retry: _, origin: __, context: ___, ...next } = settlement.next;
        return {
          ...settlement,
          next: run.id === 'a' ? next : { ...next, retry: '"other"', origin: 'other', context: 'other' },
        };
      }),
    );

    equal(
      (await scene.claim()).map(({ run }) => extrasOf(run)),
      [EXTRAS, EXTRAS, {}],
    );
  },

  'a policy is kept unchanged': /* @__PURE__ */ each(
    () => ['"', "'", '\\', '{}\n', 'ünïcödé 🚀', '__proto__', '$1 %s', 'x'.repeat(16_384), 'é'.repeat(8_192)],
    async (scene, retry) => {
      await scene.submit({ id: 'a', retry, origin: retry.slice(0, 100) });

      const [claimed] = await scene.claim();

      equal(extrasOf(claimed?.run), { retry, origin: retry.slice(0, 100) });
    },
  ),

  'a context that cannot be kept is refused': /* @__PURE__ */ each(
    () => ['', 'é'.repeat(257), 'a\0b', 'a\ud800', 5 as never, null as never],
    async (scene, context) => {
      const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', context }]);

      const problems = [{ path: '[0].context', value: keptOf(context) }];
      await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems });
    },
  ),

  'a policy that cannot be kept is refused': /* @__PURE__ */ each(
    () => ['', 'x'.repeat(16_385), 'é'.repeat(8_193), 'a\0b', 'a\ud800', 5 as never, null as never],
    async (scene, retry) => {
      const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', retry }]);

      await rejectsWith(refused, {
        code: 'INVALID_OPTIONS',
        problems: [{ path: '[0].retry', value: keptOf(retry) }],
      });
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),
};

const MOVES = [release, retryNow, later, now, fail, redrive, end];

async function release(scene: CaseScene): Promise<void> {
  await scene.settleNow((at) => ({ type: 'release', at, runAt: at + LONG_MS }), await scene.claimOne());
  await rescheduleRuns(scene.broker, [{ id: 'a' }]);
}

async function retryNow(scene: CaseScene): Promise<void> {
  await scene.settleNow('retry', await scene.claimOne());
}

async function later(scene: CaseScene): Promise<void> {
  await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }]);
}

async function now(scene: CaseScene): Promise<void> {
  await rescheduleRuns(scene.broker, [{ id: 'a' }]);
}

async function fail(scene: CaseScene): Promise<void> {
  await scene.settleNow('fail', await scene.claimOne());
}

async function redrive(scene: CaseScene): Promise<void> {
  await redriveRuns(scene.broker, ['a']);
}

async function end(scene: CaseScene): Promise<void> {
  await endRuns(scene.broker, [{ id: 'a', as: 'failed', error: { name: 'Error', message: 'no' } }]);
}

function extrasOf(run: Run | undefined): Pick<Run, 'retry' | 'origin' | 'context'> {
  return { retry: run?.retry, origin: run?.origin, context: run?.context };
}
