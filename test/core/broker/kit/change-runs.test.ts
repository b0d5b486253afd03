import type { Run } from '@retry/core/broker';
import { newRun } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { describe, expect, it } from 'vitest';
import type { ChangeableBroker } from '../../../../packages/core/src/broker/kit/operate/change-runs.ts';
import { changeRuns } from '../../../../packages/core/src/broker/kit/operate/change-runs.ts';

const STALLED: Run = {
  ...newRun({ id: 'a', lane: 'l', payload: '' }),
  state: 'stalled',
  epoch: 1,
  stalls: 1,
};

describe('changeRuns', () => {
  it('says that a run which has ended is not ended again, and does not try it', async () => {
    const broker = {
      get: async () => ({ now: 5, runs: [{ run: STALLED, seen: '1' }] }),
      change: async () => {
        throw new Error('nothing is to be changed');
      },
    } as unknown as ChangeableBroker; // which reads for a change only

    const giveUp = changeRuns(broker, [{ id: 'a' }], ({ run }, _, at) => {
      const moved = transition(run, { type: 'giveUp', at });
      return moved.type === 'moved' ? { answer: 'done', next: moved.run } : { answer: 'rejected' };
    });

    await expect(giveUp).rejects.toThrow('run a is stalled, which no change makes failed');
  });
});
