import { boundsOf } from '../delay/delay-bounds.ts';
import { formatDuration } from '../duration.ts';
import { InvalidOptionsError } from '../errors.ts';
import type { Policy, PolicySettings, ServerDelayRule } from '../policy/policy.ts';
import { allowedAttempts, checkPolicy, settingsOf } from '../policy/settings.ts';
import { EXPORTED_SYSTEMS, type ExportedSystem } from './export-writers.ts';
import type { SystemOptions } from './system.ts';

/** What another system cannot say of a policy. */
export interface LostSetting {
  /** The key of the policy. */
  readonly key: string;
  /** What is different there. */
  readonly why: string;
  /** What is written instead. */
  readonly nearest: string;
}

/** A policy as options of another system. */
export interface ExportedPolicy {
  /** The options in the system's own names, units and counting. */
  readonly options: SystemOptions;
  /** Empty if that system does what the policy says. */
  readonly lost: readonly LostSetting[];
}

/** The first retries are compared one by one, and then the last one: of an endless policy, one that stands for the end. */
const [COMPARED, END] = [1_000, 1_000_000];

/**
 * Writes a policy as the options of another system, and lists what they do not say: the options are read again, and the attempts and
 * the delays of each retry are compared.
 *
 * @throws {InvalidOptionsError} when the policy was not made by `definePolicy`, or there is no such system
 */
export function exportPolicy(policy: Policy, system: ExportedSystem): ExportedPolicy {
  const settings = checkPolicy(policy, 'exportPolicy');
  const target = Object.hasOwn(EXPORTED_SYSTEMS, system) ? EXPORTED_SYSTEMS[system] : undefined;
  if (target === undefined) {
    const cure = `Use one of ${Object.keys(EXPORTED_SYSTEMS).join(', ')}.`;
    throw new InvalidOptionsError(
      [{ path: 'system', value: system, message: 'cannot be exported to', cure }],
      'exportPolicy',
    );
  }
  const options = target.write(settings);
  const there = settingsOf(target.system.from(options).policy);
  return Object.freeze({
    options,
    lost: Object.freeze([
      ...lostCounts(settings, there),
      ...lostDelays(settings, there),
      ...lostRules(settings, there),
    ]),
  });
}

function lostCounts(here: PolicySettings, there: PolicySettings): readonly LostSetting[] {
  const [attempts, theirs] = [allowedAttempts(here), allowedAttempts(there)];
  if (attempts === theirs) return [];
  return [{ key: 'maxAttempts', why: `${theirs} attempts there, ${attempts} here`, nearest: String(theirs) }];
}

/** Names the first retry whose delay differs by more than a millisecond or a thousandth. */
function lostDelays(here: PolicySettings, there: PolicySettings): readonly LostSetting[] {
  const last = Math.min(allowedAttempts(here), allowedAttempts(there)) - 1;
  const first = Array.from({ length: Math.min(last, COMPARED) }, (_, index) => index + 1);
  for (const retry of last > COMPARED ? [...first, Math.min(last, END)] : first) {
    const [ours, theirs] = [boundsOf(here, retry), boundsOf(there, retry)];
    if (isNear(ours[0], theirs[0]) && isNear(ours[1], theirs[1])) continue;
    return [
      {
        key: 'backoff',
        why: `retry ${retry} waits ${rangeOf(theirs)} there, ${rangeOf(ours)} here`,
        nearest: rangeOf(theirs),
      },
    ];
  }
  return [];
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.max(1, 1e-3 * one);
}

function rangeOf([least, most]: readonly [number, number]): string {
  return least === most ? formatDuration(least) : `${formatDuration(least)} to ${formatDuration(most)}`;
}

/** What no options of delays and counts say. */
function lostRules(here: PolicySettings, there: PolicySettings): readonly LostSetting[] {
  const { retryOn, stopOn, retryIf, delays, attemptTimeoutMs, totalTimeoutMs, initialDelayMs } = here;
  const filter = [UNWRITTEN, 'the filter of errors of that system'] as const;
  const timeout = [UNWRITTEN, 'the timeout of that system'] as const;
  const rules: readonly Rule[] = [
    ['initialDelay', initialDelayMs > 0, UNWRITTEN, 'a delay of the first attempt'],
    ['delays', delays.length > 0, UNWRITTEN, 'the delays of the policy itself'],
    ['retryOn', retryOn !== 'everything', ...filter],
    ['stopOn', JSON.stringify(stopOn) !== JSON.stringify(there.stopOn), ...filter],
    ['retryIf', retryIf !== undefined, ...filter],
    ['idempotent', here.idempotent === false, ...filter],
    [
      'retryAfter',
      allowedAttempts(here) > 1 && !followsAlike(here.retryAfter, there.retryAfter),
      ...serverDelayThere(there.retryAfter),
    ],
    ['attemptTimeout', attemptTimeoutMs < Infinity, ...timeout],
    ['totalTimeout', totalTimeoutMs < Infinity && totalTimeoutMs !== there.totalTimeoutMs, ...timeout],
  ];
  return rules.flatMap(([key, isLost, why, nearest]) => (isLost ? [{ key, why, nearest }] : []));
}

function followsAlike(here: ServerDelayRule, there: ServerDelayRule): boolean {
  if (here.mode === 'ignore' || there.mode === 'ignore') return here.mode === there.mode;
  const isAlike = here.mode === there.mode && here.maxMs === there.maxMs;
  // Nothing is beyond a maximum that is endless.
  const isSameBeyond = here.maxMs === Infinity || here.beyondMax === there.beyondMax;
  return isAlike && isSameBeyond && JSON.stringify(here.jitter) === JSON.stringify(there.jitter);
}

/** Returns what is done there with a delay that a server asks for: nothing, or, by gRPC, whatever the server says. */
function serverDelayThere({ mode }: ServerDelayRule): readonly [why: string, nearest: string] {
  return mode === 'ignore'
    ? ['a delay that a server asks for is not followed there', 'the delays of the policy itself']
    : ['a delay that a server asks for replaces the own one there, however long it is', 'that delay'];
}

/** A key, whether it is lost, why, and what is done there instead. */
type Rule = readonly [key: string, isLost: boolean, why: string, nearest: string];

const UNWRITTEN = 'it is not written by an export';

export type { ExportedSystem } from './export-writers.ts';
