import type { Broker, Submission, SubmitAnswer } from '@retry/core/broker';
import { checkInput, closedError } from '@retry/core/broker';
import type { Connection } from './driver/connection.ts';
import { openConnection } from './driver/connection.ts';
import type { Database } from './driver/database.ts';
import { openDatabase } from './driver/database.ts';
import { isRefusal } from './driver/refusal.ts';
import type { PostgresBrokerOptions, PostgresBrokerSettings } from './options.ts';
import { readOptions } from './options.ts';
import { ClaimMemory } from './verbs/claim-memory.ts';
import { inChunks } from './verbs/in-chunks.ts';
import {
  attend,
  auditRuns,
  cancelRuns,
  discardRuns,
  findCancelRequests,
  findExpired,
  getRuns,
  heartbeat,
  listRuns,
  redriveRuns,
} from './verbs/operations.ts';
import { Retention } from './verbs/retention.ts';
import type { ExchangePort } from './verbs/settle-and-claim.ts';
import { exchange, setAside } from './verbs/settle-and-claim.ts';
import { submissionColumns, submitAnswers } from './verbs/submit.ts';
import type { TransactionBroker } from './verbs/within.ts';
import { brokerWithin } from './verbs/within.ts';
import { IdleNotice } from './wake/idle-notice.ts';
import { ResultWatch } from './wake/wait-for-result.ts';
import { WorkWatch } from './wake/wait-for-work.ts';

/** A broker whose submissions and settlements can join a transaction of the user's. */
export interface PostgresBroker extends Broker {
  /**
   * The same broker inside a transaction, given the client that began it: what is submitted and settled there holds
   * when it commits, and never was when it does not.
   *
   * @throws {InvalidOptionsError} for what has no `query`
   */
  readonly within: (transaction: unknown) => TransactionBroker;
}

/** So many submissions travel in one statement. */
const MAX_SUBMISSIONS = 20_000;

/**
 * A broker that keeps its runs in Postgres, or in PGlite. The schema has to be there: see {@link migrate}.
 *
 * @throws {InvalidOptionsError} for wrong options
 */
export function createPostgresBroker(options: PostgresBrokerOptions): PostgresBroker {
  const settings = readOptions(options);
  const connection = openConnection(settings);
  const database = openDatabase(connection.client, settings.schema);
  const port = openPort(settings, connection, database);
  const { watch, results } = port;
  let isClosed = false;
  const open = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
    isClosed ? Promise.reject(closedError('Postgres')) : answer();
  return checkInput<PostgresBroker>({
    submit: (submissions) => submit(port, submissions),
    settleAndClaim: (request) => exchange(port, request),
    ...verbs(port, settings),
    waitForWork: (lanes, wait) => open(() => watch.wait(lanes, wait)),
    waitForResult: (wait) => open(() => results.wait(wait)),
    isRefusal,
    ...(settings.url !== undefined && { ownsConnection: true }),
    within: (transaction) => brokerWithin(transaction, settings),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await port.close();
      await database.close();
      await connection.close();
    },
  });
}

/** What the verbs of a broker work with. */
interface Port extends ExchangePort {
  /** Ends every wait, and lets other processes know. */
  readonly close: () => Promise<void>;
}

function openPort(settings: PostgresBrokerSettings, connection: Connection, database: Database): Port {
  const memory = new ClaimMemory();
  const workNotice = new IdleNotice(database, connection, 'of work');
  const resultNotice = new IdleNotice(database, connection, 'of results');
  const watch: WorkWatch = new WorkWatch(database, memory, (waits) => workNotice.set(waits));
  const results = new ResultWatch(resultNotice);
  connection.onNews((news) => {
    if (news === undefined) watch.pokeAll();
    else watch.poke(news);
    if (news?.results !== false) results.wake();
  });
  return {
    ...{ database, memory, watch, results },
    retention: new Retention(settings),
    close: async () => {
      watch.close();
      results.close();
      await Promise.all([workNotice.close(), resultNotice.close()]);
    },
  };
}

function verbs(
  port: Port,
  { keepKeysMs }: PostgresBrokerSettings,
): Omit<Broker, 'submit' | 'settleAndClaim' | 'waitForWork' | 'waitForResult' | 'isRefusal' | 'close'> {
  const { database, watch } = port;
  return {
    heartbeat: (beats, leaseMs) => heartbeat(database, beats, leaseMs),
    findExpired: async (limit, scope) => {
      const { runs, unreadable } = await findExpired(database, limit, scope);
      if (unreadable.length > 0) await setAside(port, unreadable);
      return runs;
    },
    cancel: (ids) => cancelRuns(database, ids),
    findCancelRequests: (leases) => findCancelRequests(database, leases),
    redrive: (ids, options) =>
      redriveRuns(database, { ids, options }, (lanes) => watch.poke({ ready: lanes, later: [] })),
    discard: (ids) => discardRuns(database, ids, keepKeysMs),
    get: (ids, options) => getRuns(database, ids, options),
    list: (query) => listRuns(database, query),
    attend: (attendance) => attend(database, attendance),
    audit: () => auditRuns(database),
  };
}

function submit(
  { database, watch }: Port,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  return inChunks(
    submissions,
    async (chunk) => {
      const created = await database.call('submit_runs', [...submissionColumns(chunk), true]);
      watch.poke({ ready: lanesOf(chunk, 'now'), later: lanesOf(chunk, 'later') });
      return submitAnswers(chunk, created);
    },
    { items: MAX_SUBMISSIONS, bytesOf: ({ payload }) => payload.length },
  );
}

function lanesOf(submissions: readonly Submission[], when: 'now' | 'later'): readonly string[] {
  const isLater = ({ runAt, delayMs = 0 }: Submission): boolean => runAt !== undefined || delayMs > 0;
  const meant = submissions.filter((submission) => isLater(submission) === (when === 'later'));
  return [...new Set(meant.map(({ lane }) => lane))];
}
