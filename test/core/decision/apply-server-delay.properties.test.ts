import type { PolicyInput, ServerDelay } from '@retry/core';
import { decide, definePolicy } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amounts, draws, durations, hostileDraws } from '../../support/arbitraries.ts';

const NOW = 1_000_000;

const rules: fc.Arbitrary<NonNullable<PolicyInput['retryAfter']>> = fc.record(
  {
    max: fc.oneof(fc.constantFrom(0, 60_000, Infinity), durations),
    mode: fc.constantFrom('floor', 'replace', 'ignore'),
    beyondMax: fc.constantFrom('stop', 'ignore', 'clamp'),
    jitter: fc.oneof(fc.constant('none'), fc.record({ up: amounts }), fc.record({ plus: durations })),
  } as const,
  { requiredKeys: [] },
);

function decisionOn(rule: PolicyInput, asked: ServerDelay, random: () => number): ReturnType<typeof decide> {
  const policy = definePolicy({ backoff: { type: 'constant', base: '1s' }, jitter: 'none', ...rule });
  return decide(
    policy,
    { failures: 1 },
    { error: new Error('busy'), serverDelay: asked },
    { now: NOW, random },
  );
}

describe('the delay that a server asks for', () => {
  it('is never shortened below what was asked, unless it is ignored or clamped to the maximum', () => {
    fc.assert(
      fc.property(rules, amounts, fc.oneof(draws, hostileDraws), (rule, delayMs, draw) => {
        const decision = decisionOn({ retryAfter: rule }, { type: 'delay', delayMs }, () => draw);
        fc.pre(decision.type === 'retry' && rule.mode !== 'ignore' && rule.beyondMax === undefined);

        // A run is due no later than the latest Date.
        expect(decision.type === 'retry' && decision.delayMs).toBeGreaterThanOrEqual(
          Math.min(delayMs, 8.6e15 - NOW),
        );
      }),
    );
  });

  it('never ends the retrying by its jitter: a deadline that it fits without is met with it', () => {
    fc.assert(
      fc.property(
        draws,
        fc.integer({ min: 1_001, max: 120_000 }),
        fc.integer({ min: 1, max: 50_000 }),
        (draw, delayMs, roomMs) => {
          const rule = { retryAfter: { max: Infinity, jitter: { up: 3 } }, totalTimeout: delayMs + roomMs };

          expect(decisionOn(rule, { type: 'delay', delayMs }, () => draw)).toMatchObject({ type: 'retry' });
        },
      ),
    );
  });

  it('spreads callers that are answered the same upward by a tenth', () => {
    const delays = Array.from({ length: 200 }, (_, caller) =>
      decisionOn({}, { type: 'delay', delayMs: 2_000 }, () => caller / 200),
    ).map((decision) => (decision.type === 'retry' ? decision.delayMs : 0));

    expect(Math.min(...delays)).toBe(2_000);
    expect(Math.max(...delays)).toBe(2_199);
    expect(new Set(delays).size).toBe(200);
  });

  it('is not spread over the maximum', () => {
    expect(decisionOn({}, { type: 'delay', delayMs: 60_000 }, () => 0.9)).toMatchObject({ delayMs: 60_000 });
    expect(
      decisionOn({ retryAfter: { jitter: { plus: '5s' } } }, { type: 'delay', delayMs: 58_000 }, () => 0.5),
    ).toMatchObject({
      delayMs: 59_000,
    });
  });
});
