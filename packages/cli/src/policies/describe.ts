import type { Policy } from '@retry/core';
import { formatDuration } from '@retry/core';
import type { PolicySettings, SharesOfDelay, TimesAroundDelay } from '@retry/core/fields';
import { settingsOf } from '@retry/core/fields';

/** Returns the waits of a policy in a few words: `exponential from 100ms ×2, at most 20s, full jitter`. */
export function describeWaits(policy: Policy): string {
  const { backoff, maxDelayMs, jitter, capAt, delays, immediateFirst } = settingsOf(policy);
  if (backoff.type === 'none') return 'no wait between attempts';
  const cap = maxDelayMs === Infinity ? '' : `, at most ${formatDuration(maxDelayMs)}`;
  const over = capAt === 'ignores-jitter' && jitter !== 'none' ? ' before jitter' : '';
  const first = immediateFirst ? 'the first at once, then ' : '';
  const others = delays.length === 0 ? '' : `; other delays after ${delays.length} kinds of errors`;
  return `${first}${describeBackoff(backoff)}${cap}${over}${describeJitter(jitter)}${others}`;
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
      return `exponential from ${formatDuration(backoff.baseMs)} ×${backoff.factor}${plus(backoff.offsetMs)}`;
    case 'polynomial':
      return `${formatDuration(backoff.baseMs)} × retry ^ ${backoff.exponent}${plus(backoff.offsetMs)}`;
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
  return `, jitter ${reachesOf(jitter).join(' ') || 'none'}`;
}

function reachesOf(jitter: SharesOfDelay & TimesAroundDelay): readonly string[] {
  const { down = 0, up = 0, minusMs = 0, plusMs = 0, incrementMs = 0 } = jitter;
  const grows = incrementMs > 0 ? ` and ${formatDuration(incrementMs)} more each time` : '';
  return [
    ...(down > 0 ? [`− ${percent(down)}`] : []),
    ...(up > 0 ? [`+ ${percent(up)}`] : []),
    ...(minusMs > 0 ? [`− ${formatDuration(minusMs)}`] : []),
    ...(plusMs > 0 || incrementMs > 0 ? [`+ ${formatDuration(plusMs)}${grows}`] : []),
  ];
}

function plus(offsetMs: number | undefined): string {
  return offsetMs === undefined || offsetMs === 0 ? '' : ` + ${formatDuration(offsetMs)}`;
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
