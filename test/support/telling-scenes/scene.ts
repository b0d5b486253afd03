import { brokerContract } from '@retry/broker-contract';
import type { Run, Settlement } from '@retry/core/broker';
import { listHolds } from '@retry/core/broker/kit';
import { RUN_STATES } from '@retry/core/lifecycle';
import { auditEachCall } from '../../../packages/broker-contract/src/audit-each-call.ts';
import type { CaseScene } from '../../../packages/broker-contract/src/case-scene.ts';
import { createSteps } from '../../../packages/broker-contract/src/case-scene.ts';
import type { Real } from '../broker-commands.ts';
import { settlementOf } from '../settle.ts';

/** Commands that show a mistake, on two brokers that are compared. It rejects when it sees one that they have in common. */
export type TellingScene = (real: Real) => Promise<void>;

/** The steps of a scene. Its broker is audited after every call. */
export type Steps = Omit<CaseScene, 'open' | 'advancePast'>;

/** A scene of these steps, after which everything that the brokers keep is compared. */
export function tell(play: (steps: Steps) => Promise<unknown>): TellingScene {
  return async ({ broker, advance }) => {
    const steps: Steps = { ...createSteps(auditEachCall(broker)), advance };
    await play(steps);
    await lookAround(steps);
  };
}

/** Lists the runs of every state. */
async function lookAround({ broker }: Pick<Steps, 'broker'>): Promise<void> {
  for (const state of RUN_STATES) if (state !== 'unsubmitted') await broker.list({ state, limit: 100 });
  await listHolds(broker);
}

/** The case of the contract of this name as a scene. A mistake breaks its rule, or makes the brokers differ. */
export function tellCase(name: string): TellingScene {
  const known = CASES.get(name);
  if (known !== undefined) return known;
  const found = brokerContract.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the contract has no case "${name}"`);
  const abilities = found.requires;
  const scene: TellingScene = async ({ broker, advance }) => {
    // What is kept is compared after the case, which closes the broker that it opens.
    const open = async () => ({ ...broker, close: async () => {} });
    await found.run({ open, advance, abilities });
    await lookAround({ broker });
  };
  CASES.set(name, scene);
  return scene;
}

/** Scenes of cases: each is made once, so that it is played once without a mistake. */
const CASES = new Map<string, TellingScene>();

/** Claims of lane `l` one after another, until there is nothing left; the ids in order. */
export async function claimEach({ claimIds }: Steps): Promise<readonly string[]> {
  const all: string[] = [];
  for (let ids = await claimIds({ limit: 1 }); ids.length > 0; ids = await claimIds({ limit: 1 }))
    all.push(...ids);
  return all;
}

/** The runs that were claimed. */
export function runsOf(claimed: readonly { readonly run: Run }[]): readonly Run[] {
  return claimed.map(({ run }) => run);
}

/** A first start, or a later one, that completes. */
export function complete(run: Run): Settlement {
  return settlementOf(run, { type: 'complete', at: startOf(run) }, { result: '1' });
}

/** An attempt that fails for good, with an error and its stack. */
export function fail(run: Run): Settlement {
  return settlementOf(run, { type: 'fail', at: startOf(run) }, { errors: errorsAfter(run, { stack: 'at' }) });
}

/** An attempt that fails, and is due again some time after its start. */
export function retry(run: Run, delayMs = 0): Settlement {
  const at = startOf(run);
  return settlementOf(run, { type: 'retry', at, runAt: at + delayMs }, { errors: errorsAfter(run) });
}

/** The same with the stack of its error, which is kept apart. */
export function retryWithStack(run: Run, delayMs = 0): Settlement {
  const settlement = retry(run, delayMs);
  return { ...settlement, next: { ...settlement.next, errors: errorsAfter(run, { stack: 'at' }) } };
}

/** An attempt that its worker gives back. */
export function release(run: Run): Settlement {
  return settlementOf(run, { type: 'release', at: startOf(run) });
}

/** What a cleaner settles when the lease has expired. */
export function stall(run: Run): Settlement {
  return settlementOf(run, { type: 'stall', at: startOf(run) }, { onlyIfExpired: true });
}

function errorsAfter(run: Run, extras: { readonly stack?: string } = {}): Run['errors'] {
  const { errors, epoch } = run;
  return [...errors, { epoch, at: startOf(run), name: 'Error', message: 'no', ...extras }];
}

function startOf({ startedAt = 0 }: Run): number {
  return startedAt;
}
