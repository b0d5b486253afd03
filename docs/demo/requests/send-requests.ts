import { readServerDelay } from '@retry/core';
import { withRetry } from '@retry/inprocess';
import { callServer } from './call-server.ts';
import { policy } from './policy.ts';
import type { RequestRecord } from './request-record.ts';

/** What to send, and how. */
export interface Load {
  readonly origin: string;
  readonly paths: readonly string[];
  /** Requests at the same time, an integer ≥ 1. */
  readonly concurrency: number;
  /** Called after each settled request, with the records of all. */
  readonly onSettled: (records: readonly RequestRecord[]) => void;
}

/** Sends every request through `withRetry`, a few at a time, and returns what happened to each. */
export async function sendRequests(load: Load): Promise<readonly RequestRecord[]> {
  const { origin, paths, concurrency, onSettled } = load;
  const records = paths.map(newRecord);
  // The senders share one iterator: each takes the next request.
  const waiting = records.values();
  const sender = async (): Promise<void> => {
    for (const record of waiting) {
      await sendRequest(origin, record);
      onSettled(records);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sender));
  return records;
}

function newRecord(path: string): RequestRecord {
  return { path, startedAt: [], retries: [], outcome: 'pending' };
}

/** Sends one request by `withRetry` and records its events. */
async function sendRequest(origin: string, record: RequestRecord): Promise<void> {
  const attempt = (url: string): Promise<string> => {
    record.startedAt.push(now());
    return callServer(url);
  };
  const callWithRetry = withRetry(attempt, policy, {
    onRetry: (event) => {
      record.retries.push({ ...event, decidedAt: now(), askedMs: askedBy(event.error) });
    },
    onGiveUp: (event) => {
      record.stop = event;
    },
  });
  try {
    await callWithRetry(origin + record.path);
    record.outcome = 'succeeded';
  } catch {
    record.outcome = 'given up'; // `record.stop` says why.
  }
}

function askedBy(error: unknown): number | undefined {
  const asked = readServerDelay(error, now());
  return asked.type === 'delay' ? asked.delayMs : undefined;
}

/** Monotonic, unlike `Date.now`. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
