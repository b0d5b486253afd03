import type { SubmitAnswer, Unique } from '@retry/core/broker';
import type { Model, ModelRun, Ripeness } from './broker-model.ts';
import { modelCancel, modelSubmit } from './broker-model.ts';

/** Until when a run has its key. A time that has passed is `now`. */
export type ModelUntil = 'started' | 'ended' | Ripeness;

/** The latest run that a key was given to. */
export interface ModelHolder {
  readonly id: string;
  until: ModelUntil;
}

/** A unique submission of a run without idempotency key. */
export interface ModelUnique extends Pick<ModelRun, 'id' | 'lane' | 'concurrency' | 'fairnessKey'> {
  readonly key: string;
  readonly until: ModelUntil;
  readonly onConflict: Unique['onConflict'];
}

/** A new run, unless its id is known or another run keeps the key. */
export function modelSubmitUnique(
  model: Model,
  { key, until, onConflict, ...run }: ModelUnique,
  ripeness: Ripeness,
): SubmitAnswer {
  if (model.runs.has(run.id)) return 'exists';
  const holder = model.holders.get(key);
  const isTaken = holder !== undefined && hasKey(model, holder);
  if (isTaken && onConflict === 'keep') return { type: 'kept', id: holder.id };
  model.holders.set(key, { id: run.id, until });
  const isWaiting = ['submitted', 'scheduled'].includes(model.runs.get(holder?.id ?? '')?.state ?? '');
  if (isTaken && isWaiting) modelCancel(model, holder.id);
  modelSubmit(model, { ...run, isKeyed: false }, ripeness);
  return isTaken && isWaiting ? { type: 'replaced', id: holder.id } : 'created';
}

function hasKey({ runs }: Model, { id, until }: ModelHolder): boolean {
  if (until !== 'started' && until !== 'ended') return until !== 'now';
  const run = runs.get(id);
  if (run === undefined || run.redrives > 0) return false;
  if (until === 'started' && run.epoch > 0) return false;
  return ['submitted', 'scheduled', 'started'].includes(run.state);
}
