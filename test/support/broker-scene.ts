import type { Duration } from '@retry/core';
import type { Broker, ClaimedRun, Run, SettleAnswer, Settlement, Submission } from '@retry/core/broker';
import { afterEach, beforeEach } from 'vitest';
import { auditEachCall } from './broker-checked.ts';

/** A broker to be tested, and the time that it lives in. */
export interface BrokerHarness {
  /** Without runs. */
  readonly broker: Broker;
  /** Lets at least `ms` go by on the broker's clock: at once on a fake one, by sleeping on a real one. */
  readonly advance: (ms: number) => Promise<void>;
  /** Gives back what was opened, the broker included. */
  readonly close: () => Promise<void>;
}

/** How long a broker keeps what has ended. */
export interface KeepOptions {
  readonly keepCompleted?: number;
  readonly keepKeys?: Duration;
}

/** How a test claims: from lane `l`, as many as there are, with a lease that outlives the test. */
export interface ClaimInput {
  readonly worker?: string;
  readonly requestId?: string;
  readonly lanes?: readonly (string | readonly [lane: string, limit: number])[];
  readonly limit?: number;
  readonly leaseMs?: number;
}

/** A test's broker, audited after every call, and the steps that most tests take. */
export interface Scene {
  readonly broker: Broker;
  readonly advance: (ms: number) => Promise<void>;
  /** Submits runs to lane `l` with a payload; a string is an id. */
  readonly submit: (...runs: readonly (string | (Partial<Submission> & { id: string }))[]) => Promise<void>;
  readonly claim: (input?: ClaimInput) => Promise<readonly ClaimedRun[]>;
  /** Claims, and gives the ids in order. */
  readonly claimIds: (input?: ClaimInput) => Promise<readonly string[]>;
  /** Submits one run and claims it. */
  readonly start: (run: string | (Partial<Submission> & { id: string }), input?: ClaimInput) => Promise<Run>;
  readonly settle: (...settlements: readonly Settlement[]) => Promise<readonly SettleAnswer[]>;
  /** The run as the broker keeps it. @throws when it keeps none */
  readonly read: (id: string) => Promise<Run>;
  /** The broker's clock. */
  readonly now: () => Promise<number>;
}

/** Leases of tests in which none is to run out. */
export const LONG_MS = 60_000;

/**
 * Delays and leases of tests in which they are to pass, but not before the next few calls of a busy machine;
 * {@link PASS_MS} is enough for it on any clock.
 */
export const SHORT_MS = 150;

/** Long enough for what takes {@link SHORT_MS}. */
export const PASS_MS = 200;

/** Opens a broker for each test and closes it after. */
export function useScene(open: () => Promise<BrokerHarness>): Scene {
  let harness: BrokerHarness | undefined;
  let broker: Broker | undefined;
  beforeEach(async () => {
    harness = await open();
    broker = auditEachCall(harness.broker);
  });
  afterEach(() => harness?.close());
  return createScene(
    () => broker ?? fail(),
    (ms) => (harness ?? fail()).advance(ms),
  );
}

function createScene(current: () => Broker, advance: Scene['advance']): Scene {
  let requests = 0;
  const claim: Scene['claim'] = async (input = {}) => {
    const {
      lanes = ['l'],
      worker = 'w',
      requestId = `r${++requests}`,
      limit = 100_000,
      leaseMs = LONG_MS,
    } = input;
    const entries = lanes.map((lane) => (typeof lane === 'string' ? ([lane, 100_000] as const) : lane));
    const reply = await current().settleAndClaim({
      claim: { worker, requestId, limit, lanes: new Map(entries), leaseMs },
    });
    return reply.claimed;
  };
  const submit: Scene['submit'] = async (...runs) => {
    await current().submit(runs.map(toSubmission));
  };
  return {
    get broker() {
      return current();
    },
    advance,
    submit,
    claim,
    claimIds: async (input) => (await claim(input)).map(({ run }) => run.id),
    start: async (run, input) => {
      await submit(run);
      return (await claim({ ...input, lanes: [toSubmission(run).lane] }))[0]?.run ?? fail();
    },
    settle: async (...settle) => (await current().settleAndClaim({ settle })).settled,
    read: async (id) => (await current().get([id]))[0] ?? fail(),
    now: async () => (await current().settleAndClaim({})).now,
  };
}

function toSubmission(run: string | (Partial<Submission> & { id: string })): Submission {
  return { lane: 'l', payload: '{}', ...(typeof run === 'string' ? { id: run } : run) };
}

function fail(): never {
  throw new Error('the scene has no such run, or no broker yet');
}
