import { delayBounds } from '@retry/core';
import { policy } from './policy.ts';
import type { RequestRecord, RetryRecord } from './request-record.ts';

/** By how much the default `retryAfter.jitter` lengthens what a server asks for, at most. */
const LONGEST_SPREAD = 1.1;

/** Delays that have to keep the same rule. */
export interface DelayGroup {
  readonly name: string;
  /** The rule, for the table. */
  readonly allowed: string;
  readonly delaysMs: readonly number[];
  /** How many of them keep the rule. */
  readonly kept: number;
}

/** Groups the delays that the policy drew by retry, each with its `delayBounds`. */
export function groupDrawn(records: readonly RequestRecord[]): readonly DelayGroup[] {
  const drawn = records.flatMap(({ retries }) => retries).filter((retry) => !isServers(retry));
  const numbers = [...new Set(drawn.map(({ attempt }) => attempt))].sort((a, b) => a - b);
  return numbers.map((number) => {
    const [minMs, maxMs] = delayBounds(policy, number);
    const delaysMs = drawn.filter(({ attempt }) => attempt === number).map(({ delayMs }) => delayMs);
    const kept = delaysMs.filter((delayMs) => delayMs >= minMs && delayMs <= maxMs).length;
    return { name: `before retry ${number}`, allowed: `${minMs} to ${maxMs}`, delaysMs, kept };
  });
}

/** The delays where the server asked for more than the policy had drawn. */
export function groupRaised(records: readonly RequestRecord[]): DelayGroup {
  const raised = records.flatMap(({ retries }) => retries).filter(isServers);
  const kept = raised.filter(({ delayMs, askedMs = 0 }) => delayMs >= askedMs).length;
  const delaysMs = raised.map(({ delayMs }) => delayMs);
  return { name: 'raised by the server', allowed: '≥ asked', delaysMs, kept };
}

/** What a server asks for is spread upward by up to a tenth. A delay that is longer is the policy's own; any other is the server's. */
function isServers({ delayMs, askedMs }: RetryRecord): boolean {
  return askedMs !== undefined && delayMs <= askedMs * LONGEST_SPREAD;
}
