import type { Matcher } from '@retry/core';
import { matchesError } from '@retry/core';
import { http, mysql, network, postgres, redis, timeouts } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';
import { errorWith, type Meaning, meaningIn, meaningOf } from './meaning.ts';

function isMeant(set: readonly Matcher[], error: unknown): boolean {
  return set.some((matcher) => matchesError(matcher, error));
}

describe('postgres', () => {
  it.each([
    ['40001', 'serialization_failure'],
    ['40P01', 'deadlock_detected'],
    ['55P03', 'lock_not_available'],
    ['53300', 'too_many_connections'],
    ['08000', 'connection_exception'],
    ['08006', 'connection_failure'],
    ['57P01', 'admin_shutdown'],
    ['57P02', 'crash_shutdown'],
    ['57P03', 'cannot_connect_now'],
    ['57P05', 'idle_session_timeout'],
  ])('matches %s %s', (code, message) => {
    expect(isMeant(postgres, Object.assign(new Error(message), { code }))).toBe(true);
  });

  it.each([
    ['23505', 'unique_violation'],
    ['42601', 'syntax_error'],
    ['57014', 'query_canceled'],
    ['40002', 'transaction_integrity_constraint_violation'],
    ['53100', 'disk_full'],
    ['28P01', 'invalid_password'],
    ['00800', 'no code of class 08'],
  ])('does not match %s %s', (code, message) => {
    expect(isMeant(postgres, Object.assign(new Error(message), { code }))).toBe(false);
  });

  it('does not match a numeric code of the same digits', () => {
    expect(isMeant(postgres, { code: 40_001 })).toBe(false);
  });

  it.each([
    'server login has been failing, try again later (server_login_retry)',
    'server login has been failing, cached error: connect failed (server_login_retry)',
    'server login has been failing, cached error: the database system is starting up (server_login_retry)',
    'server login has been failing, cached error: (server_login_retry)',
  ])(
    'takes what PgBouncer says while the server is down for a failure that applied nothing: %s',
    (message) => {
      expect(isMeant(postgres.notApplied, Object.assign(new Error(message), { code: '08P01' }))).toBe(true);
    },
  );

  it.each([
    'password authentication failed for user "app"',
    'database "app" does not exist',
    'role "app" does not exist',
    'no pg_hba.conf entry for host "10.0.0.7", user "app", database "app", no encryption',
  ])('does not match a login that PgBouncer remembers as refused: %s', (cause) => {
    const message = `server login has been failing, cached error: ${cause} (server_login_retry)`;

    expect(isMeant(postgres, Object.assign(new Error(message), { code: '08P01' }))).toBe(false);
  });
});

/** One class of knex 3.3 for two timeouts: lib/client.js of the pool, lib/execution/runner.js of `.timeout(1000)`. */
describe('a timeout of knex', () => {
  const name = 'KnexTimeoutError';
  const ofPool = errorWith(
    { name },
    'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
    errorWith({ name: 'TimeoutError' }, 'operation timed out for an unknown reason'),
  );
  const ofQuery = errorWith(
    { name, sql: 'insert into a values (1)', bindings: [], timeout: 1_000 },
    'Defined query timeout of 1000ms exceeded when running query.',
  );
  // Of the driver, whose message knex replaces.
  const ofCancel = errorWith(
    { sql: 'insert into a values (1)', timeout: 1_000 },
    'After query timeout of 1000ms exceeded, cancelling of query failed.',
  );

  it.each(Object.entries({ postgres, mysql, timeouts }))(
    'of the pool is not applied, that of a query ambiguous, by %s',
    (_name, family) => {
      const meanings = [ofPool, ofQuery, ofCancel].map((error) => meaningIn(family, error));

      expect(meanings).toEqual(['not applied', 'ambiguous', 'ambiguous']);
    },
  );
});

describe('redis', () => {
  it.each([
    'LOADING Redis is loading the dataset in memory',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    'CLUSTERDOWN The cluster is down',
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "READONLY You can't write against a read only replica.",
    'NOREPLICAS Not enough good replicas to write.',
    'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
    // An EXEC that is refused itself.
    "EXECABORT Transaction discarded because of: READONLY You can't write against a read only replica.",
    'EXECABORT Transaction discarded because of: NOREPLICAS Not enough good replicas to write.',
  ])('matches the reply %s', (reply) => {
    expect(isMeant(redis, new Error(reply))).toBe(true);
  });

  it.each([
    'ERR unknown command',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'BUSYGROUP Consumer Group name already exists',
    'NOSCRIPT No matching script. Please use EVAL.',
    'OOM command not allowed when used memory > maxmemory',
    'MOVED 3999 127.0.0.1:6381',
    'it was LOADING Redis',
    'EXECABORT Transaction discarded because of previous errors.',
    "EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.",
  ])('does not match the reply %s', (reply) => {
    expect(isMeant(redis, new Error(reply))).toBe(false);
  });

  it('matches the errors of node-redis, which have a class and no name', () => {
    class SocketClosedUnexpectedlyError extends Error {}
    class SocketTimeoutError extends Error {}
    class ConnectionTimeoutError extends Error {}
    class DisconnectsClientError extends Error {}
    const errors = [
      new SocketClosedUnexpectedlyError('Socket closed unexpectedly'),
      new SocketTimeoutError('Socket timeout'),
      new ConnectionTimeoutError('Connection timeout'),
      new DisconnectsClientError('Disconnects client'),
    ];

    expect(errors.map((error) => isMeant(redis, error))).toEqual([true, true, true, true]);
  });

  it('matches the errors of ioredis, which have a name', () => {
    const errors = ['MaxRetriesPerRequestError', 'ClusterAllFailedError'].map((name) =>
      Object.assign(new Error('x'), { name }),
    );

    expect(errors.map((error) => isMeant(redis, error))).toEqual([true, true]);
  });

  it('does not match a client that was closed on purpose', () => {
    class ClientClosedError extends Error {}

    expect(isMeant(redis, new ClientClosedError('The client is closed'))).toBe(false);
  });

  it('takes a transaction in which one command was refused for ambiguous: the others are applied', () => {
    // packages/client/lib/errors.ts of node-redis 6.3
    class MultiErrorReply extends Error {}
    const refused = new Error("READONLY You can't write against a read only replica.");
    const thrown = Object.assign(new MultiErrorReply('1 commands failed, see .replies and .errorIndexes'), {
      replies: [1, refused],
      errorIndexes: [1],
    });

    expect(meaningOf(thrown)).toBe('ambiguous');
    expect(meaningOf(refused)).toBe('not applied');
  });
});

/** As packet.asError() of mysql2 3.23 makes them. */
function ofMysql2(errno: number, code: string, sqlState: string, message: string): Error {
  return errorWith({ code, errno, sqlState, sqlMessage: message }, message);
}

const INACTIVE =
  'The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.';

/** Texts and SQLSTATEs of share/messages_to_clients.txt of MySQL 8; MariaDB's numbers of lib/const/error-code.js of mariadb 3.5. */
describe('mysql', () => {
  it.each<[string, unknown, Meaning]>([
    ['4031, mysql2', ofMysql2(4031, 'ER_CLIENT_INTERACTION_TIMEOUT', 'HY000', INACTIVE), 'not applied'],
    [
      '4031 of MySQL, mariadb',
      ofMysql2(
        4031,
        'ER_REFERENCED_TRG_DOES_NOT_EXIST',
        'HY000',
        `(conn:5, no: 4031, SQLState: HY000) ${INACTIVE}`,
      ),
      'not applied',
    ],
    // mysql2 names it after MySQL.
    [
      '4031 of MariaDB, mysql2',
      ofMysql2(
        4031,
        'ER_CLIENT_INTERACTION_TIMEOUT',
        'HY000',
        "Referenced trigger 'a' for the given action time and event type does not exist.",
      ),
      'permanent',
    ],
    // bugs.mysql.com 96758
    [
      '3101',
      ofMysql2(
        3101,
        'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
        '40000',
        'Plugin instructed the server to rollback the current transaction.',
      ),
      'not applied',
    ],
    [
      '1614',
      ofMysql2(
        1614,
        'ER_XA_RBDEADLOCK',
        'XA102',
        'XA_RBDEADLOCK: Transaction branch was rolled back: deadlock was detected',
      ),
      'not applied',
    ],
    [
      '1613',
      ofMysql2(
        1613,
        'ER_XA_RBTIMEOUT',
        'XA106',
        'XA_RBTIMEOUT: Transaction branch was rolled back: took too long',
      ),
      'not applied',
    ],
    ...[1158, 1159, 1160, 1161].map((errno): [string, unknown, Meaning] => [
      `${errno}`,
      ofMysql2(errno, 'ER_NET_ERROR', '08S01', 'Got timeout reading communication packets'),
      'ambiguous',
    ]),
    [
      '1159 in Prisma',
      errorWith(
        { code: 'P2010' },
        'Raw query failed. Code: `1159`. Message: `Got timeout reading communication packets`',
      ),
      'ambiguous',
    ],
    [
      'a node of Galera that is not ready',
      ofMysql2(1047, 'ER_UNKNOWN_COM_ERROR', '08S01', 'WSREP has not yet prepared node for application use'),
      'not applied',
    ],
    [
      'a command that no server knows',
      ofMysql2(1047, 'ER_UNKNOWN_COM_ERROR', '08S01', 'Unknown command'),
      'permanent',
    ],
    // prisma-engines, libs/user-facing-errors/src/common.rs: "Please try again."
    [
      'P1002',
      errorWith(
        { code: 'P1002' },
        'The database server at `h`:`3306` was reached but timed out.\n\nPlease try again.',
      ),
      'not applied',
    ],
  ])('%s', (_name, thrown, meaning) => {
    expect(meaningIn([...mysql, ...network, ...http], thrown)).toBe(meaning);
  });
});

/** The data that a database refuses is in its text, which may read like any failure. */
describe('a statement that was refused', () => {
  const TEXTS = [
    ...['timed out', 'request timeout', 'bad gateway', 'Service Unavailable', 'too many requests'],
    ...['internal server error', 'rate limit exceeded', 'connection timeout'],
  ];

  it.each(TEXTS)('is permanent with the value "%s" in it', (text) => {
    const pg = errorWith({ name: 'error', code: '22P02' }, `invalid input value for enum state: "${text}"`);
    const drizzle = errorWith({}, `Failed query: insert into "jobs" values ($1)\nparams: ${text}`, pg);
    const mysql = ofMysql2(1062, 'ER_DUP_ENTRY', '23000', `Duplicate entry '${text}' for key 'jobs.state'`);
    const mariadb = ofMysql2(
      1366,
      'ER_TRUNCATED_WRONG_VALUE',
      '22007',
      `Incorrect value: '${text}' for column`,
    );

    expect([pg, drizzle, mysql, mariadb].map(meaningOf)).toEqual(Array(4).fill('permanent'));
  });
});
