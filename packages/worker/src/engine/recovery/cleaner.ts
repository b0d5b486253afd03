import type { HeartbeatRequest, Run } from '@retry/core/broker';
import type { RunReader } from '../../queue/read-runs.ts';
import { createRunReader } from '../../queue/read-runs.ts';
import type { Outcome } from '../../settle/outcome.ts';
import type { Settler } from '../../settle/settler.ts';
import { sleep } from '../../sleep.ts';
import type { RunTask } from '../../task/run-policy.ts';
import { taskOfRun } from '../../task/run-policy.ts';
import type { Exchanger } from '../exchanger.ts';
import type { WorkerContext } from '../worker-context.ts';
import type { StalledTogether } from './suspects.ts';
import { isSuspect, stallOf } from './suspects.ts';

/** The most expired runs of one page. */
const PAGE_SIZE = 1_000;

/** How many claims are remembered whose settlement was refused for good; there is rarely even one. */
const MAX_REFUSED = 1_000;

/** A started run of a known task whose lease has expired. */
interface ExpiredRun extends RunTask {
  readonly run: Run<'started'>;
}

/** Settles runs whose lease has expired. Runs of unknown lanes are left to the workers that know them. */
export class Cleaner {
  readonly #worker: WorkerContext;
  readonly #exchanger: Exchanger;
  readonly #settler: Settler;
  readonly #reader: RunReader;
  /** Claims whose settlement the broker refuses for good; settling them again would change nothing. */
  readonly #refused = new Set<string>();
  #cleaning: Promise<boolean> | undefined;

  constructor(worker: WorkerContext, exchanger: Exchanger, settler: Settler) {
    this.#worker = worker;
    this.#exchanger = exchanger;
    this.#settler = settler;
    this.#reader = createRunReader(worker.settings.broker);
  }

  /**
   * Settles all expired runs, once every living worker has had the time to renew its leases since the server answers.
   *
   * One call does so at a time, and others wait for it: servers may skip what another call is looking at, so that a second one would find
   * nothing before the first one has settled it.
   *
   * @returns whether it has: not while the server does not answer in time, nor when the worker stops
   */
  clean(): Promise<boolean> {
    this.#cleaning ??= this.#clean().finally(() => {
      this.#cleaning = undefined;
    });
    return this.#cleaning;
  }

  async #clean(): Promise<boolean> {
    const { clock } = this.#worker.settings;
    while (!this.#worker.stopping.signal.aborted) {
      const restMs = await this.#cleanPages();
      if (restMs === 0 || restMs === Infinity) return restMs === 0;
      await sleep(clock, restMs, this.#worker.stopping.signal);
    }
    return false;
  }

  /**
   * Settles expired runs page by page: each page is settled before the next one is read.
   *
   * @returns how long to wait before the first may be settled, in ms: 0 when all are, `Infinity` while the server does not answer
   */
  async #cleanPages(): Promise<number> {
    const { settings, watch } = this.#worker;
    const { clock, heartbeatMs } = settings;
    const found = new Set<string>();
    let suspects = 0;
    while (!this.#worker.stopping.signal.aborted) {
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
    return [...[...this.#worker.executions].map(({ run }) => run), ...this.#exchanger.settling()];
  }

  async #findPage(): Promise<readonly ExpiredRun[]> {
    const { broker, tasks } = this.#worker.settings;
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
    for (let from = 0; from < expired.length && !this.#worker.stopping.signal.aborted; ) {
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
    const answer = await this.#settler.settleExpired(expired, outcome);
    if (answer === 'answered') return;
    this.#refused.add(claimKey(expired.run));
    const [oldest] = this.#refused;
    if (this.#refused.size > MAX_REFUSED && oldest !== undefined) this.#refused.delete(oldest);
  }
}

function claimKey({ id, epoch }: HeartbeatRequest): string {
  return `${epoch}:${id}`;
}
