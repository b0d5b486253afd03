import fc from 'fast-check';
import { assertAgrees, assertSame } from '../support/broker-agrees.ts';
import type { Real } from '../support/broker-commands.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import type { Model } from '../support/broker-model.ts';
import { modelSettle } from '../support/broker-model.ts';
import { settlementOf } from '../support/settle.ts';

/** The commands for any broker, and completions in one exchange, which have a script of their own in Redis. */
export function redisCommands(): fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] {
  return [...brokerCommands(), completions()];
}

/** Completes what was handed out last, stale or not, and now and then each of it twice. */
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
