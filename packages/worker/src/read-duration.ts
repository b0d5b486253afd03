import type { Duration } from '@retry/core';
import { PolicyError, parseDuration } from '@retry/core';

/** Milliseconds of the duration that stands at `path`. @throws {PolicyError} when it is none */
export function readDuration(path: string, value: Duration): number {
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  const cure = "Use milliseconds or text like '500ms', '2s', '5m'.";
  throw new PolicyError([{ path, value, message: 'must be a duration ≥ 0', cure }]);
}
