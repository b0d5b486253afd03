import { randomUUID } from 'node:crypto';
import type { Claim } from '@retry/core/broker';
import type { WorkerSettings } from '../worker-options.ts';
import type { Room } from './slots.ts';

/**
 * A claim for this room. Where there is more to have than one claim can take, each takes half of the slots: the
 * second is made while the runs of the first one go on.
 */
export function makeClaim(settings: WorkerSettings, { limit, lanes }: Room, share: 'all' | 'half'): Claim {
  const { name, leaseMs, concurrency, prefetch } = settings;
  const half = Math.ceil((concurrency + prefetch) / 2);
  const most = share === 'half' ? Math.min(limit, half) : limit;
  return { worker: name, requestId: randomUUID(), leaseMs, limit: most, lanes };
}
