import type { HeartbeatModule } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { WorkerSettings } from '../options.ts';

/** Who renews leases while the event loop is blocked: a thread, or nothing does, and why. */
export type Renewal =
  | { readonly by: 'thread'; readonly module: HeartbeatModule; readonly driver: string }
  /** There is no problem where a thread was not asked for, or would be of no use. */
  | { readonly by: 'loop'; readonly problem?: RenewalProblem };

/** Why no thread renews leases though one was asked for. */
export interface RenewalProblem {
  /** A sentence without its full stop. */
  readonly reason: string;
  /** What to do about it, likewise. */
  readonly cure?: string;
}

/** The first version of Deno whose threads run code given as text. */
const DENO = { major: 2, minor: 4 };

const OWN_CLOCK: RenewalProblem = {
  reason: 'A clock of your own does not say whether the event loop is blocked',
  cure: 'Leave out the option clock',
};
const OWN_CLIENT: RenewalProblem = {
  reason: 'The broker was not opened by a url, so a thread cannot open a connection',
  cure: 'Open the broker by a url, or on Postgres by a pool that has only a connectionString',
};
const SHARED_CLIENT: RenewalProblem = {
  reason:
    'The broker has neither a url nor a pool of pg, so its heartbeats wait while handlers keep its client busy, and a thread cannot open a connection',
  cure: 'Open the broker by a url, or by a pool of pg',
};
const OLD_DENO: RenewalProblem = {
  reason: 'This Deno has no threads that run code given as text',
  cure: `Use Deno ${DENO.major}.${DENO.minor} or a later one`,
};

/** Decides by whom leases are renewed. */
export function chooseRenewal({
  leaseRenewal,
  broker,
  clock,
}: Pick<WorkerSettings, 'leaseRenewal' | 'broker' | 'clock'>): Renewal {
  const module = broker.facts?.heartbeats;
  if (leaseRenewal === 'loop' || module === 'not-needed') return { by: 'loop' };
  if (clock !== systemClock && leaseRenewal === undefined) return { by: 'loop' };
  if (clock !== systemClock) return { by: 'loop', problem: OWN_CLOCK };
  if (module === 'shared-client') return { by: 'loop', problem: SHARED_CLIENT };
  if (module === undefined) return { by: 'loop', problem: OWN_CLIENT };
  if (isOldDeno()) return { by: 'loop', problem: OLD_DENO };
  const driver = findDriver(module.driver);
  if (driver !== undefined) return { by: 'thread', module, driver };
  return { by: 'loop', problem: withoutDriver(module.driver.name) };
}

function withoutDriver(name: string): RenewalProblem {
  return {
    reason: `The package ${name} was not found beside this program, so a thread cannot load it`,
    cure: `Where the program is bundled, mark ${name} as external, and install it beside the bundle`,
  };
}

function isOldDeno(): boolean {
  const { deno } = process.versions;
  if (deno === undefined) return false;
  const [major = 0, minor = 0] = deno.split('.').map(Number);
  return major < DENO.major || (major === DENO.major && minor < DENO.minor);
}

/**
 * Returns the path of a driver. In a bundle `from` may be anything: then the program's file and folder are tried. webpack would replace
 * an imported `createRequire` by one that knows nothing outside of the bundle.
 */
function findDriver({ name, from }: HeartbeatModule['driver']): string | undefined {
  for (const base of [from, process.argv[1], `${process.cwd()}/`]) {
    try {
      if (base !== undefined)
        return process.getBuiltinModule('node:module').createRequire(base).resolve(name);
    } catch {
      // Not from there.
    }
  }
  return undefined;
}
