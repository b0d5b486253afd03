import type { HeartbeatRequest, Run } from '@retry/core/broker';
import { StalledError } from '../../errors.ts';
import type { Leases } from '../../lease/leases.ts';
import type { ServerWatch } from '../../lease/server-watch.ts';
import type { WorkerSettings } from '../../options.ts';
import type { RunReader } from '../../queue/read-runs.ts';
import { createRunReader } from '../../queue/read-runs.ts';
import type { Execution } from '../../run/execution.ts';
import type { Outcome } from '../../settle/outcome.ts';
import type { Settler } from '../../settle/settler.ts';
import { sleep } from '../../sleep.ts';
import type { RunTask } from '../../task/run-policy.ts';
import { taskOfRun } from '../../task/run-policy.ts';
import type { AnyTask } from '../../task/task.ts';
import type { Exchanger } from '../exchanger.ts';

/** The most expired runs of one page. */
const PAGE_SIZE = 1_000;

/** How many claims are remembered whose settlement was refused for good; there is rarely even one. */
const MAX_REFUSED = 1_000;

/** What a cleaner works with. */
interface CleanerParts {
  /** Since when the server has answered: leases that expired before may be those of living workers. */
  readonly watch: ServerWatch;
  /** Knows the claims that the worker holds. */
  readonly leases: Leases;
  /** Knows those that it is settling. */
  readonly exchanger: Exchanger;
  readonly settler: Settler;
}

/** A started run of a known task whose lease has expired. */
interface ExpiredRun extends RunTask {
  readonly run: Run<'started'>;
}

/** Settles runs whose lease has expired. Runs of unknown lanes are left to the workers that know them. */
export class Cleaner {
  readonly #settings: WorkerSettings;
  readonly #parts: CleanerParts;
  readonly #reader: RunReader;
  /** Claims whose settlement the broker refuses for good; settling them again would change nothing. */
  readonly #refused = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(settings: WorkerSettings, parts: CleanerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#reader = createRunReader(settings.broker);
  }

  /** Settles all expired runs, once every living worker has had the time to renew its leases since the server answers. */
  async clean(): Promise<void> {
    const { clock } = this.#settings;
    while (!this.#stopping.signal.aborted) {
      const restMs = await this.#cleanPages();
      if (restMs === 0 || restMs === Infinity) return;
      await sleep(clock, restMs, this.#stopping.signal);
    }
  }

  /** Reads no further page. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Settles expired runs page by page: each page is settled before the next one is read.
   *
   * @returns how long to wait before the first may be settled, in ms: 0 when all are, `Infinity` while the server does not answer
   */
  async #cleanPages(): Promise<number> {
    const { clock, heartbeatMs } = this.#settings;
    const { watch } = this.#parts;
    const found = new Set<string>();
    let suspects = 0;
    while (!this.#stopping.signal.aborted) {
      const askedAt = clock.now();
      const page = await this.#findPage();
      // A run that is found again was claimed by another worker meanwhile, or sends heartbeats again.
      const expired = page.filter(({ run }) => !found.has(claimKey(run)));
      if (expired.length === 0) break;
      await watch.ask(); // the answer may have come after an outage of which this worker does not know yet
      const restMs = watch.untilAllHad(heartbeatMs, askedAt);
      if (restMs > 0) return restMs;
      for (const { run } of expired) found.add(claimKey(run));
      suspects += expired.filter(isSuspect).length;
      await this.#settlePage(expired, { runs: found.size, suspects });
    }
    return 0;
  }

  async #settlePage(expired: readonly ExpiredRun[], together: StalledTogether): Promise<void> {
    const plain = expired.filter(({ task }) => typeof task.deadLetter === 'string');
    const others = expired.filter(({ task }) => typeof task.deadLetter !== 'string');
    await Promise.all([
      ...plain.map((each) => this.#settle(each, together)),
      this.#settleWithPayloads(others, together),
    ]);
  }

  /** Claims that the worker holds, or is settling. */
  #own(): readonly HeartbeatRequest[] {
    const { leases, exchanger } = this.#parts;
    return [...leases.list(), ...exchanger.settling()];
  }

  async #findPage(): Promise<readonly ExpiredRun[]> {
    const { broker, tasks } = this.#settings;
    const skipped = new Set([...this.#refused, ...this.#own().map(claimKey)]);
    const lanes = [...tasks.keys()];
    const expired = await broker.findExpired(PAGE_SIZE + skipped.size, { lanes });
    for (const claim of this.#own()) skipped.add(claimKey(claim)); // claims that were made during the call
    return expired.flatMap((run) => {
      const task = tasks.get(run.lane);
      if (task === undefined || skipped.has(claimKey(run))) return [];
      return [{ ...taskOfRun(task, run), run: run as Run<'started'> }]; // expired runs are started
    });
  }

  /** Their payloads are part of the dead letters that some of them become. They are read in parts of bounded size. */
  async #settleWithPayloads(expired: readonly ExpiredRun[], together: StalledTogether): Promise<void> {
    for (let from = 0; from < expired.length && !this.#stopping.signal.aborted; ) {
      const part = expired.slice(from, from + this.#reader.size());
      from += part.length;
      // The payload of a run that the broker cannot return stays empty, which its dead letter says.
      const read = await this.#reader.read(
        part.map(({ run }) => run.id),
        () => undefined,
      );
      const whole = part.map((each, index) => ({
        ...each,
        run: { ...each.run, payload: read[index]?.payload ?? '' },
      }));
      await Promise.all(whole.map((each) => this.#settle(each, together)));
    }
  }

  async #settle(expired: ExpiredRun, together: StalledTogether): Promise<void> {
    const { task, run, unreadable: error } = expired;
    const outcome: Outcome =
      error === undefined ? stallOf(task, run, together) : { type: 'unreadable', error };
    const answer = await this.#parts.settler.settleExpired(expired, outcome);
    if (answer === 'answered') return;
    this.#refused.add(claimKey(expired.run));
    const [oldest] = this.#refused;
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }
}

function claimKey({ id, epoch }: HeartbeatRequest): string {
  return `${epoch}:${id}`;
}

/** How long a suspect that has to wait is away at least, in ms. */
const LEAST_WAIT_MS = 500;

/**
 * A run that stalls together with others may have ended their process, or may only have been beside the run that did. A suspect is one to
 * which that has happened twice in a row: the first time says little, as when a machine is switched off. Returns how many suspects, this one included, a worker may have at the same time with it: half
 * of those that it stalled with last, so that the one that ends its process is found within log₂(n) crashes; `Infinity` for a run that
 * is no suspect. Example: 40 suspects stall together → groups of 20 → 10 → 5 → 2 → 1.
 */
export function groupLimit({ errors }: Pick<Run, 'errors'>): number {
  const before = errors.at(-2)?.stalledWith;
  const latest = errors.at(-1)?.stalledWith;
  return before === undefined || latest === undefined ? Infinity : Math.max(1, Math.floor((latest + 1) / 2));
}

/** Runs whose leases were found expired in one pass. */
export interface StalledTogether {
  /** How many there are. */
  readonly runs: number;
  /** How many of them are suspects. */
  readonly suspects: number;
}

/**
 * Returns the outcome of a run whose lease has expired.
 *
 * 1. Of runs that stalled together none is charged, as it is not known which one ended the worker. Each records how many
 *    others there were.
 * 2. A suspect counts the other suspects only, and at most as many as may be with it: with each stall that limit at least halves.
 * 3. A suspect that had to be the only one is charged for its stall, and remains a suspect until an attempt ends in another way.
 */
export function stallOf(task: AnyTask, run: Run<'started'>, together: StalledTogether): Outcome {
  const error = new StalledError();
  const limit = groupLimit(run);
  const isSuspect = limit < Infinity;
  if (task.onStall !== 'retry' || (!isSuspect && together.runs === 1)) return { type: 'stalled', error };
  const most = isSuspect ? together.suspects : together.runs;
  return { type: 'stalled', error, isShared: limit > 1, stalledWith: Math.min(most, limit) - 1 };
}

/** A claimed run that goes back to its lane because other suspects are here. */
export interface Waiting {
  readonly execution: Execution;
  /** How long it does not come back; 0 for one that may be here once the others are away. */
  readonly delayMs: number;
}

/**
 * Returns the suspects that have to be given back, among the claimed ones. When any has to be, all of them are, so that none of them is
 * here, waiting, while another one may end the process; those that may be here come back first.
 *
 * A suspect waits about as long as the ones that are here have been running, so it is given back a few times, however long they take.
 *
 * @param present - the suspects that the worker had before
 * @param limits - how long they wait, at most, and what time it is
 */
export function suspectsToGiveBack(
  claimed: readonly Execution[],
  present: readonly Execution[],
  { now, maxWaitMs }: { readonly now: number; readonly maxWaitMs: number },
): readonly Waiting[] {
  const suspects = claimed.filter(isSuspect).sort((a, b) => groupLimit(a.run) - groupLimit(b.run));
  const group = [...present];
  let limit = Math.min(...present.map(({ run }) => groupLimit(run)));
  const waiting: Execution[] = [];
  for (const execution of suspects) {
    const most = Math.min(limit, groupLimit(execution.run));
    if (group.length >= most) waiting.push(execution);
    else {
      group.push(execution);
      limit = most;
    }
  }
  if (waiting.length === 0) return [];
  const since = Math.min(now, ...present.map(({ claimedAt }) => claimedAt));
  const delayMs = Math.min(Math.max(now - since, LEAST_WAIT_MS), maxWaitMs);
  const fitting = suspects.filter((execution) => group.includes(execution));
  return [
    ...fitting.map((execution) => ({ execution, delayMs: 0 })),
    ...waiting.map((execution) => ({ execution, delayMs })),
  ];
}

/** Whether the run of the execution may be one that ends its process. */
export function isSuspect({ run }: Pick<Execution, 'run'>): boolean {
  return groupLimit(run) < Infinity;
}
