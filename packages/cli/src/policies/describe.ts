import type { Policy } from '@retry/core';
import { formatDuration } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import { settingsOf } from '@retry/core/fields';

/** Returns the waits of a policy in a few words: `exponential from 100ms ×2, at most 20s, full jitter`. */
export function describeWaits(policy: Policy): string {
  const { backoff, maxDelayMs, jitter, capAt } = settingsOf(policy);
  if (backoff.type === 'none') return 'no wait between attempts';
  const cap = maxDelayMs === Infinity ? '' : `, at most ${formatDuration(maxDelayMs)}`;
  const over = capAt === 'ignores-jitter' && jitter !== 'none' ? ' before jitter' : '';
  return `${describeBackoff(backoff)}${cap}${over}${describeJitter(jitter)}`;
}

function describeBackoff(backoff: PolicySettings['backoff']): string {
  switch (backoff.type) {
    case 'none':
      return 'none';
    case 'list':
      return `a list of ${backoff.delaysMs.length} delays`;
    case 'custom':
      return 'a strategy of its own';
    case 'linear':
      return `linear from ${formatDuration(backoff.baseMs)} by ${formatDuration(backoff.incrementMs)}`;
    case 'exponential':
      return `exponential from ${formatDuration(backoff.baseMs)} ×${backoff.factor}`;
    case 'constant':
      return `constant ${formatDuration(backoff.baseMs)}`;
    case 'fibonacci':
    case 'decorrelated':
      return `${backoff.type} from ${formatDuration(backoff.baseMs)}`;
  }
}

function describeJitter(jitter: PolicySettings['jitter']): string {
  if (typeof jitter === 'string') return jitter === 'none' ? ', no jitter' : `, ${jitter} jitter`;
  if ('proportional' in jitter) return `, jitter ± ${percent(jitter.proportional)}`;
  if ('down' in jitter) return `, jitter − ${percent(jitter.down)}`;
  return `, jitter ± ${formatDuration(jitter.plusMinusMs)}`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

/** Returns a count: `5`, `unlimited`. */
export function countOf(count: number): string {
  return count === Infinity ? 'unlimited' : String(count);
}

/** Returns a delay, or a range of delays: `0ms to 100ms`. */
export function rangeText(minMs: number, maxMs: number): string {
  return minMs === maxMs ? formatDuration(minMs) : `${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
}
