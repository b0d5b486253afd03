import { createRequire } from 'node:module';
import type { HeartbeatModule } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { WorkerSettings } from '../options.ts';

/** Who renews leases while the event loop is blocked: a thread, or nothing does, and why. */
export type Renewal =
  | { readonly by: 'thread'; readonly module: HeartbeatModule; readonly driver: string }
  /** Without a reason where a thread was not asked for, or would be of no use. */
  | { readonly by: 'loop'; readonly reason?: string };

/** Decides by whom leases are renewed. */
export function chooseRenewal({
  leaseRenewal,
  broker,
  clock,
}: Pick<WorkerSettings, 'leaseRenewal' | 'broker' | 'clock'>): Renewal {
  const { heartbeatModule: module } = broker;
  if (leaseRenewal === 'loop' || module === 'not-needed') return { by: 'loop' };
  if ((clock !== systemClock || module === undefined) && leaseRenewal === undefined) return { by: 'loop' };
  if (clock !== systemClock)
    return { by: 'loop', reason: 'A clock of your own does not say whether the event loop is blocked' };
  if (module === undefined)
    return { by: 'loop', reason: 'The broker was not opened by a url, so a thread cannot open a connection' };
  if ('Deno' in globalThis) return { by: 'loop', reason: 'Deno has no threads that run code given as text' };
  const driver = findDriver(module.driver);
  if (driver !== undefined) return { by: 'thread', module, driver };
  return {
    by: 'loop',
    reason: `The package ${module.driver.name} was not found beside this program, so a thread cannot load it`,
  };
}

/** Returns the path of a driver. In a bundle `from` may be anything: then the program's file and folder are tried. */
function findDriver({ name, from }: HeartbeatModule['driver']): string | undefined {
  for (const base of [from, process.argv[1], `${process.cwd()}/`]) {
    try {
      if (base !== undefined) return createRequire(base).resolve(name);
    } catch {
      // Not from there.
    }
  }
  return undefined;
}
