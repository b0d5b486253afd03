import { formatDuration } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { type Screen, wrap } from '../terminal/screen.ts';
import { type Cell, type Column, columnsOfTable, renderTable } from '../terminal/table.ts';
import { countOf, describeWaits } from './describe.ts';
import type { PreviewedAttempt, PreviewReport } from './preview-report.ts';

const MIN_BAR = 6;
const MAX_BAR = 60;

/** Returns a preview as a table with a bar for each delay, and its worst case in words. */
export function previewText(report: PreviewReport, screen: Screen): string {
  const { policy, attempts, maxAttempts, options } = report;
  const isPlain = options.seed === undefined;
  const columns: readonly Column[] = [
    { title: 'attempt', align: 'right' },
    { title: 'min', align: 'right' },
    { title: 'mean', align: 'right' },
    { title: 'max', align: 'right' },
    ...(isPlain ? [] : [{ title: 'drawn', align: 'right' } as const]),
    { title: 'after', align: 'right' },
    { title: 'at most', align: 'right' },
    { title: 'clock', align: 'left' },
  ];
  const clock = clockOf(attempts);
  const rows = attempts.map((attempt) => cellsOf(attempt, clock(attempt.startsAt)));
  const barWidth = Math.min(screen.width - columnsOfTable(columns, rows) - 2, MAX_BAR);
  const bars = barWidth < MIN_BAR ? undefined : barsOf(attempts, barWidth, screen);
  const table = renderTable(columns, rows, screen)
    .split('\n')
    .map((line, index) => (bars?.[index - 1] ? `${line}  ${bars[index - 1]}` : line));
  const head = `${countOf(maxAttempts)} ${maxAttempts === 1 ? 'attempt' : 'attempts'}; ${describeWaits(policy)}`;
  return [
    wrap(head, screen.width),
    '',
    ...table,
    ...moreText(report),
    '',
    wrap(worstCase(report), screen.width),
  ].join('\n');
}

function cellsOf({ attempt, delay, drawnMs, startsAfter }: PreviewedAttempt, clock: string): readonly Cell[] {
  return [
    String(attempt),
    formatDuration(delay.minMs),
    { text: formatDuration(delay.meanMs), style: 'strong' },
    formatDuration(delay.maxMs),
    ...(drawnMs === undefined ? [] : [{ text: formatDuration(drawnMs), style: 'accent' } as const]),
    formatDuration(startsAfter.meanMs),
    formatDuration(startsAfter.maxMs),
    clock,
  ];
}

/** Returns a bar for each attempt: filled up to its mean delay, shaded up to its longest. */
function barsOf(attempts: readonly PreviewedAttempt[], width: number, screen: Screen): readonly string[] {
  const longestMs = Math.max(...attempts.map(({ delay }) => delay.maxMs));
  const cellsFor = (ms: number): number => (longestMs > 0 ? Math.round((ms / longestMs) * width) : 0);
  return attempts.map(({ delay }) => {
    const filled = cellsFor(delay.meanMs);
    const shaded = cellsFor(delay.maxMs) - filled;
    return (
      screen.paint('accent', '█'.repeat(filled)) + screen.paint('quiet', '░'.repeat(Math.max(shaded, 0)))
    );
  });
}

/** Returns how instants are printed: with milliseconds if all are within a minute, with the day if they are not within one. */
function clockOf(attempts: readonly PreviewedAttempt[]): (at: number | null) => string {
  const first = attempts[0]?.startsAt ?? 0;
  const last = attempts.at(-1)?.startsAt;
  const spanMs = last === null || last === undefined ? Infinity : last - first;
  return (at) => {
    if (at === null) return '-';
    const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
    const text = Number.isNaN(local.getTime()) ? new Date(at).toISOString() : local.toISOString();
    if (spanMs < 60_000) return text.slice(-13, -1);
    if (spanMs < 86_400_000 / 2) return text.slice(-13, -5);
    return text.slice(0, -8).replace('T', ' ');
  };
}

function moreText({ attempts, maxAttempts }: PreviewReport): readonly string[] {
  if (attempts.length >= maxAttempts) return [];
  const left = maxAttempts === Infinity ? 'more, without end' : `${maxAttempts - attempts.length} more`;
  return [`… ${left}; --limit prints more of them.`];
}

function worstCase({ policy, maxAttempts, preview: { total, isBounded }, options }: PreviewReport): string {
  const { attemptTimeoutMs, totalTimeoutMs } = settingsOf(policy);
  if (!isBounded) {
    return 'Worst case: it never ends. It has neither a limit of attempts nor a totalTimeout.';
  }
  const each =
    options.attempt !== undefined
      ? `each attempt takes ${formatDuration(options.attempt)}`
      : attemptTimeoutMs < Infinity
        ? `each attempt runs into its timeout of ${formatDuration(attemptTimeoutMs)}`
        : 'attempts take no time (--attempt 2s adds theirs)';
  const cut = total.maxMs >= totalTimeoutMs ? `, where totalTimeout ends it` : '';
  const count = `${countOf(maxAttempts)} ${maxAttempts === 1 ? 'attempt' : 'attempts'}`;
  const mean =
    options.attempt !== undefined || attemptTimeoutMs === Infinity
      ? `; on average ${formatDuration(total.meanMs)}`
      : '';
  return `Worst case: ${count} in ${formatDuration(total.maxMs)}${cut}, if ${each}${mean}.`;
}
