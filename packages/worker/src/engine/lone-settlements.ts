import type { SettleAnswer } from '@retry/core/broker';
import { StalledError } from '../errors.ts';
import { FIRST_PAUSE_MS, longerPause } from '../locked-pauses.ts';
import type { WorkerSettings } from '../options.ts';
import type { QueuedSettlement } from '../settle/settler.ts';
import { sleep } from '../sleep.ts';

interface LonePort {
  readonly onError: (error: unknown, doing: string) => void;
  /** Settles it with the next exchange, as any other. */
  readonly settleWithOthers: (settlement: QueuedSettlement) => void;
  /** Called when one of them has been answered, or is left. */
  readonly onChange: () => void;
  /** Aborts when nothing that is locked is to be asked for any more. */
  readonly givingUp: AbortSignal;
}

/**
 * Settlements of runs that the open transaction of their handlers may have locked, each sent alone: those that were sent with it would
 * wait for the transaction, too. While the run is locked it is asked for again, for a lease time; then its lease is left to expire.
 */
export class LoneSettlements {
  readonly #settings: WorkerSettings;
  readonly #port: LonePort;
  readonly #sent = new Set<QueuedSettlement>();

  constructor(settings: WorkerSettings, port: LonePort) {
    this.#settings = settings;
    this.#port = port;
  }

  /** Those that have not been answered. */
  get sent(): ReadonlySet<QueuedSettlement> {
    return this.#sent;
  }

  /** Sends one. */
  push(settlement: QueuedSettlement): void {
    this.#sent.add(settlement);
    void this.#settle(settlement).then(() => {
      this.#sent.delete(settlement);
      this.#port.onChange();
    });
  }

  /** Never rejects. */
  async #settle(queued: QueuedSettlement): Promise<void> {
    const { clock, leaseMs } = this.#settings;
    const { givingUp } = this.#port;
    const endsAt = clock.now() + leaseMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = longerPause(pauseMs)) {
      const answer = await this.#ask(queued);
      if (answer === 'others') return this.#port.settleWithOthers(queued);
      if (answer !== 'locked') return queued.onAnswer(answer, 'once');
      if (givingUp.aborted) return;
      if (clock.now() >= endsAt) return this.#leave(queued);
      await sleep(clock, pauseMs, givingUp);
    }
  }

  /** Whatever fails is left to an exchange, which sends it again, divides it and replaces it. */
  async #ask({ settlement }: QueuedSettlement): Promise<SettleAnswer | 'locked' | 'others'> {
    const { withoutWaiting } = this.#settings.broker;
    if (withoutWaiting === undefined) return 'others';
    try {
      const [answer = 'others'] = await withoutWaiting.settle([settlement]);
      return answer;
    } catch {
      return 'others';
    }
  }

  #leave(queued: QueuedSettlement): void {
    const { id, epoch } = queued.settlement;
    const error = new StalledError('the transaction in which its handler completed it is still open');
    this.#port.onError(error, `settling run ${id}, epoch ${epoch}: its lease is left to expire`);
    queued.onAnswer('refused', 'again');
  }
}
