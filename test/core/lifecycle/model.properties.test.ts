import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as all from './commands.ts';
import { type EventCommand, Next, newPair } from './model.ts';

const DELAYS = [0, 1, 60_000];

/** Any of these commands, one in eight of them a stray. */
const commandsOf = (kinds: readonly Kind[], delays: readonly (number | undefined)[]) =>
  kinds.map((Kind) =>
    fc
      .tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(...delays))
      .map(([draw, delayMs]) => new Kind(draw === 1, delayMs)),
  );

type Kind = new (isStray: boolean, delayMs?: number) => EventCommand;

const { Submit, Promote, Start, Heartbeat, Complete, Retry, Fail, Release } = all;
const { Reschedule, End, FailingEnd } = all;
const { Stall, SharedStall, Recover, GiveUp, Cancel, Drop, Limit, Redrive, KeepingRedrive } = all;

const SEQUENCES = fc.commands(
  [
    fc.constant(new Next()),
    ...commandsOf([Submit, Limit, Release, Reschedule], [undefined, ...DELAYS]),
    ...commandsOf([Retry, Recover], DELAYS),
    ...commandsOf(
      [Promote, Start, Heartbeat, Fail, Stall, SharedStall, Redrive, KeepingRedrive],
      [undefined],
    ),
    ...commandsOf([GiveUp, Complete, Cancel, Drop, End, FailingEnd], [undefined]),
  ],
  { maxCommands: 1_000, size: 'max' },
);

describe('transition', () => {
  it('accepts or rejects every event as the model does, and counts the same', () => {
    const lengths: number[] = [];

    fc.assert(
      fc.property(SEQUENCES, fc.nat({ max: 3 }), (commands, carried) => {
        const { model, real } = newPair(carried);
        fc.modelRun(() => ({ model, real }), commands);
        lengths.push(real.moves + real.rejections);
      }),
    );

    expect(Math.max(...lengths)).toBeGreaterThan(50);
  });
});
