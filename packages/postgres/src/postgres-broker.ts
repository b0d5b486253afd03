import type { Broker, Submission, SubmitAnswer } from '@retry/core/broker';
import { closedError } from '@retry/core/broker';
import { ClaimMemory } from './claim-memory.ts';
import { openConnection } from './connection.ts';
import type { Database } from './database.ts';
import { openDatabase } from './database.ts';
import { exchange } from './exchange.ts';
import { IdleNotice } from './idle-notice.ts';
import { inChunks } from './in-chunks.ts';
import {
  auditRuns,
  cancelRuns,
  discardRuns,
  findExpired,
  getRuns,
  heartbeat,
  listRuns,
  redriveRuns,
} from './operations.ts';
import type { PostgresBrokerOptions } from './options.ts';
import { readOptions } from './options.ts';
import { Retention } from './retention.ts';
import { submissionColumns, submitAnswers } from './submit.ts';
import type { TransactionBroker } from './within.ts';
import { brokerWithin } from './within.ts';
import { WorkWatch } from './work-watch.ts';

/** A broker whose submissions and settlements can join a transaction of the user's. */
export interface PostgresBroker extends Broker {
  /**
   * The same broker inside a transaction, given the client that began it: what is submitted and settled there holds
   * when it commits, and never was when it does not.
   *
   * @throws {PostgresBrokerError} `INVALID_OPTIONS` for what has no `query`
   */
  readonly within: (transaction: unknown) => TransactionBroker;
}

/** So many submissions travel in one statement. */
const MOST_SUBMISSIONS = 20_000;

/**
 * A broker that keeps its runs in Postgres, or in PGlite. The schema has to be there: see {@link migrate}.
 *
 * @throws {PostgresBrokerError} `INVALID_OPTIONS`
 */
export function createPostgresBroker(options: PostgresBrokerOptions): PostgresBroker {
  const settings = readOptions(options);
  const connection = openConnection(settings);
  const database = openDatabase(connection.client, settings.schema);
  const memory = new ClaimMemory();
  const retention = new Retention(settings.keepCompleted);
  const notice = new IdleNotice(database, connection);
  const watch: WorkWatch = new WorkWatch(database, memory, (waits) => notice.set(waits));
  const port = { database, memory, retention, watch };
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    watch.close();
    await notice.close();
    await database.close();
    await connection.close();
  };
  connection.onNews((news) => (news === undefined ? watch.pokeAll() : watch.poke(news)));
  return {
    submit: (submissions) => submit(database, watch, submissions),
    exchange: (request) => exchange(port, request),
    ...verbs(database, watch),
    waitForWork: (lanes, wait) =>
      isClosed ? Promise.reject(closedError('Postgres')) : watch.wait(lanes, wait),
    within: (transaction) => brokerWithin(transaction, settings),
    close,
  };
}

function verbs(
  database: Database,
  watch: WorkWatch,
): Omit<Broker, 'submit' | 'exchange' | 'waitForWork' | 'close'> {
  return {
    heartbeat: (beats, leaseMs) => heartbeat(database, beats, leaseMs),
    findExpired: (limit) => findExpired(database, limit),
    cancel: (ids) => cancelRuns(database, ids),
    redrive: (ids, options) =>
      redriveRuns(database, { ids, options }, (lanes) => watch.poke({ ready: lanes, later: [] })),
    discard: (ids) => discardRuns(database, ids),
    get: (ids) => getRuns(database, ids),
    list: (query) => listRuns(database, query),
    audit: () => auditRuns(database),
  };
}

function submit(
  database: Database,
  watch: WorkWatch,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  return inChunks(
    submissions,
    async (chunk) => {
      const created = await database.call('submit_runs', [...submissionColumns(chunk), true]);
      watch.poke({ ready: lanesOf(chunk, 'now'), later: lanesOf(chunk, 'later') });
      return submitAnswers(chunk, created);
    },
    MOST_SUBMISSIONS,
  );
}

function lanesOf(submissions: readonly Submission[], when: 'now' | 'later'): readonly string[] {
  const isLater = ({ runAt, delayMs = 0 }: Submission): boolean => runAt !== undefined || delayMs > 0;
  const meant = submissions.filter((submission) => isLater(submission) === (when === 'later'));
  return [...new Set(meant.map(({ lane }) => lane))];
}
