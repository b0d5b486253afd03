import type { Broker } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What cannot name anything: some broker would lose it, change it, or take it for another. */
const BAD: readonly (readonly [what: string, text: string])[] = [
  ['no text at all', ''],
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

/** Every call that takes a name, given a good one beside it where it takes several. */
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
  'exchange, as claimed lane': (broker, name) => broker.settleAndClaim(claimOf(name)),
  'exchange, as worker': (broker, worker) => broker.settleAndClaim(claimOf('l', { worker })),
  'exchange, as request': (broker, requestId) => broker.settleAndClaim(claimOf('l', { requestId })),
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
  cancel: (broker, id) => broker.cancel(['good', id]),
  findCancelRequests: (broker, id) => broker.findCancelRequests([{ id, epoch: 1 }]),
  redrive: (broker, id) => broker.redrive(['good', id]),
  discard: (broker, id) => broker.discard(['good', id]),
  get: (broker, id) => broker.get(['good', id]),
  'list, as lane': (broker, lane) => broker.list({ state: 'failed', limit: 1, lane }),
  'list, as error name': (broker, errorName) => broker.list({ state: 'failed', limit: 1, errorName }),
  waitForWork: (broker, name) => broker.waitForWork(['l', name], { timeoutMs: 0 }),
  'attend, as worker': (broker, worker) => broker.attend({ worker, lanes: ['l'], ttlMs: LONG_MS }),
  'attend, as lane': (broker, name) => broker.attend({ worker: 'w', lanes: ['l', name], ttlMs: LONG_MS }),
} satisfies Record<string, (broker: Broker, name: string) => Promise<unknown>>;

/** Limits of text are the same everywhere, and looked at before anything is kept. */
export function describeNames(scene: Scene): void {
  describe('names that cannot be kept', () => {
    it.each(Object.entries(CALLS))('are refused with a typed error: %s', async (_, call) => {
      for (const [what, text] of BAD) {
        const error = await call(scene.broker, text).then(String, (reason: unknown) => reason);

        expect(error, what).toMatchObject({ name: 'InvalidOptionsError', code: 'INVALID_OPTIONS' });
        expect(error, what).toMatchObject({ problems: [{ value: text }] });
        expect(scene.broker.isRefusal(error), what).toBe(true);
      }
      expect(await scene.broker.audit()).toMatchObject({ created: 0 });
    });

    it('leave runs as they are beside which they were given', async () => {
      const run = await scene.start('good');
      const good = settlementOf(run, { type: 'complete', at: await scene.now() });

      await expect(scene.broker.cancel(['good', ''])).rejects.toThrow('[1] must not be empty');
      await expect(scene.settle(good, { ...good, id: '' })).rejects.toThrow('settle[1].id must not be empty');

      expect(await scene.read('good')).toMatchObject({ state: 'started', isCancelRequested: undefined });
      expect(await scene.settle(good)).toEqual(['ok']);
    });

    it('are listed, every one of them', async () => {
      const refused = scene.broker.submit([
        { id: '', lane: '\0', payload: '{}' },
        { id: 'a', lane: 'l', payload: '{}', runAt: Number.NaN },
      ]);

      await expect(refused).rejects.toMatchObject({
        problems: [{ path: '[0].id' }, { path: '[0].lane' }, { path: '[1].runAt' }],
      });
    });
  });

  describe('numbers that cannot be kept', () => {
    it.each([0, -1, 0.5, Number.NaN, Infinity, 2 ** 31, '1' as never])(
      'are refused as the limit of a concurrency key: %s',
      async (limit) => {
        const concurrency = { key: 'k', limit, whenFull: 'wait' } as const;

        const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', concurrency }]);

        await expect(refused).rejects.toMatchObject({
          code: 'INVALID_OPTIONS',
          problems: [{ path: '[0].concurrency.limit', value: limit }],
        });
      },
    );

    it.each(['runAt', 'delayMs', 'keepResultMs'] as const)('are refused as %s: NaN and text', async (key) => {
      for (const value of [Number.NaN, '5' as never]) {
        const refused = scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', [key]: value }]);

        await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
      }
      expect(await scene.broker.audit()).toMatchObject({ created: 0 });
    });
  });

  describe('the largest concurrency limit', () => {
    it('is kept', async () => {
      const concurrency = { key: 'k', limit: 2 ** 31 - 1, whenFull: 'wait' } as const;
      await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });

      expect(await scene.claimIds()).toEqual(['a', 'b']);
      expect((await scene.read('a')).concurrency).toEqual(concurrency);
    });
  });
}
