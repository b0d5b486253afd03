import type { Duration } from '@retry/core';
import { createVirtualClock } from '@retry/core/testing';
import { describe, expect, it } from 'vitest';

const MAX_TURNS = 20;

/** A clock whose moves take at most that many turns a timer, and a counter of them. */
function setStage() {
  let turns = 0;
  const clock = createVirtualClock({
    settle: async (isAtRest) => {
      let count = 0;
      do {
        await new Promise((resolve) => setImmediate(resolve));
        count += 1;
      } while (!isAtRest() && count < MAX_TURNS);
      turns += count;
    },
  });
  const turnsOf = async (duration: Duration): Promise<number> => {
    turns = 0;
    await clock.advance(duration);
    return turns;
  };
  const everySecond = (job: () => unknown = () => undefined): void => {
    clock.setTimer(() => {
      job();
      everySecond(job);
    }, 1_000);
  };
  return { clock, turnsOf, everySecond };
}

describe('what a move of a virtual clock costs', () => {
  it('is a few turns for a timer that only sets itself again, but for the first and the last settling', async () => {
    const { turnsOf, everySecond } = setStage();
    everySecond();

    expect(await turnsOf('1000s')).toBe(2 * MAX_TURNS + 999 * 3);
  });

  it.each<[string, (stage: ReturnType<typeof setStage>) => void]>([
    [
      'does not set itself again',
      ({ clock }) => {
        for (let second = 1; second <= 10; second += 1) clock.setTimer(() => undefined, second * 1_000);
      },
    ],
    [
      'sets itself for another time',
      ({ clock }) => {
        const grow = (delayMs: number): unknown => clock.setTimer(() => grow(delayMs + 1), delayMs);
        grow(950);
      },
    ],
    [
      'sets another one, too',
      ({ clock, everySecond }) => everySecond(() => clock.setTimer(() => undefined, 1e9)),
    ],
    [
      'cancels another one',
      ({ clock, everySecond }) => {
        const cancels = Array.from({ length: 10 }, () => clock.setTimer(() => undefined, 1e9));
        everySecond(() => cancels.pop()?.());
      },
    ],
    [
      'is followed by work that reads the clock in each turn',
      ({ clock, everySecond }) =>
        everySecond(async () => {
          for (let turn = 0; turn < 30; turn += 1) {
            clock.now();
            await new Promise((resolve) => setImmediate(resolve));
          }
        }),
    ],
  ])('is every turn for a timer that %s', async (_what, set) => {
    const stage = setStage();
    set(stage);

    expect(await stage.turnsOf('10s')).toBe(11 * MAX_TURNS);
  });

  it('is not more for a timer that sets another one and cancels it', async () => {
    const { clock, turnsOf, everySecond } = setStage();
    everySecond(() => clock.setTimer(() => undefined, 500)());

    expect(await turnsOf('10s')).toBe(2 * MAX_TURNS + 9 * 3);
  });
});
