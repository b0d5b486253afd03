import type { Clock } from '@retry/core';
import type { RetentionOptions } from '@retry/core/broker/kit';
import { KEEP_BYTES, RETENTION_KEYS, readRetention } from '@retry/core/broker/kit';
import { A_CLOCK, readOptions } from '@retry/core/fields';
import { systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';
import type { Settings } from './record/store.ts';

/** Options of a memory broker. Every key is optional. */
export interface MemoryBrokerOptions extends RetentionOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
}

/** Checks the options. @throws {InvalidOptionsError} listing every option that is unknown or wrong */
export function readMemoryBrokerOptions(options: unknown): Settings {
  const keys = ['clock', ...RETENTION_KEYS];
  return readOptions(options, { subject: 'memory broker', keys }, (fields, report) => {
    const clock = fields.optional('clock', A_CLOCK);
    const { keepBytes = KEEP_BYTES, ...retention } = readRetention(fields, report);
    return { clock: guardedClock(clock) ?? systemClock, ...retention, keepBytes };
  });
}
