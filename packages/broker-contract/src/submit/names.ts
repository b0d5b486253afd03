import type { Broker } from '@retry/core/broker';
import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  redriveRuns,
  rescheduleRuns,
  resumeLanes,
} from '@retry/core/broker/kit';
import { equal, keptOf, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Names that some broker would lose, change, or confuse with another. */
const listBadNames = (): readonly (readonly [what: string, text: string])[] => [
  ['empty text', ''],
  ['U+0000', 'a\0b'],
  ['half a pair, the first', 'a\ud800'],
  ['half a pair, the second', '\udc00b'],
  ['two halves in the wrong order', '\udc00\ud800'],
  ['513 bytes', 'x'.repeat(513)],
  ['257 characters of two bytes', 'é'.repeat(257)],
  ['171 characters of three bytes', '語'.repeat(171)],
  ['129 characters of four bytes', '🚀'.repeat(129)],
  ['a number', 5 as never],
  ['null', null as never],
];

const claimOf = (lane: string, more: { worker?: string; requestId?: string } = {}) => ({
  claim: { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([[lane, 1]]), leaseMs: LONG_MS, ...more },
});

/** Every call that takes a name; where it takes several, with a valid one beside it. */
const CALLS = {
  'submit, as id': (broker, name) =>
    broker.submit([
      { id: 'good', lane: 'l', payload: '{}' },
      { id: name, lane: 'l', payload: '{}' },
    ]),
  'submit, as lane': (broker, name) =>
    broker.submit([
      { id: 'good', lane: 'l', payload: '{}' },
      { id: 'other', lane: name, payload: '{}' },
    ]),
  'submit, as concurrency key': (broker, key) =>
    broker.submit([
      { id: 'good', lane: 'l', payload: '{}' },
      { id: 'other', lane: 'l', payload: '{}', concurrency: { key, limit: 1, whenFull: 'wait' } },
    ]),
  'exchange, as claimed lane': (broker, name) => broker.exchange(claimOf(name)),
  'exchange, as worker': (broker, worker) => broker.exchange(claimOf('l', { worker })),
  'exchange, as request': (broker, requestId) => broker.exchange(claimOf('l', { requestId })),
  heartbeat: (broker, id) =>
    broker.heartbeat(
      [
        { id: 'good', epoch: 1 },
        { id, epoch: 1 },
      ],
      LONG_MS,
    ),
  'findExpired, as lane': (broker, name) => broker.findExpired(1, { lanes: ['l', name] }),
  'findExpired, as excepted lane': (broker, name) => broker.findExpired(1, { exceptLanes: ['l', name] }),
  cancel: (broker, id) => cancelRuns(broker, ['good', id]),
  'submit, as origin': (broker, origin) =>
    broker.submit([
      { id: 'good', lane: 'l', payload: '{}', origin: 'first' },
      { id: 'other', lane: 'l', payload: '{}', origin },
    ]),
  'submit, as fairness key': (broker, fairnessKey) =>
    broker.submit([
      { id: 'good', lane: 'l', payload: '{}', fairnessKey: 'first' },
      { id: 'other', lane: 'l', payload: '{}', fairnessKey },
    ]),
  end: (broker, id) =>
    endRuns(broker, [
      { id: 'good', as: 'completed', result: '1' },
      { id, as: 'completed', result: '1' },
    ]),
  'end, as error name': (broker, name) =>
    endRuns(broker, [{ id: 'good', as: 'failed', error: { name, message: 'no' } }]),
  reschedule: (broker, id) => rescheduleRuns(broker, [{ id: 'good' }, { id }]),
  'hold, as lane': (broker, lane) => holdLanes(broker, [{ lane, source: 'operator' }]),
  'hold, as reason': (broker, reason) => holdLanes(broker, [{ lane: 'l', source: 'operator', reason }]),
  'hold, as author': (broker, by) => holdLanes(broker, [{ lane: 'l', source: 'operator', by }]),
  'resume, as lane': (broker, lane) => resumeLanes(broker, [{ lane: 'l' }, { lane }]),
  'heartbeat, of 0 ms': (broker, id) => broker.heartbeat([{ id, epoch: 1 }], 0),
  redrive: (broker, id) => redriveRuns(broker, ['good', id]),
  discard: (broker, id) => discardRuns(broker, ['good', id]),
  get: (broker, id) => broker.get(['good', id]),
  'list, as lane': (broker, lane) => broker.list({ state: 'failed', limit: 1, lane }),
  'list, as error name': (broker, errorName) => broker.list({ state: 'failed', limit: 1, errorName }),
  wait: (broker, name) => broker.wait({ lanes: ['l', name], timeoutMs: 0 }),
  'attend, as worker': (broker, worker) => broker.attend({ worker, lanes: ['l'], ttlMs: LONG_MS }),
  'attend, as lane': (broker, name) => broker.attend({ worker: 'w', lanes: ['l', name], ttlMs: LONG_MS }),
} satisfies Record<string, (broker: Broker, name: string) => Promise<unknown>>;

/** Limits of names and numbers are the same for every broker, and checked before anything is written. */
export const namesCases: CasesByName = {
  'names that cannot be kept are refused with a typed error': /* @__PURE__ */ each(
    () => Object.entries(CALLS),
    async (scene, [_, call]) => {
      for (const [what, text] of listBadNames()) {
        const error = await call(scene.broker, text).then(String, (reason: unknown) => reason);

        matches(error, { name: 'InvalidOptionsError', code: 'INVALID_OPTIONS' }, what);
        matches(error, { problems: [{ value: keptOf(text) }] }, what);
        strictEqual(scene.broker.isRefusal(error), true, what);
      }
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),

  'names that cannot be kept leave the other runs of their call unchanged': async (scene) => {
    const run = await scene.start('good');
    const good = settlementOf(run, { type: 'complete', at: await scene.now() });

    await rejectsWith(cancelRuns(scene.broker, ['good', '']), '[1] must not be empty');
    await rejectsWith(scene.settle(good, { ...good, id: '' }), 'settle[1].id must not be empty');

    matches(await scene.read('good'), { state: 'started', isCancelRequested: undefined });
    equal(await scene.settle(good), ['ok']);
  },

  'names that cannot be kept are all listed in the error': async (scene) => {
    const refused = scene.broker.submit([
      { id: '', lane: '\0', payload: '{}' },
      { id: 'a', lane: 'l', payload: '{}', runAt: Number.NaN },
    ]);

    await rejectsWith(refused, {
      problems: [{ path: '[0].id' }, { path: '[0].lane' }, { path: '[1].runAt' }],
    });
  },

  'numbers that cannot be kept are refused as the limit of a concurrency key': /* @__PURE__ */ each(
    () => [0, -1, 0.5, Number.NaN, Infinity, 2 ** 31, '1' as never],
    async (scene, limit) => {
      const concurrency = { key: 'k', limit, whenFull: 'wait' } as const;

      const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', concurrency }]);

      await rejectsWith(refused, {
        code: 'INVALID_OPTIONS',
        problems: [{ path: '[0].concurrency.limit', value: limit }],
      });
    },
  ),

  'numbers that cannot be kept are refused as %s: NaN and text': /* @__PURE__ */ each(
    () => ['runAt', 'delayMs', 'keepResultMs'] as const,
    async (scene, key) => {
      for (const value of [Number.NaN, '5' as never]) {
        const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', [key]: value }]);

        await rejectsWith(refused, { code: 'INVALID_OPTIONS' });
      }
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),

  'choices that cannot be kept are refused: %s': /* @__PURE__ */ each(
    (): readonly (readonly [name: string, path: string, more: object])[] => [
      ['keyed is a text', 'keyed', { keyed: 'yes' }],
      [
        'whenFull is another word',
        'concurrency.whenFull',
        { concurrency: { key: 'k', limit: 1, whenFull: 'drop' } },
      ],
      ['whenFull is missing', 'concurrency.whenFull', { concurrency: { key: 'k', limit: 1 } }],
      [
        'holdWhileRetrying is a number',
        'concurrency.holdWhileRetrying',
        { concurrency: { key: 'k', limit: 1, whenFull: 'wait', holdWhileRetrying: 1 } },
      ],
    ],
    async (scene, [, path, more]) => {
      const refused = scene.broker.submit([
        { id: 'a', lane: 'l', payload: '{}' },
        { id: 'b', lane: 'l', payload: '{}', ...more },
      ]);

      await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${path}` }] });
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),

  'the largest concurrency limit is kept': async (scene) => {
    const concurrency = { key: 'k', limit: 2 ** 31 - 1, whenFull: 'wait' } as const;
    await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });

    equal(await scene.claimIds(), ['a', 'b']);
    equal((await scene.read('a')).concurrency, concurrency);
  },
};
