import type { Clock, Duration } from '@retry/core';
import { A_CLOCK, countFrom, readOptions } from '@retry/core/fields';
import { systemClock } from '../time/clock.ts';
import { guardedClock } from '../time/guard-clock.ts';
import type { Settings } from './record/store.ts';

const DAY_MS = 86_400_000;

/** Options of a memory broker. Every key is optional. */
export interface MemoryBrokerOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /**
   * How many completed, cancelled, dropped and disposable runs are kept, all together and the latest of them,
   * ≥ 0; `Infinity` keeps all. Other runs that failed, stalled or were rate limited are kept until they are
   * redriven or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number | undefined;
  /**
   * How long an idempotency key stays known after its run has ended, if the run is forgotten earlier.
   *
   * @default '1d'
   */
  readonly keepKeys?: Duration | undefined;
}

/** Checks the options. @throws {InvalidOptionsError} listing every option that is unknown or wrong */
export function readMemoryBrokerOptions(options: unknown): Settings {
  const keys = ['clock', 'keepCompleted', 'keepKeys'];
  return readOptions(options, { subject: 'memory broker', keys }, (fields) => {
    const clock = fields.optional('clock', A_CLOCK);
    return {
      clock: guardedClock(clock) ?? systemClock,
      keepCompleted: fields.number(
        'keepCompleted',
        1_000,
        countFrom(0, 'Use 0 to keep none, Infinity to keep all.'),
      ),
      keepKeysMs: fields.duration('keepKeys', DAY_MS),
    };
  });
}
