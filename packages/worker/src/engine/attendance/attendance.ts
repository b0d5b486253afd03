import type { GroupNotice, LaneDepth, WorkerFacts } from '@retry/core/broker';
import type { WorkerEvents } from '../../events.ts';
import { taskOfLane } from '../../task/lane.ts';
import type { ProcessWarning } from '../../warn-rarely.ts';
import { warnRarely } from '../../warn-rarely.ts';
import type { WorkerContext } from '../worker-context.ts';
import { claimGroupNotices } from './group-notices.ts';

/** How often a worker asks for error groups that are new or have doubled, at least, in ms. */
export const GROUP_EVENTS_MS = 5_000;

/** What a worker does meanwhile, as its `error` events say. */
export const LOOKING_FOR_GROUPS = 'looking for new error groups';

/** How long the worker counts as alive after each call, in cleaner intervals: two calls may be lost. */
const INTERVALS_ALIVE = 3;

/** Registers the worker at the broker as alive, and reports lanes whose waiting runs have no live worker. */
export class Attendance {
  readonly #worker: WorkerContext;
  /** The lanes of the latest event, as JSON. */
  #reported = '';
  /** The lanes of the latest warning, as JSON. */
  #warnedOf = '';
  readonly #warn: ReturnType<typeof warnRarely>;
  /** The calls under way. */
  readonly #attending = new Set<Promise<unknown>>();
  #hasEnded = false;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
    this.#warn = warnRarely(worker.settings.clock);
  }

  /** Registers a worker that starts. Reports nothing: the workers of other lanes may be about to start, too. */
  async begin(): Promise<void> {
    await this.#attend(INTERVALS_ALIVE * this.#worker.settings.cleanerMs, this.#worker.report.begin());
  }

  /**
   * Registers the worker again; does nothing once the registration ends.
   *
   * @param isReporting - whether lanes without a live worker are reported: every live one has had the time to register
   */
  async renew({ isReporting }: { readonly isReporting: boolean }): Promise<void> {
    if (this.#hasEnded) return;
    const { facts, restore } = this.#worker.report.take();
    const attended = this.#attend(INTERVALS_ALIVE * this.#worker.settings.cleanerMs, facts);
    attended.catch(restore);
    const lanes = await attended;
    // A worker that drops runs of unknown lanes leaves none waiting.
    if (isReporting && this.#worker.settings.onUnknown === 'wait') this.#reportLanes(lanes);
  }

  /**
   * Emits the error groups of dead letters that are new or have doubled. Asks for them only where the event has a listener: a worker that
   * has none leaves them to the others.
   */
  async emitGroups(): Promise<void> {
    const { settings, emitter } = this.#worker;
    if (!emitter.isObserved('deadLetterGroup')) return;
    for (const notice of await claimGroupNotices(settings.broker))
      emitter.emit('deadLetterGroup', () => eventOf(notice));
  }

  /** Emits the error groups of what this worker did last, and unregisters it. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#worker.report.end();
    await Promise.all([this.emitGroups(), this.#unregister()]);
  }

  /** A registration that is under way could arrive after the call that ends it, and keep the worker alive. */
  async #unregister(): Promise<void> {
    await Promise.allSettled(this.#attending); // the caller that registered reports its error
    await this.#attend(0);
  }

  async #attend(ttlMs: number, facts?: WorkerFacts): Promise<readonly LaneDepth[]> {
    const { broker, name, tasks } = this.#worker.settings;
    const attendance = { worker: name, lanes: [...tasks.keys()], ttlMs };
    const attending = broker.attend(facts === undefined ? attendance : { ...attendance, facts });
    this.#attending.add(attending);
    try {
      return await attending;
    } finally {
      this.#attending.delete(attending);
    }
  }

  #reportLanes(lanes: readonly LaneDepth[]): void {
    const names = lanes.map(({ lane }) => lane).sort();
    const seen = JSON.stringify(names);
    if (lanes.length > 0 && seen !== this.#reported)
      this.#worker.emitter.emit('unattended', () => ({ lanes }));
    this.#reported = seen;
    this.#warnOnceOf(names, seen);
  }

  /** Warns once for each change, and at most once a minute. */
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

function eventOf({ id, title, ...notice }: GroupNotice): WorkerEvents['deadLetterGroup'] {
  const { name: task, version } = taskOfLane(notice.lane);
  return { ...notice, group: { id, title }, task, version };
}
