import type {
  Broker,
  Claim,
  ClaimedRun,
  Concurrency,
  Run,
  SettleAnswer,
  Settlement,
  Submission,
} from '@retry/core/broker';
import { auditEachCall } from './audit-each-call.ts';
import type { BrokerScene, StorageOptions } from './broker-scene.ts';
import type { Happening } from './settlement-of.ts';
import { happenedAt, settlementOf } from './settlement-of.ts';

/** The scene of one case: a broker that is audited after every call, and the steps that most cases take. */
export interface CaseScene {
  readonly broker: Broker;
  /** Opens another client of the same storage. */
  readonly open: () => Promise<Broker>;
  readonly advance: (ms: number) => Promise<void>;
  /** Lets the broker's clock pass this instant. */
  readonly advancePast: (at: number) => Promise<void>;
  /** Submits runs to lane `l` with a payload; a string is an id. */
  readonly submit: (...runs: readonly (string | SubmissionInput)[]) => Promise<void>;
  readonly claim: (input?: ClaimInput) => Promise<readonly ClaimedRun[]>;
  /** Claims, and returns the run. @throws unless it is one */
  readonly claimOne: (input?: ClaimInput) => Promise<Run>;
  /** Claims, and returns the ids in order. */
  readonly claimIds: (input?: ClaimInput) => Promise<readonly string[]>;
  /** Submits one run and claims it. */
  readonly start: (run: string | SubmissionInput, input?: ClaimInput) => Promise<Run>;
  readonly settle: (...settlements: readonly Settlement[]) => Promise<readonly SettleAnswer[]>;
  /** Settles started runs, or those of these ids, by what happens to each of them now. @throws when one is absent */
  readonly settleNow: (
    happening: Happening,
    ...runs: readonly (string | Run | ClaimedRun | undefined)[]
  ) => Promise<readonly SettleAnswer[]>;
  /** The run as the broker keeps it. @throws when it keeps none */
  readonly read: (id: string) => Promise<Run>;
  /** The broker's clock. */
  readonly now: () => Promise<number>;
}

/** A submission whose lane is `l` and whose payload is `{}` unless given. */
export type SubmissionInput = Partial<Submission> & Pick<Submission, 'id'>;

/** How a case claims: from lane `l`, without a limit, with a lease that outlives the case. */
export interface ClaimInput {
  readonly worker?: string;
  readonly requestId?: string;
  readonly lanes?: readonly (string | readonly [lane: string, limit: number])[];
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly concurrency?: Claim['concurrency'];
  readonly dueLimits?: Claim['dueLimits'];
}

/** One run of key `k` is started at a time; the others wait. */
export const concurrency: Concurrency = { key: 'k', limit: 1, whenFull: 'wait' };

/** Leases that outlive the case. */
export const LONG_MS = 60_000;

/** Delays and leases that are to pass; they may already have passed at the next call. */
export const SHORT_MS = 150;

/** Longer than {@link SHORT_MS} on any clock. */
export const PASS_MS = 200;

/** Delays and leases that must not pass during the next few calls on a busy machine, and then must pass. */
export const AHEAD_MS = 1_500;

/** Longer than a tick of any clock. */
const TICK_MS = 20;

/** More than any case submits. */
const NO_LIMIT = 100_000;

/** Opens a broker of the scene, runs the case on it and closes every broker that the case opened. */
export async function runOnScene(
  { open, advance }: BrokerScene,
  storage: StorageOptions,
  run: (scene: CaseScene) => Promise<void>,
): Promise<void> {
  const opened: Broker[] = [];
  const openClient = async (): Promise<Broker> => {
    const broker = await open(storage);
    opened.push(broker);
    return auditEachCall(broker);
  };
  try {
    const broker = await openClient();
    const steps = createSteps(broker);
    const advancePast = async (at: number): Promise<void> => {
      await advance(Math.max(0, at - (await steps.now())) + TICK_MS);
    };
    await run({ open: openClient, advance, advancePast, ...steps });
  } finally {
    await Promise.all(opened.map((broker) => broker.close()));
  }
}

/** The steps that most cases take, on one broker. */
export function createSteps(broker: Broker): Omit<CaseScene, 'open' | 'advance' | 'advancePast'> {
  const claim = createClaim(broker);
  const submit: CaseScene['submit'] = async (...runs) => {
    await broker.submit(runs.map(toSubmission));
  };
  const claimOne: CaseScene['claimOne'] = async (input) => {
    const [claimed, ...others] = await claim(input);
    return claimed !== undefined && others.length === 0 ? claimed.run : fail('one run must be claimed');
  };
  const settle: CaseScene['settle'] = async (...settlements) =>
    (await broker.exchange({ settle: settlements })).settled;
  const read = async (id: string): Promise<Run> =>
    (await broker.get([id]))[0] ?? fail(`the broker keeps no run ${id}`);
  const now = async (): Promise<number> => (await broker.exchange({})).now;
  return {
    broker,
    submit,
    claim,
    claimOne,
    claimIds: async (input) => idsIn(await claim(input)),
    start: async (run, input) => {
      await submit(run);
      const [claimed] = await claim({ ...input, lanes: [toSubmission(run).lane] });
      return claimed?.run ?? fail('the run that was submitted was not claimed');
    },
    settle,
    settleNow: async (happening, ...runs) => {
      const started = await Promise.all(
        runs.map((run) => (typeof run === 'string' ? read(run) : toRun(run))),
      );
      const events = happenedAt(happening, await now());
      return settle(...started.map((run) => settlementOf(run, events)));
    },
    read,
    now,
  };
}

/** Submits runs to lane `l`, and lets each fail. */
export async function failEach(scene: CaseScene, ...ids: readonly string[]): Promise<void> {
  await scene.submit(...ids);
  await scene.settleNow('fail', ...(await scene.claim()));
}

/** Returns the ids, in order. */
export function idsIn(items: readonly (Pick<Run, 'id'> | ClaimedRun)[]): readonly string[] {
  return items.map((item) => ('run' in item ? item.run.id : item.id));
}

function toRun(run: Run | ClaimedRun | undefined): Run {
  if (run === undefined) return fail('the run must be claimed');
  return 'run' in run ? run.run : run;
}

function createClaim(broker: Broker): CaseScene['claim'] {
  let requests = 0;
  return async (input = {}) => {
    const {
      lanes = ['l'],
      worker = 'w',
      limit = NO_LIMIT,
      leaseMs = LONG_MS,
      concurrency,
      dueLimits,
    } = input;
    requests += 1;
    const requestId = input.requestId ?? `r${requests}`;
    const limits = lanes.map((lane) => (typeof lane === 'string' ? ([lane, NO_LIMIT] as const) : lane));
    const limited = {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(dueLimits === undefined ? {} : { dueLimits }),
    };
    const claim = { worker, requestId, limit, lanes: new Map(limits), leaseMs, ...limited };
    return (await broker.exchange({ claim })).claimed;
  };
}

function toSubmission(run: string | SubmissionInput): Submission {
  return { lane: 'l', payload: '{}', ...(typeof run === 'string' ? { id: run } : run) };
}

function fail(message: string): never {
  throw new Error(message);
}
