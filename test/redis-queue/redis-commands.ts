import fc from 'fast-check';
import { assertAgrees, assertSame, payloadOf } from '../support/broker-agrees.ts';
import type { Real } from '../support/broker-commands.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import type { Model } from '../support/broker-model.ts';
import { modelClaim, modelSettle, modelSubmit } from '../support/broker-model.ts';
import { LONG_MS } from '../support/broker-scene.ts';
import { settlementOf } from '../support/settle.ts';

/** The commands for any broker, and completions in one call, which the Redis scripts settle together. */
export function redisCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [...brokerCommands(), completions()];
}

/** The same with retries in one call, and more runs that have neither a key nor notes, which are rare among the others. */
export function plainCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [...redisCommands(), plainRuns(), plainRuns(), retries(), retries(), retries()];
}

/** Completes the runs claimed last, with stale epochs too, and sometimes each of them twice. */
function completions(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 1, 2)).map(([count, times]) => ({
    check: () => true,
    run: async (model, { broker, ...rest }) => {
      const latest = model.claims.slice(-count);
      const { now: at } = await broker.exchange({});
      const once = latest.map(({ run }) => settlementOf(run, { type: 'complete', at }));
      const settle = times === 2 ? [...once, ...once] : once;
      const { settled } = await broker.exchange({ settle });
      assertSame(
        settled,
        settle.map((settlement) => modelSettle(model, settlement, 'now')),
      );
      await assertAgrees(model, { broker, ...rest });
    },
    toString: () => `complete the latest ${count}, ${times} times`,
  }));
}

/** The ids of these runs, which other commands do not submit, and their lane. */
const PLAIN_IDS = fc.uniqueArray(fc.constantFrom('p1', 'p2', 'p3'), { minLength: 1 });
const PLAIN_LANE = 'plain';
const PLAIN = { lane: PLAIN_LANE, fairnessKey: undefined, concurrency: undefined, isKeyed: false };

/** Submits runs without a key and notes, and claims all of their lane. */
function plainRuns(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return PLAIN_IDS.map((ids) => ({
    check: () => true,
    run: async (model, { broker, ...rest }) => {
      const lanes = new Map([[PLAIN_LANE, 9]]);
      const submitted = await broker.submit(
        ids.map((id) => ({ id, lane: PLAIN_LANE, payload: payloadOf(id) })),
      );
      assertSame(
        submitted,
        ids.map((id) => modelSubmit(model, { ...PLAIN, id }, 'now')),
      );
      const requestId = `request-${++model.requests}`;
      const claim = { worker: 'w', requestId, limit: 9, lanes, leaseMs: LONG_MS };
      const { claimed } = await broker.exchange({ claim });
      assertSame(
        claimed.map(({ run }) => run.id),
        modelClaim(model, claim, 'never'),
      );
      model.claims.push(...claimed);
      if (claimed.length > 0)
        model.lastClaim = { requestId, got: claimed.map(({ run }) => `${run.id} ${run.epoch}`) };
      await assertAgrees(model, { broker, ...rest });
    },
    toString: () => `submit ${ids}, and claim`,
  }));
}

/** Sends the runs claimed last to the back of their lanes, or completes some of them, with stale epochs too. */
function retries(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 15 })).map(([count, mask]) => ({
    check: () => true,
    run: async (model, { broker, ...rest }) => {
      const latest = model.claims.slice(-count);
      const { now: at } = await broker.exchange({});
      const settle = latest.map(({ run }, index) => {
        if ((mask >> index) % 2 === 1) return settlementOf(run, { type: 'complete', at });
        const errors = [{ epoch: run.epoch, at, name: 'Error', message: 'no' }];
        return settlementOf({ ...run, errors }, { type: 'retry', at, runAt: at });
      });
      const { settled } = await broker.exchange({ settle });
      assertSame(
        settled,
        settle.map((settlement) => modelSettle(model, settlement, 'now')),
      );
      await assertAgrees(model, { broker, ...rest });
    },
    toString: () => `retry the latest ${count}, or complete them: ${mask}`,
  }));
}
