import type { Run, Spent } from '@retry/core/broker';
import { cancelRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const ERROR = {
  name: 'Error',
  message: 'elsewhere',
  at: 1_500,
  startedAt: 1_000,
  code: 'E1',
  reason: 'retried',
} as const;
const SPENT: Spent = { attempts: 2, errors: [ERROR, { ...ERROR, at: 1_800 }], firstStartedAt: 1_000 };
const ERRORS = [
  { ...ERROR, epoch: 0 },
  { ...ERROR, at: 1_800, epoch: 0 },
];
const CARRIED = { carried: 2, errors: ERRORS, firstStartedAt: 1_000 };

/** What a run brings along: it counts, wherever the run is read, until a redrive resets the attempts. */
export const spentCases: CasesByName = {
  'submit keeps what a run brings along, and every read returns it': async (scene) => {
    await scene.submit({ id: 'a', spent: SPENT }, 'plain');
    const waiting = await scene.read('a');
    const [listed] = (await scene.broker.list({ state: 'submitted', limit: 1 })).runs;
    const [claimed] = await scene.claim({ requestId: 'r', leaseMs: SHORT_MS });
    const [again] = await scene.claim({ requestId: 'r', leaseMs: SHORT_MS });
    const started = await scene.read('a');
    await scene.advance(PASS_MS);
    const [expired] = (await scene.broker.findExpired(10)).filter(({ id }) => id === 'a');

    for (const run of [waiting, listed, claimed?.run, again?.run, started, expired])
      equal(carriedOf(run), CARRIED);
    equal([waiting.epoch, waiting.failures, waiting.stalls], [0, 0, 0]);
    matches(await scene.read('plain'), { carried: 0, errors: [] });
  },

  'submit keeps a part of it without the others: %s': /* @__PURE__ */ each(
    () =>
      [
        { attempts: 7 },
        { attempts: 0, firstStartedAt: 5 },
        { attempts: 1, errors: [ERROR] },
      ] satisfies Spent[],
    async (scene, spent: Spent) => {
      await scene.submit({ id: 'a', spent, retry: '{}', delayMs: 0 });

      const [claimed] = await scene.claim();
      const { attempts, errors = [], firstStartedAt = claimed?.run.startedAt } = spent;
      const expected = {
        carried: attempts,
        errors: errors.map((error) => ({ ...error, epoch: 0 })),
        firstStartedAt,
      };
      equal(carriedOf(claimed?.run), expected);
      equal(carriedOf(await scene.read('a')), expected);
    },
  ),

  'what was brought along stays by %s': /* @__PURE__ */ each(
    () => ['complete', 'cancel', 'drop', 'limit', 'release'] as const,
    async (scene, type) => {
      await scene.submit({ id: 'a', spent: SPENT });
      await scene.settleNow(type, await scene.claimOne());

      equal(carriedOf(await scene.read('a')), CARRIED);
    },
  ),

  'what was brought along stays by retries, a second start and its completion': async (scene) => {
    await scene.submit({ id: 'a', spent: SPENT });
    const errors = [...ERRORS, { epoch: 1, at: await scene.now(), name: 'Error', message: 'here' }];
    await retryNow(scene, errors);

    const again = await scene.claimOne();
    equal(carriedOf(again), { ...CARRIED, errors });
    await scene.settleNow('complete', again);
    matches(await scene.read('a'), { ...CARRIED, errors, failures: 1, epoch: 2 });
  },

  'what was brought along stays by a reschedule, a cancellation and an operator’s end': async (scene) => {
    await scene.submit({ id: 'a', spent: SPENT }, { id: 'b', spent: SPENT });
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: LONG_MS }]);
    await cancelRuns(scene.broker, ['b']);
    await endRuns(scene.broker, [{ id: 'a', as: 'failed', error: { name: 'Error', message: 'no' } }]);

    equal(carriedOf(await scene.read('b')), CARRIED);
    const { errors, carried } = await scene.read('a');
    equal([carried, errors.map(({ message }) => message)], [2, ['elsewhere', 'elsewhere', 'no']]);
  },

  'a redrive resets what was brought along but for the first start, one with keepAttempts does not': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', spent: SPENT }, { id: 'b', spent: SPENT });
    await scene.settleNow('fail', ...(await scene.claim()));

    await redriveRuns(scene.broker, ['a']);
    await redriveRuns(scene.broker, ['b'], { keepAttempts: true });

    const reset = { carried: 0, errors: [], firstStartedAt: 1_000 };
    equal([carriedOf(await scene.read('a')), carriedOf(await scene.read('b'))], [reset, CARRIED]);
    equal(
      (await scene.claim()).map(({ run }) => carriedOf(run)),
      [reset, CARRIED],
    );
    equal([carriedOf(await scene.read('a')), carriedOf(await scene.read('b'))], [reset, CARRIED]);
  },

  'the first start of a redriven run is the one that a settlement says, not the one that was brought along':
    async (scene) => {
      await scene.submit({ id: 'a', spent: SPENT });
      await scene.settleNow('fail', await scene.claimOne());
      await redriveRuns(scene.broker, ['a']);
      const again = await scene.claimOne();
      const at = await scene.now();

      await scene.settle(settlementOf(again, { type: 'retry', at, runAt: at }, { firstStartedAt: at }));

      const firstStarts = [await scene.read('a'), (await scene.claim())[0]?.run, await scene.read('a')];
      equal(
        firstStarts.map((run) => run?.firstStartedAt),
        [at, at, at],
      );
    },

  'the first start that was brought along stays by an operator’s end and a redrive': async (scene) => {
    await scene.submit({ id: 'a', spent: SPENT });
    await endRuns(scene.broker, [{ id: 'a', as: 'failed', error: { name: 'Error', message: 'no' } }]);

    await redriveRuns(scene.broker, ['a']);

    const reset = { carried: 0, errors: [], firstStartedAt: 1_000 };
    equal(carriedOf(await scene.read('a')), reset);
    equal(carriedOf((await scene.claim())[0]?.run), reset);
    equal(carriedOf(await scene.read('a')), reset);
  },

  'what was brought along does not change by a settlement that has other numbers': async (scene) => {
    await scene.submit({ id: 'a', spent: SPENT });
    const release = { type: 'release', at: await scene.now() } as const;

    await scene.settle(settlementOf(await scene.claimOne(), release, { carried: 9 }));

    equal(carriedOf(await scene.read('a')), CARRIED);
  },

  'what cannot be brought along is refused: %s': /* @__PURE__ */ each(
    (): readonly (readonly [what: string, path: string, spent: unknown])[] => [
      ['fewer than no attempts', '.attempts', { attempts: -1 }],
      ['half an attempt', '.attempts', { attempts: 1.5 }],
      ['no number of attempts', '.attempts', {}],
      ['a fraction of a millisecond', '.firstStartedAt', { attempts: 1, firstStartedAt: 0.5 }],
      ['21 errors', '.errors', { attempts: 1, errors: Array.from({ length: 21 }, () => ERROR) }],
      [
        'errors of more than 256 KiB',
        '.errors',
        { attempts: 1, errors: [{ ...ERROR, message: 'é'.repeat(131_072) }] },
      ],
      ['null as an error', '.errors[0]', { attempts: 1, errors: [null] }],
      [
        'an error without an instant',
        '.errors[0].at',
        { attempts: 1, errors: [{ ...ERROR, at: undefined }] },
      ],
      ['a stack', '.errors[0].stack', { attempts: 1, errors: [{ ...ERROR, stack: 'at a' }] }],
      [
        'a duration that is no number',
        '.errors[0].durationMs',
        { attempts: 1, errors: [{ ...ERROR, durationMs: Number.NaN }] },
      ],
      ['an empty name of a worker', '.errors[0].worker', { attempts: 1, errors: [{ ...ERROR, worker: '' }] }],
      ['a status as text', '.errors[0].status', { attempts: 1, errors: [{ ...ERROR, status: '503' }] }],
    ],
    async (scene, [, path, spent]) => {
      const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', spent: spent as Spent }]);

      await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: `[0].spent${path}` }] });
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),
};

async function retryNow(scene: CaseScene, errors: Run['errors']): Promise<void> {
  const at = await scene.now();
  await scene.settle(settlementOf(await scene.claimOne(), { type: 'retry', at, runAt: at }, { errors }));
}

function carriedOf(run: Run | undefined): Partial<Run> {
  return { carried: run?.carried ?? -1, errors: run?.errors ?? [], firstStartedAt: run?.firstStartedAt };
}
