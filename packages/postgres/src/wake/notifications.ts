import { randomUUID } from 'node:crypto';
import type { Database } from '../driver/database.ts';
import type { SqlClient } from '../driver/sql-client.ts';
import type { PostgresBrokerSettings } from '../options.ts';
import { channelOf } from '../schema/migrations.ts';
import { openSubscription } from './subscription.ts';

/** The content of a notification. */
export interface WorkNotification {
  /** Lanes that may have work now. */
  readonly ready: readonly string[];
  /** Lanes that have more in their schedule. */
  readonly later: readonly string[];
  /** Whether runs may have ended whose results a caller waits for. */
  readonly results: boolean;
}

/** The notifications of other processes that use the same schema. */
export interface Notifications {
  /** Subscribes, if that is wanted and possible. Returns whether notifications arrive. */
  readonly subscribe: () => Promise<boolean>;
  /** Sets what is called with each notification; `undefined` means that anything may have changed. */
  readonly onNotification: (listener: (notification: WorkNotification | undefined) => void) => void;
  readonly close: () => Promise<void>;
}

/** Returns the notifications that arrive by this client. */
export function openNotifications(
  client: SqlClient,
  { schema, listen }: Pick<PostgresBrokerSettings, 'schema' | 'listen'>,
): Notifications {
  let emit: (notification: WorkNotification | undefined) => void = () => {};
  const subscription = openSubscription(client, channelOf(schema), (message) => emit(read(message)));
  return {
    subscribe: async () => listen && subscription.start(),
    onNotification: (listener) => {
      emit = listener;
    },
    close: () => subscription.close(),
  };
}

/** Reads a message; `undefined` for one that this package has not sent: any role that may connect can write to the channel. */
function read(message: string): WorkNotification | undefined {
  const parsed = parse(message);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { ready, later, results } = parsed as { readonly [Key in keyof WorkNotification]?: unknown }; // any object has keys
  if (!isNames(ready ?? []) || !isNames(later ?? []) || typeof results !== 'boolean') return undefined;
  return { ready: ready ?? [], later: later ?? [], results } as WorkNotification; // checked just now
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** How long the row of a waiting process counts without being renewed, in ms. */
const NOTICE_MS = 30_000;

/** A worker that finds work keeps its row for this long: it may be idle again by then. */
const LINGER_MS = 200;

/** What a process waits for. */
type WaitsFor = 'work' | 'results';

/**
 * Whether other processes notify this one: `new` when they may not have done so until now, `known` when they did so already,
 * `unreachable` where no notifications arrive.
 */
type NoticeState = 'new' | 'known' | 'unreachable';

/** Keeps the row by which this process announces that it waits for work, or for results: others notify only then. */
export class WaitingNotice {
  readonly #id = randomUUID();
  readonly #database: Database;
  readonly #notifications: Notifications;
  readonly #forResults: boolean;
  readonly #noticeMs: number;
  #isWaiting = false;
  #knownUntil = 0;
  #linger: NodeJS.Timeout | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(
    database: Database,
    notifications: Notifications,
    waitsFor: WaitsFor,
    noticeMs: number = NOTICE_MS,
  ) {
    this.#noticeMs = noticeMs;
    this.#forResults = waitsFor === 'results';
    this.#database = database;
    this.#notifications = notifications;
  }

  /** Announces that this process waits. Resolves when other processes can know it. */
  async start(): Promise<NoticeState> {
    this.#isWaiting = true;
    clearTimeout(this.#linger);
    if (!(await this.#notifications.subscribe())) return 'unreachable';
    if (performance.now() < this.#knownUntil) return 'known';
    this.#knownUntil = performance.now() + this.#noticeMs / 2;
    const row = { waiter: this.#id, ttlMs: this.#noticeMs, forResults: this.#forResults };
    await this.#send(() => this.#database.call('start_waiting', row));
    return 'new';
  }

  /** Withdraws the announcement a little later, unless the process waits again by then. */
  stop(): void {
    this.#isWaiting = false;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => void this.#withdraw(), LINGER_MS);
    this.#linger.unref();
  }

  async close(): Promise<void> {
    this.#isWaiting = false;
    clearTimeout(this.#linger);
    await this.#withdraw();
  }

  async #withdraw(): Promise<void> {
    if (this.#isWaiting || this.#knownUntil === 0) return this.#underWay.then(() => undefined);
    this.#knownUntil = 0;
    await this.#send(() => this.#database.call('stop_waiting', { waiter: this.#id }));
  }

  /** Sends one call after another, so that the latest takes effect last. A call that fails costs one poll or one message. */
  #send(call: () => Promise<unknown>): Promise<unknown> {
    this.#underWay = this.#underWay.then(call).catch(() => undefined);
    return this.#underWay;
  }
}
