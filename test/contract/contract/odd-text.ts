import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const ODD = [
  '__proto__',
  'constructor',
  'toString',
  '{}',
  '[]',
  '0',
  'null',
  ' ',
  ' spaces around ',
  'new\nline',
  'tab\tand\rreturn',
  `quotes ' " \``,
  'back\\slash',
  "'; DROP TABLE runs; --",
  '$1 %s {0}',
  'colon:comma,semicolon;pipe|',
  'ünïcödé',
  '日本語',
  '🚀👩‍👩‍👧‍👦',
  '\u202eright to left',
  '\u0007bell',
  'x'.repeat(512),
  '🚀'.repeat(128),
];

/** Text is kept as it is, wherever it stands. */
export function describeOddText(scene: Scene): void {
  describe('odd text', () => {
    it.each(ODD)('is kept as id, lane, payload, key and result: %j', async (text) => {
      const concurrency = { key: text, limit: 1, whenFull: 'wait' } as const;
      const payload = JSON.stringify({ [text]: text });
      await scene.submit({ id: text, lane: text, payload, concurrency }, 'other');

      const claimed = await scene.claim({ worker: text, requestId: text, lanes: [text] });
      const again = await scene.claim({ worker: text, requestId: text, lanes: [text] });
      const run = await scene.read(text);
      const at = await scene.now();
      const errors = [{ epoch: 1, at, name: text, message: text, stack: text }];
      const settled = await scene.settle(
        settlementOf(run, { type: 'fail', at }, { result: payload, errors }),
      );

      expect(claimed.map((one) => one.run.id)).toEqual([text]);
      expect(again.map((one) => one.run.id)).toEqual([text]);
      expect(run).toMatchObject({ id: text, lane: text, payload, concurrency });
      expect(settled).toEqual(['ok']);
      const query = { state: 'failed', lane: text, errorName: text, limit: 10 } as const;
      const [listed] = await scene.broker.list(query);
      expect(listed).toMatchObject({ id: text, payload, result: payload, errors });
      expect(await scene.broker.redrive([text])).toEqual(['redriven']);
      expect(await scene.broker.cancel([text])).toEqual(['cancelled']);
      expect(await scene.broker.discard([text])).toEqual(['discarded']);
    });

    it('keeps all of them apart', async () => {
      await scene.submit(...ODD.map((id) => ({ id, payload: JSON.stringify(id) })));

      const runs = await scene.broker.get(ODD);

      expect(runs.map((run) => run?.payload)).toEqual(ODD.map((id) => JSON.stringify(id)));
      expect(await scene.claimIds()).toEqual(ODD);
    });

    it('keeps a payload of a megabyte', async () => {
      const payload = JSON.stringify('é'.repeat(500_000));

      await scene.submit({ id: 'a', payload });

      expect((await scene.read('a')).payload === payload).toBe(true);
      expect((await scene.claim())[0]?.run.payload === payload).toBe(true);
    });
  });
}
