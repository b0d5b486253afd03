import { randomUUID } from 'node:crypto';
import type { Connection } from '../driver/connection.ts';
import type { Database } from '../driver/database.ts';

/** How long other processes take this one for idle without hearing of it again, in ms. */
const NOTICE_MS = 30_000;

/** A worker that finds work goes on being told of more for so long: it may well be idle again by then. */
const LINGER_MS = 200;

/** Lets other processes know whether work, or results, are waited for here: only then do they notify. */
export class IdleNotice {
  readonly #id = randomUUID();
  readonly #database: Database;
  readonly #connection: Connection;
  readonly #forResults: boolean;
  #isWaiting = false;
  #knownUntil = 0;
  #linger: NodeJS.Timeout | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(database: Database, connection: Connection, news: 'of work' | 'of results') {
    this.#forResults = news === 'of results';
    this.#database = database;
    this.#connection = connection;
  }

  /** Returns `new` when others may have sent nothing until now, `deaf` where no notifications arrive. */
  async set(waits: 'yes' | 'no'): Promise<'new' | 'known' | 'deaf'> {
    this.#isWaiting = waits === 'yes';
    clearTimeout(this.#linger);
    if (waits === 'no') {
      this.#linger = setTimeout(() => void this.#stop(), LINGER_MS);
      this.#linger.unref();
      return 'known';
    }
    if (!(await this.#connection.listen())) return 'deaf';
    if (performance.now() < this.#knownUntil) return 'known';
    this.#knownUntil = performance.now() + NOTICE_MS / 2;
    await this.#send(() => this.#database.call('await_news', [this.#id, NOTICE_MS, this.#forResults]));
    return 'new';
  }

  async close(): Promise<void> {
    this.#isWaiting = false;
    clearTimeout(this.#linger);
    await this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#isWaiting || this.#knownUntil === 0) return this.#underWay.then(() => undefined);
    this.#knownUntil = 0;
    await this.#send(() => this.#database.call('stop_waiting', [this.#id]));
  }

  /** One after another, so that the latest word is the last. A word that is lost costs a look or a message. */
  #send(call: () => Promise<unknown>): Promise<unknown> {
    this.#underWay = this.#underWay.then(call).catch(() => undefined);
    return this.#underWay;
  }
}
