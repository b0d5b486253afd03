import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** How a worker learns that its runs are to be cancelled. */
export function describeCancelRequests(scene: Scene): void {
  describe('findCancelRequests', () => {
    it('finds those of the leases that have a cancel request, every time', async () => {
      await scene.submit('a', 'b', 'c');
      await scene.claim();
      await scene.broker.cancel(['a', 'c']);
      const leases = ['a', 'b', 'c'].map((id) => ({ id, epoch: 1 }));

      const found = await scene.broker.findCancelRequests(leases);

      expect(found).toEqual([
        { id: 'a', epoch: 1 },
        { id: 'c', epoch: 1 },
      ]);
      expect(await scene.broker.findCancelRequests(leases)).toEqual(found);
      expect(await scene.broker.findCancelRequests([])).toEqual([]);
    });

    it('finds nothing for a run that is unknown, waits, ended or is of another epoch', async () => {
      await scene.start({ id: 'a', lane: 'm' });
      await scene.submit('waiting', 'ended');
      await scene.broker.cancel(['a', 'ended']);

      const found = await scene.broker.findCancelRequests([
        { id: 'nobody', epoch: 1 },
        { id: 'waiting', epoch: 0 },
        { id: 'ended', epoch: 0 },
        { id: 'a', epoch: 0 },
        { id: 'a', epoch: 2 },
      ]);

      expect(found).toEqual([]);
    });

    it('finds nothing once the run was settled, and nothing of its next claim', async () => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);
      const at = await scene.now();
      await scene.settle(settlementOf(run, { type: 'fail', at }));
      await scene.broker.redrive(['a']);
      await scene.claim();

      const leases = [
        { id: 'a', epoch: 1 },
        { id: 'a', epoch: 2 },
      ];
      expect(await scene.broker.findCancelRequests(leases)).toEqual([]);
    });

    it('only reads: it extends no lease', async () => {
      await scene.start('a', { leaseMs: SHORT_MS });
      await scene.broker.cancel(['a']);
      await scene.broker.findCancelRequests([{ id: 'a', epoch: 1 }]);
      await scene.advance(PASS_MS);

      expect((await scene.broker.findExpired(10)).map(({ id }) => id)).toEqual(['a']);
    });
  });

  describe('onCancelRequest, where there is one', () => {
    it('calls for a started run, and not for a waiting one or once it was taken back', async () => {
      const { onCancelRequest } = scene.broker;
      if (onCancelRequest === undefined) return;
      await scene.submit('a', 'b');
      await scene.claim();
      await scene.submit('waiting');
      const ids: string[] = [];
      const takeBack = onCancelRequest((id) => ids.push(id));

      await scene.broker.cancel(['waiting', 'a']);
      takeBack();
      await scene.broker.cancel(['b']);

      expect(ids).toEqual(['a']);
    });
  });
}
