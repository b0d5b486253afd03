import { expect, it } from 'vitest';
import { OUTCOMES } from '../../packages/otel/src/outcomes.ts';
import { countEvents } from '../../packages/worker/src/session/drain.ts';

it('counts and traces each outcome of an attempt that a drained worker reports', () => {
  const { started, ...outcomes } = countEvents({ on: () => {} } as never)(); // which only listens

  expect(started).toBe(0);
  expect([...OUTCOMES].sort()).toEqual(Object.keys(outcomes).sort());
});
