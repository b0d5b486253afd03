import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';

/** What `get` reads. */
export function describeGet(scene: Scene): void {
  describe('get', () => {
    it('gives the runs in the order asked, and nothing for an id that nobody knows', async () => {
      await scene.submit('a', 'b');

      const runs = await scene.broker.get(['b', 'nobody', 'a', 'b']);

      expect(runs.map((run) => run?.id)).toEqual(['b', undefined, 'a', 'b']);
      expect(await scene.broker.get([])).toEqual([]);
    });

    it('gives what was, not what comes after', async () => {
      await scene.submit('a');
      const before = await scene.read('a');

      await scene.claim();

      expect(before).toMatchObject({ state: 'submitted', epoch: 0 });
    });
  });
}
