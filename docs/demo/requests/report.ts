import type { GiveUpReason } from '@retry/inprocess';
import { formatTable } from '../table.ts';
import { causeOf } from './cause.ts';
import type { DelayGroup } from './delay-groups.ts';
import { groupDrawn, groupRaised } from './delay-groups.ts';
import type { RequestRecord } from './request-record.ts';
import { attemptsOf, failuresOf } from './request-record.ts';

const WIDEST_BAR = 40;

const MEANING: Readonly<Record<GiveUpReason, string>> = {
  unexpected: 'retryOn does not match it',
  exhausted: 'no attempts left',
  'not-retryable': 'the policy never retries',
  stopped: 'a rule ends it',
  'total-timeout': 'no time left',
  'retry-after': 'the server asked for too long',
  budget: 'the retry budget is empty',
  aborted: 'the caller aborted',
  'circuit-open': 'the circuit breaker is open',
  group: 'the group drains',
};

/** Formats the tables of the run as lines. */
export function formatReport(records: readonly RequestRecord[]): readonly string[] {
  return [tableOfAttempts, tableOfFailures, tableOfDelays, tableOfGivenUp].flatMap((table) => [
    '',
    ...table(records),
  ]);
}

function tableOfAttempts(records: readonly RequestRecord[]): readonly string[] {
  const counts = [...countBy(records.map(attemptsOf))].sort(([a], [b]) => a - b);
  const most = Math.max(...counts.map(([, count]) => count));
  const rows = counts.map(([attempts, count]) => [
    attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    count,
    '█'.repeat(Math.ceil((count / most) * WIDEST_BAR)),
  ]);
  return formatTable(['Settled after', 'requests', ''], rows);
}

function tableOfFailures(records: readonly RequestRecord[]): readonly string[] {
  const retried = countBy(records.flatMap(({ retries }) => retries.map(({ error }) => causeOf(error))));
  const all = [...countBy(records.flatMap(failuresOf).map(causeOf))].sort(([a], [b]) => (a < b ? 1 : -1));
  const rows = all.map(([cause, count]) => {
    const again = retried.get(cause) ?? 0;
    return [cause, count, again, count - again];
  });
  return formatTable(['Failed because of', 'attempts', 'retried', 'given up'], rows);
}

function tableOfDelays(records: readonly RequestRecord[]): readonly string[] {
  const groups = [...groupDrawn(records), groupRaised(records)].filter(({ delaysMs }) => delaysMs.length > 0);
  const head = ['Delays in ms', 'count', 'min', 'mean', 'max', 'allowed', 'within'];
  return formatTable(head, groups.map(delayRow));
}

function delayRow({ name, allowed, delaysMs, kept }: DelayGroup): readonly (string | number)[] {
  const mean = delaysMs.reduce((sum, delayMs) => sum + delayMs, 0) / delaysMs.length;
  const spread = [Math.min(...delaysMs), mean, Math.max(...delaysMs)].map((ms) => ms.toFixed(1));
  return [name, delaysMs.length, ...spread, allowed, kept];
}

function tableOfGivenUp(records: readonly RequestRecord[]): readonly string[] {
  const rows = records.flatMap((record) => {
    if (record.stop === undefined) return [];
    const { error, reason } = record.stop;
    return [[record.path, attemptsOf(record), causeOf(error), `${reason}: ${MEANING[reason]}`]];
  });
  return formatTable(['Given up', 'attempts', 'last error', 'reason'], rows);
}

function countBy<Key>(keys: readonly Key[]): ReadonlyMap<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
