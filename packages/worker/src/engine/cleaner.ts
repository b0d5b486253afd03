import type { Beat, Run } from '@retry/core/broker';
import type { Outcome } from '../settle/outcome.ts';
import type { AnyTask } from '../task/task.ts';
import type { WorkerSettings } from '../worker-options.ts';
import { stallOf } from './stalled-together.ts';

/** The most expired runs that one page takes. */
const PAGE_SIZE = 1_000;

/** Runs that are remembered because their settlement was refused for good: there is hardly ever one. */
const MAX_HOPELESS = 1_000;

/** What a cleaner needs of its worker. */
export interface CleanerPort {
  /** Claims that the worker holds itself, or is settling. */
  readonly own: () => readonly Beat[];
  /** Settles for the silent worker, if the lease has still run out; resolves with whether that got an answer. */
  readonly settle: (silent: SilentRun, outcome: Outcome) => Promise<'answered' | 'refused'>;
}

/** A started run of a known task whose lease has run out. */
export interface SilentRun {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
}

/** Settles runs whose worker fell silent. Runs of lanes that the worker does not know are left to those that do. */
export class Cleaner {
  readonly #settings: WorkerSettings;
  readonly #port: CleanerPort;
  /** Claims whose settlement the broker refuses for good: to ask again and again would change nothing. */
  readonly #hopeless = new Set<string>();
  #isStopped = false;

  constructor(settings: WorkerSettings, port: CleanerPort) {
    this.#settings = settings;
    this.#port = port;
  }

  /** Settles all that can be found now, page by page: each page is settled before the next is asked for. */
  async clean(): Promise<void> {
    const found = new Set<string>();
    while (!this.#isStopped) {
      const page = await this.#findPage();
      // What is still there although it was settled was taken by another worker, or beats again.
      const silent = page.filter(({ run }) => !found.has(claimKey(run)));
      if (silent.length === 0) return;
      for (const { run } of silent) found.add(claimKey(run));
      await Promise.all(silent.map((each) => this.#settle(each, found.size)));
    }
  }

  /** Looks for no further page. */
  stop(): void {
    this.#isStopped = true;
  }

  async #findPage(): Promise<readonly SilentRun[]> {
    const { broker, tasks } = this.#settings;
    const passedOver = new Set([...this.#hopeless, ...this.#port.own().map(claimKey)]);
    const lanes = [...tasks.keys()];
    const expired = await broker.findExpired(PAGE_SIZE + passedOver.size, { lanes });
    for (const claim of this.#port.own()) passedOver.add(claimKey(claim)); // what was claimed or settled meanwhile
    return expired.flatMap((run) => {
      const task = tasks.get(run.lane);
      if (task === undefined || passedOver.has(claimKey(run))) return [];
      return [{ task, run: run as Run<'started'> }]; // expired runs are started
    });
  }

  async #settle(silent: SilentRun, together: number): Promise<void> {
    const answer = await this.#port.settle(silent, stallOf(silent.task, silent.run, together));
    if (answer === 'answered') return;
    this.#hopeless.add(claimKey(silent.run));
    const [oldest] = this.#hopeless;
    if (this.#hopeless.size > MAX_HOPELESS && oldest !== undefined) this.#hopeless.delete(oldest);
  }
}

function claimKey({ id, epoch }: Beat): string {
  return `${epoch}:${id}`;
}
