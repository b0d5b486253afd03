import { parseDuration } from '@retry/core';
import { createTestClock } from '@retry/worker/testing';
import type { BrokerHarness, KeepOptions } from '../support/broker-scene.ts';
import type { createNaiveBroker } from './naive-broker.ts';

const START_AT = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** A naive broker, or a mutant of it, on a clock of its own. */
export function openNaive(
  create: typeof createNaiveBroker,
  { keepCompleted = {}, keepDead = {}, keepKeys = DAY_MS }: KeepOptions = {},
): BrokerHarness {
  const clock = createTestClock(START_AT);
  const broker = create({
    clock,
    keepCount: keepCompleted.count ?? Infinity,
    keepForMs: parseDuration(keepCompleted.for ?? Infinity),
    keepBytes: keepCompleted.bytes ?? Infinity,
    keepDeadForMs: parseDuration(keepDead.for ?? Infinity),
    keepKeysMs: parseDuration(keepKeys),
  });
  return { broker, advance: clock.advance, close: broker.close };
}
