import fc from 'fast-check';
import { assertAgrees, assertSame } from '../support/broker-agrees.ts';
import type { Real } from '../support/broker-commands.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import type { Model } from '../support/broker-model.ts';
import { modelSettle } from '../support/broker-model.ts';
import { settlementOf } from '../support/settle.ts';

/** The commands for any broker, and completions and retries in one call, which the Redis scripts settle together. */
export function redisCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [...brokerCommands(), completions(), retries()];
}

/** Completes the runs claimed last, with stale epochs too, and sometimes each of them twice. */
function completions(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom(1, 1, 2)).map(([count, times]) => ({
    check: () => true,
    run: async (model, { broker, ...rest }) => {
      const latest = model.claims.slice(-count);
      const { now: at } = await broker.settleAndClaim({});
      const once = latest.map(({ run }) => settlementOf(run, { type: 'complete', at }));
      const settle = times === 2 ? [...once, ...once] : once;
      const { settled } = await broker.settleAndClaim({ settle });
      assertSame(
        settled,
        settle.map((settlement) => modelSettle(model, settlement, 'now')),
      );
      await assertAgrees(model, { broker, ...rest });
    },
    toString: () => `complete the latest ${count}, ${times} times`,
  }));
}

/** Sends the runs claimed last to the back of their lanes, or completes some of them, with stale epochs too. */
function retries(): fc.Arbitrary<fc.AsyncCommand<Model, Real>> {
  return fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 15 })).map(([count, mask]) => ({
    check: () => true,
    run: async (model, { broker, ...rest }) => {
      const latest = model.claims.slice(-count);
      const { now: at } = await broker.settleAndClaim({});
      const settle = latest.map(({ run }, index) => {
        if ((mask >> index) % 2 === 1) return settlementOf(run, { type: 'complete', at });
        const errors = [{ epoch: run.epoch, at, name: 'Error', message: 'no' }];
        return settlementOf({ ...run, errors }, { type: 'retry', at, runAt: at });
      });
      const { settled } = await broker.settleAndClaim({ settle });
      assertSame(
        settled,
        settle.map((settlement) => modelSettle(model, settlement, 'now')),
      );
      await assertAgrees(model, { broker, ...rest });
    },
    toString: () => `retry the latest ${count}, or complete them: ${mask}`,
  }));
}
