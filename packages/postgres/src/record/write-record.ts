import type { Run, Settlement } from '@retry/core/broker';
import { settledBy } from '@retry/core/broker';

/**
 * Whether the columns say all that there is to say: a run that completed at its first attempt, with nothing behind it,
 * and no heartbeat that it knows of.
 */
export function needsNoRecord({ epoch, event, next }: Settlement): boolean {
  const isFirst = event === 'complete' && next.state === 'completed' && epoch === 1;
  return isFirst && next.heartbeatAt === next.firstStartedAt && hasNoPast(next);
}

function hasNoPast(run: Run): boolean {
  const { failures, stalls, releases, rateLimits, redrives, resetEpoch, errors } = run;
  const counted = failures + stalls + releases + rateLimits + redrives + resetEpoch + errors.length;
  return counted === 0 && run.previousDelayMs === undefined && run.isDisposable === undefined;
}

/**
 * What a settlement says of its run, as JSON text: all that no column keeps. Counters that are 0 and instants that
 * never were are left out, so that a run that succeeds at once says little.
 */
export function writeRecord({ epoch, event, next }: Settlement): string {
  const text = JSON.stringify({
    submittedAt: next.submittedAt,
    runAt: next.runAt,
    firstStartedAt: next.firstStartedAt,
    startedAt: next.startedAt === next.firstStartedAt ? undefined : next.startedAt,
    heartbeatAt: next.heartbeatAt,
    endedAt: next.endedAt,
    settledBy: settledBy(epoch, event),
    failures: next.failures || undefined,
    stalls: next.stalls || undefined,
    releases: next.releases || undefined,
    rateLimits: next.rateLimits || undefined,
    redrives: next.redrives || undefined,
    resetEpoch: next.resetEpoch || undefined,
    resetAt: next.resetAt,
    previousDelayMs: next.previousDelayMs,
    isDisposable: next.isDisposable,
    errors: next.errors.length > 0 ? next.errors : undefined,
  });
  return UNKEEPABLE.test(text) ? JSON.stringify(JSON.parse(text, cleanValue)) : text;
}

/** The name of the latest error, if there is one. */
export function errorNameOf({ errors }: Run): string | undefined {
  const name = errors.at(-1)?.name;
  return name === undefined ? undefined : cleanText(name);
}

/** U+0000 and halves of surrogate pairs: errors may carry them, Postgres reads them in no JSON. */
const UNKEEPABLE = /\\u(0000|d[89a-f])/i;

function cleanValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? cleanText(value) : value;
}

function cleanText(text: string): string {
  return SUSPECT.test(text) ? text.replaceAll(UNPAIRED, '\uFFFD') : text;
}

const SUSPECT = /[\0\uD800-\uDFFF]/;
const UNPAIRED = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
