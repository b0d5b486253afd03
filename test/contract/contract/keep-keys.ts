import { describe, expect, it } from 'vitest';
import type { BrokerHarness, KeepOptions, Scene } from '../../support/broker-scene.ts';
import { PASS_MS, SHORT_MS, useScene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';
import { untilForgotten } from './keep-results.ts';

/** Names that callers gave outlive the runs of brokers that keep none of them. */
export function describeKeepKeys(open: (options: KeepOptions) => Promise<BrokerHarness>): void {
  const submit = async (scene: Scene, id: string, isKeyed?: boolean): Promise<string | undefined> => {
    const submission = { id, lane: 'l', payload: '{}' };
    const [answer] = await scene.broker.submit([
      isKeyed === undefined ? submission : { ...submission, keyed: isKeyed },
    ]);
    return answer;
  };

  const complete = async (scene: Scene, ...ids: readonly string[]): Promise<void> => {
    const claimed = await scene.claim();
    const at = await scene.now();
    await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'complete', at })));
    for (const id of ids) await untilForgotten(scene, id);
  };

  describe('a key that the caller gave', () => {
    const scene = useScene(() => open({ keepCompleted: 0, keepKeys: '1h' }));

    it('is known when its run has been forgotten', async () => {
      await submit(scene, 'a', true);
      await complete(scene, 'a');

      expect(await submit(scene, 'a', true)).toBe('exists');
      expect(await scene.broker.get(['a'])).toEqual([undefined]);
      expect(await scene.claimIds()).toEqual([]);
    });

    it('is known to whoever submits the same id, as a key or not', async () => {
      await submit(scene, 'a', true);
      await complete(scene, 'a');

      expect(await submit(scene, 'a')).toBe('exists');
    });

    it('is known among many, each answered for itself', async () => {
      for (const id of ['a', 'b', 'c', 'd']) await submit(scene, id, id !== 'b');
      await complete(scene, 'a', 'b', 'c', 'd');
      const again = ['new', 'd', 'b', 'a'].map((id) => ({ id, lane: 'l', payload: '{}', keyed: true }));

      expect(await scene.broker.submit(again)).toEqual(['created', 'exists', 'created', 'exists']);
    });

    it('is known when its run was cancelled, or was discarded as a dead letter', async () => {
      await submit(scene, 'a', true);
      await scene.broker.cancel(['a']);
      await untilForgotten(scene, 'a');
      const run = await scene.start({ id: 'b', keyed: true });
      await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }));
      await scene.broker.discard(['b']);

      expect(await submit(scene, 'a', true)).toBe('exists');
      expect(await submit(scene, 'b', true)).toBe('exists');
    });

    it('counts once in the audit', async () => {
      await submit(scene, 'a', true);
      await complete(scene);
      await submit(scene, 'a', true);

      const { created, submitted, unbalanced } = await scene.broker.audit();

      expect({ created, submitted, unbalanced }).toEqual({
        created: 1,
        submitted: 0,
        unbalanced: 0,
      });
    });
  });

  describe('an id that the caller did not give', () => {
    const scene = useScene(() => open({ keepCompleted: 0, keepKeys: '1h' }));

    it.each([undefined, false])('is forgotten with its run', async (isKeyed) => {
      await submit(scene, 'a', isKeyed);
      await complete(scene, 'a');

      expect(await submit(scene, 'a', isKeyed)).toBe('created');
      expect(await scene.claimIds()).toEqual(['a']);
    });
  });

  describe('a key whose time is over', () => {
    const scene = useScene(() => open({ keepCompleted: 0, keepKeys: SHORT_MS }));

    it('names another run', async () => {
      await submit(scene, 'a', true);
      await complete(scene, 'a');
      await scene.advance(PASS_MS);

      expect(await submit(scene, 'a', true)).toBe('created');
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', epoch: 0 });
      expect(await scene.claimIds()).toEqual(['a']);
    });
  });

  describe('a key whose run is kept', () => {
    const scene = useScene(() => open({ keepCompleted: Infinity, keepKeys: 1 }));

    it('is known as long as its run, however old', async () => {
      await submit(scene, 'a', true);
      await complete(scene);
      await scene.advance(PASS_MS);

      expect(await submit(scene, 'a', true)).toBe('exists');
    });
  });
}
