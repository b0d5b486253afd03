import type { Matcher } from '@retry/core';
import { matchesError } from '@retry/core';
import { postgres, redis } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';

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
});
