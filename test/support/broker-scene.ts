import type { Broker } from '@retry/core/broker';
import type { RetentionOptions } from '@retry/core/broker/kit';
import { afterEach, beforeEach } from 'vitest';
import { auditEachCall } from '../../packages/broker-contract/src/audit-each-call.ts';
import type { CaseScene } from '../../packages/broker-contract/src/case-scene.ts';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';

export type { ClaimInput } from '../../packages/broker-contract/src/case-scene.ts';
export { LONG_MS, PASS_MS, SHORT_MS } from '../../packages/broker-contract/src/case-scene.ts';

/** A broker to be tested, and the time that it lives in. */
export interface BrokerHarness {
  /** Without runs. */
  readonly broker: Broker;
  /** Lets at least `ms` pass by the clock of the broker: moves a fake one, waits for a real one. */
  readonly advance: (ms: number) => Promise<void>;
  /** Closes the broker and what else was opened. */
  readonly close: () => Promise<void>;
  /** Opens another client of the same storage; the caller closes it. */
  readonly connect?: (() => Promise<Broker>) | undefined;
}

/** How long a broker keeps what has ended. */
export type KeepOptions = RetentionOptions;

/** A test's broker, audited after every call, and the steps that most tests take. */
export type Scene = Omit<CaseScene, 'open' | 'advancePast'>;

/** Opens a broker for each test and closes it after. */
export function useScene(open: () => Promise<BrokerHarness>): Scene {
  let harness: BrokerHarness | undefined;
  let steps: Omit<Scene, 'advance'> | undefined;
  beforeEach(async () => {
    harness = await open();
    steps = createSteps(auditEachCall(harness.broker));
  });
  afterEach(() => harness?.close());
  const current = (): Omit<Scene, 'advance'> => steps ?? missing();
  return {
    get broker() {
      return current().broker;
    },
    advance: (ms) => (harness ?? missing()).advance(ms),
    submit: (...runs) => current().submit(...runs),
    claim: (input) => current().claim(input),
    claimOne: (input) => current().claimOne(input),
    claimIds: (input) => current().claimIds(input),
    start: (run, input) => current().start(run, input),
    settle: (...settlements) => current().settle(...settlements),
    settleNow: (happening, ...runs) => current().settleNow(happening, ...runs),
    read: (id) => current().read(id),
    now: () => current().now(),
  };
}

function missing(): never {
  throw new Error('the scene has no broker yet');
}
