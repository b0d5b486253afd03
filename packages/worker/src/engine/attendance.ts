import type { LaneDepth } from '@retry/core/broker';
import type { WorkerEmitter } from '../events.ts';
import type { ProcessWarning } from '../warn-rarely.ts';
import { warnRarely } from '../warn-rarely.ts';
import type { WorkerSettings } from '../worker-options.ts';

/** Cleaner intervals that an attendance holds for: two may be lost. */
const INTERVALS_ALIVE = 3;

/** Notes at the broker that its worker is alive, and reports lanes whose runs wait for no worker. */
export class Attendance {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  #reported = '';
  #warnedOf = '';
  readonly #warn: ReturnType<typeof warnRarely>;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#warn = warnRarely(settings.clock);
  }

  /** The worker begins. What no worker works on now may be started a moment later: nothing is reported. */
  async begin(): Promise<void> {
    await this.#attend(INTERVALS_ALIVE * this.#settings.cleanerMs);
  }

  /** The worker is alive. */
  async renew(): Promise<void> {
    const lanes = await this.#attend(INTERVALS_ALIVE * this.#settings.cleanerMs);
    // A worker that drops unknown lanes works on all of them.
    if (this.#settings.onUnknown === 'wait') this.#report(lanes);
  }

  /** The worker has stopped. */
  async end(): Promise<void> {
    await this.#attend(0);
  }

  #attend(ttlMs: number): Promise<readonly LaneDepth[]> {
    const { broker, name, tasks } = this.#settings;
    return broker.attend({ worker: name, lanes: [...tasks.keys()], ttlMs });
  }

  #report(lanes: readonly LaneDepth[]): void {
    const names = lanes.map(({ lane }) => lane).sort();
    const seen = JSON.stringify(names);
    if (lanes.length > 0 && seen !== this.#reported) this.#emitter.emit('unattended', () => ({ lanes }));
    this.#reported = seen;
    this.#warnOnceOf(names, seen);
  }

  /** Once for each change, and once a minute at most. */
  #warnOnceOf(names: readonly string[], seen: string): void {
    const isNew = names.length > 0 && seen !== this.#warnedOf;
    if (names.length === 0 || (isNew && this.#warn(warningOf(names)))) this.#warnedOf = seen;
  }
}

function warningOf(lanes: readonly string[]): ProcessWarning {
  const shown = lanes.slice(0, 5).join(', ') + (lanes.length > 5 ? ` and ${lanes.length - 5} more` : '');
  return {
    code: 'RETRY_UNATTENDED_LANE',
    message: `runs wait in lanes that no live worker works on: ${shown}`,
    cure: 'Start a worker with these tasks (name@version), or cancel the runs.',
  };
}
