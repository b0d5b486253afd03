import { randomUUID } from 'node:crypto';
import type { WaitForWork, WaitOptions, WaitRequest } from '@retry/core/broker';
import { callOutside } from '../driver/outside.ts';
import type { Subscriber } from '../driver/redis-link.ts';
import { withCure } from '../driver/rights.ts';
import { RECORD, widthOf } from '../record/layout.ts';
import { nextDueScript } from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';
import type { LaneWork } from './wait.ts';
import { LaneWatch, Wait } from './wait.ts';

/** How often the watchdog sends a message to its own connection, and how long that may take to arrive, in ms. */
interface WatchdogOptions {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

/** An instant as the scripts write it. */
const INSTANT = new RegExp(`^\\d{${widthOf(RECORD, 'runAt')}}$`);

/**
 * Receives wake signals: messages on a subscriber connection. A watchdog replaces a connection that is open but receives
 * nothing any more.
 */
export class WakeSubscription {
  readonly #store: Store;
  readonly #watchdog: WatchdogOptions;
  /** What waits, and, where that is for work, what decides about the end. */
  readonly #waits = new Map<Wait, LaneWatch | undefined>();
  readonly #channels = new Map<string, Promise<void>>();
  /** Channels whose subscription the server has confirmed. */
  readonly #confirmed = new Set<string>();
  /** The channel of the watchdog's own messages. */
  readonly #echo: string;
  #subscriber: Subscriber | undefined;
  #receivedAt = 0;
  #watchdogTimer: NodeJS.Timeout | undefined;
  #isChecking = false;
  /** Something has waited since the last check. */
  #hasWaited = false;
  #isClosed = false;

  constructor(store: Store, watchdog: WatchdogOptions) {
    this.#store = store;
    this.#watchdog = watchdog;
    this.#echo = `${store.keys.wakeOf('')}\0${randomUUID()}`;
  }

  /**
   * Resolves when one of the lanes may have work, or when a run whose result is kept may have ended, at the latest after the timeout or
   * when the signal aborts.
   */
  wait(request: WaitRequest): Promise<void> {
    // A call that waited for something else may come here after the broker was closed.
    if (this.#isClosed || request.timeoutMs <= 0 || request.signal?.aborted) return Promise.resolve();
    return request.lanes === undefined ? this.#waitForResult(request) : this.#waitForWork(request);
  }

  #waitForWork({ lanes, ...options }: WaitForWork): Promise<void> {
    const tags = lanes.map(toTag);
    const { wakeOf, holdsChannel } = this.#store.keys;
    const wait = new Wait(new Set([holdsChannel, ...tags.map(wakeOf)]), options);
    const watch = new LaneWatch(wait, () => this.#readWork(tags));
    return this.#run(wait, watch, async () => {
      // Subscribe before reading the lanes, so that no wake signal is lost in between.
      await this.#subscribeAll(wait.channels);
      await watch.read();
    });
  }

  /** The first call resolves as soon as it is subscribed, as a run may have ended before. */
  #waitForResult(options: WaitOptions): Promise<void> {
    const channel = this.#store.keys.resultChannel;
    const wait = new Wait(new Set([channel]), options);
    const wasConfirmed = this.#confirmed.has(channel);
    return this.#run(wait, undefined, async () => {
      await this.#subscribeAll([channel]);
      if (!wasConfirmed) wait.end();
    });
  }

  /** Ends every wait and the connection. */
  close(): void {
    this.#isClosed = true;
    this.#endWaits();
    this.#stopWatchdog();
    this.#drop(this.#subscriber);
  }

  async #run(wait: Wait, watch: LaneWatch | undefined, begin: () => Promise<void>): Promise<void> {
    this.#waits.set(wait, watch);
    this.#startWatchdog();
    this.#follow(wait, begin());
    try {
      await wait.ended;
    } finally {
      this.#waits.delete(wait);
    }
  }

  /** A step of a wait that fails ends it. */
  #follow(wait: Wait, step: Promise<void>): void {
    step.catch((error: unknown) => wait.fail(withCure(error, this.#store.keys)));
  }

  async #readWork(tags: readonly string[]): Promise<LaneWork> {
    const reply = await runListScript(this.#store, nextDueScript, [pack(tags)], tags);
    const [now, next, held] = reply as readonly [now: number, next: number, held: number]; // what our own script returns
    return { now, workAt: next < 0 ? undefined : next, isOnHold: held === 1 };
  }

  /** Subscribes to channels; usually none is new, because the same lanes are waited for again and again. */
  #subscribeAll(channels: Iterable<string>): Promise<unknown> {
    const missing = [...channels, this.#echo].filter((channel) => !this.#confirmed.has(channel));
    return Promise.all(missing.map((channel) => this.#subscribe(channel)));
  }

  #subscribe(channel: string): Promise<void> {
    const known = this.#channels.get(channel);
    if (known !== undefined) return known;
    this.#subscriber ??= callOutside(() => this.#listen());
    const subscriber = this.#subscriber;
    const subscribing = subscriber.subscribe(channel);
    this.#channels.set(channel, subscribing);
    subscribing.then(
      () => void (this.#subscriber === subscriber && this.#confirmed.add(channel)),
      () => this.#drop(subscriber),
    );
    return subscribing;
  }

  #listen(): Subscriber {
    return this.#store.link.listen(
      (from, message) => this.#onMessage(from, message),
      // Messages that were sent while the connection was lost are lost.
      () => this.#endWaits(),
    );
  }

  #onMessage(channel: string, message: string): void {
    this.#receivedAt = performance.now();
    for (const [wait, watch] of this.#waits) {
      if (!wait.channels.has(channel)) continue;
      // Other programs may publish here, too: a message that is no instant of ours means that anything may have changed.
      if (watch === undefined) wait.end();
      else if (channel === this.#store.keys.holdsChannel) this.#follow(wait, watch.read());
      else this.#follow(wait, watch.signal(INSTANT.test(message) ? Number(message) : 0));
    }
  }

  #endWaits(): void {
    for (const wait of this.#waits.keys()) wait.end();
  }

  #startWatchdog(): void {
    this.#hasWaited = true;
    this.#watchdogTimer ??= callOutside(() =>
      setInterval(() => void this.#check(), this.#watchdog.everyMs).unref(),
    );
  }

  #stopWatchdog(): void {
    clearInterval(this.#watchdogTimer);
    this.#watchdogTimer = undefined;
  }

  /**
   * Publishes to its own channel, and replaces a connection that does not receive that in time. It continues between two waits, as
   * each of them may be shorter than the interval, and ends when nothing has waited during a whole one.
   */
  async #check(): Promise<void> {
    if (!this.#hasWaited && this.#waits.size === 0) return this.#stopWatchdog();
    this.#hasWaited = false;
    const subscriber = this.#subscriber;
    // One message at a time: more would only pile up while the server is unreachable.
    if (subscriber === undefined || this.#isChecking) return;
    const sentAt = performance.now();
    this.#isChecking = true;
    try {
      await this.#store.link.send(this.#echo, ['PUBLISH', this.#echo, '']);
    } catch {
      // The server is unreachable for every connection; workers keep polling.
      return;
    } finally {
      this.#isChecking = false;
    }
    await new Promise((resolve) => setTimeout(resolve, this.#watchdog.timeoutMs).unref());
    if (this.#receivedAt >= sentAt || this.#subscriber !== subscriber || this.#isClosed) return;
    this.#drop(subscriber);
    this.#endWaits();
  }

  /**
   * Ends a connection, unless another one has replaced it, and the waits that it would have woken. Those whose channels it was still
   * subscribing to reject with the reason.
   */
  #drop(subscriber: Subscriber | undefined): void {
    if (subscriber === undefined || subscriber !== this.#subscriber) return;
    const subscribed = [...this.#waits.keys()].filter(({ channels }) =>
      [...channels].every((channel) => this.#confirmed.has(channel)),
    );
    this.#subscriber = undefined;
    this.#channels.clear();
    this.#confirmed.clear();
    subscriber.destroy();
    for (const wait of subscribed) wait.end();
  }
}
