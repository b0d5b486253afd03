import { isRetryError } from '@retry/core';
import { cancelRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { idsIn, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Several clients of one storage. */
export const clientsCases: CasesByName = {
  'another client reads what the first one has submitted, and claims it': async (scene) => {
    const other = await scene.open();
    await scene.submit('a');

    const [read] = await other.get(['a']);
    const claim = { worker: 'other', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS };
    const { claimed } = await other.exchange({ claim });

    matches(read, { id: 'a', state: 'submitted' });
    equal(idsIn(claimed), ['a']);
    equal(await scene.claimIds(), []);
  },

  'another client settles for a silent worker, whose own settlement is fenced': async (scene) => {
    const other = await scene.open();
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const at = await scene.now();

    const [expired] = await other.findExpired(1);
    const stall = settlementOf(expired ?? run, { type: 'stall', at }, { onlyIfExpired: true });
    const { settled } = await other.exchange({ settle: [stall] });

    equal(settled, ['ok']);
    equal(await scene.settle(settlementOf(run, { type: 'complete', at })), ['fenced']);
  },

  'another client ends a wait for work by a submission': async (scene) => {
    const other = await scene.open();
    const waiting = other.wait({ lanes: ['l'], timeoutMs: LONG_MS });

    await scene.submit('a');

    strictEqual(await waiting, undefined);
  },

  'another client requests a cancellation that the heartbeat of the first one answers': async (scene) => {
    const other = await scene.open();
    await scene.start('a');

    equal(await cancelRuns(other, ['a']), ['requested']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
  },

  'another client works on when the first one is closed': async (scene) => {
    const other = await scene.open();
    await scene.broker.close();

    const error: unknown = await scene.broker.get(['a']).catch((reason: unknown) => reason);

    strictEqual(isRetryError(error, 'BROKER_CLOSED'), true);
    equal(await other.submit([{ id: 'a', lane: 'l', payload: '{}' }]), ['created']);
  },
};
