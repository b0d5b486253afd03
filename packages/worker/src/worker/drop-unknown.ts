import { randomUUID } from 'node:crypto';
import type { Run } from '@retry/core/broker';
import type { WorkerEmitter } from './events.ts';
import type { WorkerSettings } from './options.ts';
import { settle } from './settle.ts';

/** The most runs that one look takes. */
const MOST = 1_000;

/**
 * Ends runs of lanes that the worker does not know: those that wait, and those that somebody claimed to drop and
 * then died. Only for workers that know every task there is.
 */
export async function dropUnknown(settings: WorkerSettings, emitter: WorkerEmitter): Promise<void> {
  const { broker, tasks, name, leaseMs } = settings;
  const waiting = await broker.list({ state: 'submitted', limit: MOST });
  const lanes = new Map(waiting.filter(({ lane }) => !tasks.has(lane)).map(({ lane }) => [lane, MOST]));
  const expired = (await broker.findExpired(MOST)).filter(({ lane }) => !tasks.has(lane));
  if (lanes.size === 0 && expired.length === 0) return;

  const claim = { worker: name, requestId: randomUUID(), limit: MOST, lanes, leaseMs };
  const { claimed, now } = await broker.exchange({ claim });
  const runs = [...claimed.map(({ run }) => run), ...(expired as Run<'started'>[])]; // expired runs are started
  const drops = runs.map((run) => settle(run, [{ type: 'drop', at: now }]));
  const { settled } = await broker.exchange({ settle: drops });
  for (const [index, { id, lane }] of runs.entries()) {
    if (settled[index] === 'ok') emitter.emit('dropped', () => ({ id, lane }));
  }
}
