import type { AttemptError, Run } from '@retry/core/broker';

/** What the latest settlement said of a run, as far as it differs from a new one. */
export type RunRecord = { readonly [Key in RecordKey]?: Run[Key] };

const COUNTERS = ['failures', 'stalls', 'releases', 'rateLimits', 'redrives', 'resetEpoch'] as const;
const INSTANTS = [
  'submittedAt',
  'runAt',
  'firstStartedAt',
  'startedAt',
  'heartbeatAt',
  'endedAt',
  'resetAt',
  'previousDelayMs',
] as const;

type RecordKey =
  | (typeof COUNTERS)[number]
  | (typeof INSTANTS)[number]
  | 'settledBy'
  | 'isDisposable'
  | 'errors';

type Check = (value: unknown) => boolean;

const isCounter: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(COUNTERS.map((key) => [key, isCounter])),
  ...Object.fromEntries(INSTANTS.map((key) => [key, isNumber])),
  ...({
    settledBy: (value) => typeof value === 'string',
    isDisposable: (value) => typeof value === 'boolean',
    errors: (value) => Array.isArray(value) && value.every(isAttemptError),
  } satisfies Record<Exclude<RecordKey, (typeof COUNTERS | typeof INSTANTS)[number]>, Check>),
};

/** Reads a record; `undefined` for what none of ours has written: it may be anything that was written there. */
export function readRecord(text: string): RunRecord | undefined {
  const record = parseObject(text);
  if (record === undefined) return undefined;
  for (const [key, value] of Object.entries(record)) {
    const check = CHECKS[key];
    if (check === undefined) delete record[key];
    else if (!check(value)) return undefined;
  }
  return record as RunRecord; // each key has been looked at
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // asked just now
  } catch {
    return undefined;
  }
}

function isAttemptError(value: unknown): value is AttemptError {
  if (typeof value !== 'object' || value === null) return false;
  const { epoch, at, name, message, stack = '', stalledWith = 0 } = value as Record<string, unknown>; // any object has keys
  const isText = [name, message, stack].every((text) => typeof text === 'string');
  return isText && [epoch, at, stalledWith].every(isNumber);
}
