import { randomUUID } from 'node:crypto';
import type { WaitOptions } from '@retry/core/broker';
import type { Ear } from '../driver/redis-link.ts';
import { withCure } from '../driver/rights.ts';
import { lookScript } from '../scripts/wait-for-work.ts';
import { toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import { Wait } from './wait.ts';

/** How often a connection that is listened to is asked whether it still hears, and how long it may take, in ms. */
export interface WatchdogOptions {
  readonly everyMs: number;
  readonly patienceMs: number;
}

/** An instant as the scripts write it. */
const INSTANT = /^\d{16}$/;

/** Hears of work: messages on a connection of its own, with a watchdog that replaces one which went deaf. */
export class Lookout {
  readonly #store: Store;
  readonly #watchdog: WatchdogOptions;
  readonly #waits = new Set<Wait>();
  readonly #channels = new Map<string, Promise<void>>();
  /** Those channels that the server has confirmed. */
  readonly #listening = new Set<string>();
  readonly #echo: string;
  #ear: Ear | undefined;
  #heardAt = 0;
  #patrol: NodeJS.Timeout | undefined;
  #isAsking = false;
  #isClosed = false;

  constructor(store: Store, watchdog: WatchdogOptions) {
    this.#store = store;
    this.#watchdog = watchdog;
    this.#echo = `${store.keys.wakeOf('')}\0${randomUUID()}`;
  }

  /** Resolves when one of the lanes may have work, at the latest after the timeout or when the signal aborts. */
  async waitForWork(lanes: readonly string[], options: WaitOptions): Promise<void> {
    if (options.timeoutMs <= 0 || options.signal?.aborted) return;
    const tags = lanes.map(toTag);
    const wait = new Wait(new Set(tags.map((tag) => this.#store.keys.wakeOf(tag))), options);
    await this.#keep(wait, async () => {
      // Listening comes first, so that nothing is missed between looking and waiting.
      await this.#listen(wait.channels);
      await this.#look(tags, wait);
    });
  }

  async #keep(wait: Wait, begin: () => Promise<void>): Promise<void> {
    this.#waits.add(wait);
    this.#startPatrol();
    begin().catch((error: unknown) => wait.fail(withCure(error, this.#store.keys)));
    try {
      await wait.ended;
    } finally {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#stopPatrol();
    }
  }

  /**
   * Resolves when a run whose result is kept may have ended, at the latest after the timeout or when the signal aborts;
   * at once where nothing was listened to so far, as one may have ended meanwhile.
   */
  async waitForResult(options: WaitOptions): Promise<void> {
    if (options.timeoutMs <= 0 || options.signal?.aborted) return;
    const channel = this.#store.keys.resultChannel;
    const wait = new Wait(new Set([channel]), options);
    const wasListening = this.#listening.has(channel);
    await this.#keep(wait, async () => {
      await this.#listen([channel]);
      if (!wasListening) wait.end();
    });
  }

  /** Ends every wait and the connection. */
  close(): void {
    this.#isClosed = true;
    this.#endWaits();
    this.#stopPatrol();
    this.#dropEar(this.#ear);
  }

  async #look(tags: readonly string[], wait: Wait): Promise<void> {
    if (wait.hasEnded) return;
    const reply = await runScript(this.#store, lookScript, [pack(tags)], tags);
    const [now, next] = reply as readonly [number, number]; // what our own script returns
    wait.synchronize(now);
    if (next >= 0) wait.endAt(next);
  }

  async #listen(channels: Iterable<string>): Promise<void> {
    await Promise.all([...channels, this.#echo].map((channel) => this.#subscribe(channel)));
  }

  #subscribe(channel: string): Promise<void> {
    const known = this.#channels.get(channel);
    if (known !== undefined) return known;
    this.#ear ??= this.#store.link.listen(
      (from, message) => this.#onMessage(from, message),
      // Whatever was said while it was lost was not heard.
      () => this.#endWaits(),
    );
    const ear = this.#ear;
    const subscribing = ear.subscribe(channel);
    this.#channels.set(channel, subscribing);
    subscribing.then(
      () => void (this.#ear === ear && this.#listening.add(channel)),
      () => this.#dropEar(ear),
    );
    return subscribing;
  }

  #onMessage(channel: string, message: string): void {
    this.#heardAt = Date.now();
    for (const wait of this.#waits) {
      if (!wait.channels.has(channel)) continue;
      // Others may send to the channel, too: what is no instant of ours says no more than that something changed.
      if (INSTANT.test(message)) wait.endAt(Number(message));
      else wait.end();
    }
  }

  #endWaits(): void {
    for (const wait of this.#waits) wait.end();
  }

  #startPatrol(): void {
    this.#patrol ??= setInterval(() => void this.#checkEar(), this.#watchdog.everyMs).unref();
  }

  #stopPatrol(): void {
    clearInterval(this.#patrol);
    this.#patrol = undefined;
  }

  /** Says something to itself; a connection that does not hear it in time is replaced. */
  async #checkEar(): Promise<void> {
    const ear = this.#ear;
    // What the server has not answered waits for it already; more would only pile up while it is away.
    if (ear === undefined || this.#isAsking) return;
    const askedAt = Date.now();
    this.#isAsking = true;
    try {
      await this.#store.link.send(this.#echo, ['PUBLISH', this.#echo, '']);
    } catch {
      // The server is out of reach for everybody; polling goes on.
      return;
    } finally {
      this.#isAsking = false;
    }
    await new Promise((resolve) => setTimeout(resolve, this.#watchdog.patienceMs).unref());
    if (this.#heardAt >= askedAt || this.#ear !== ear || this.#isClosed) return;
    this.#dropEar(ear);
    this.#endWaits();
  }

  /** Ends a connection, unless another one has taken its place. */
  #dropEar(ear: Ear | undefined): void {
    if (ear === undefined || ear !== this.#ear) return;
    this.#ear = undefined;
    this.#channels.clear();
    this.#listening.clear();
    ear.destroy();
  }
}
