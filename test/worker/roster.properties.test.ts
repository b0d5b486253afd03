import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Linked } from '../../packages/worker/src/run/roster.ts';
import { Roster } from '../../packages/worker/src/run/roster.ts';

interface Member extends Linked<Member> {
  readonly number: number;
}

const steps = fc.array(
  fc.oneof(
    fc.constant('add' as const),
    fc.nat(99).map((index) => ({ remove: index })),
  ),
  { maxLength: 60 },
);

it('lists those that were added and not removed, in the order in which they came', () => {
  fc.assert(
    fc.property(steps, (plays) => {
      const roster = new Roster<Member>();
      let expected: Member[] = [];
      for (const [number, play] of plays.entries()) {
        if (play === 'add') {
          const member: Member = { number, before: undefined, after: undefined };
          roster.add(member);
          expected.push(member);
        } else {
          const removed = expected[play.remove % Math.max(expected.length, 1)];
          if (removed !== undefined) roster.remove(removed);
          expected = expected.filter((member) => member !== removed);
        }

        expect([...roster].map((member) => member.number)).toEqual(expected.map((member) => member.number));
        expect(roster.size).toBe(expected.length);
      }
    }),
  );
});

it('leaves no way from one that was removed to others', () => {
  const roster = new Roster<Member>();
  const members = [0, 1, 2].map((number): Member => ({ number, before: undefined, after: undefined }));
  for (const member of members) roster.add(member);

  for (const member of members) roster.remove(member);

  expect(members).toEqual([0, 1, 2].map((number) => ({ number, before: undefined, after: undefined })));
});

it('may be changed while it is gone through', () => {
  const roster = new Roster<Member>();
  const members = [0, 1, 2].map((number): Member => ({ number, before: undefined, after: undefined }));
  for (const member of members) roster.add(member);
  const seen: number[] = [];

  for (const member of roster) {
    seen.push(member.number);
    roster.remove(member);
  }

  expect(seen).toEqual([0, 1, 2]);
  expect(roster.size).toBe(0);
});
